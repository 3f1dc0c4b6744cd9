import { afterAll, beforeAll } from '@jest/globals';
import { type SimulatedProvider, startSimulatedProvider } from '../../src/simulator/simulatedProvider.js';
import { Assay, type Data, type Team } from './assay.js';
import { conversations, jsonl, type TestConversation } from './dataset.js';
import { expectedVerdicts, SEED } from './expected.js';

export const GRADER = 'test-grader';
export const list = conversations(60);
export const mean = (values: number[]): number => values.reduce((sum, value) => sum + value, 0) / values.length;

export const COMPARE = (selection: string): string =>
  `query ($a: ID!, $b: ID!) { compareRuns(baselineId: $a, candidateId: $b) { ${selection} } }`;

/** The flips between two models in the order that the API promises, in the plainest code there is. */
export function expectedFlips(of: TestConversation[], baseline: string, candidate: string) {
  return of
    .flatMap((conversation, no) => {
      const [before, after] = [baseline, candidate].map((model) => expectedVerdicts(conversation, model, GRADER));
      return conversation.criteria.flatMap(({ points }, at) => {
        if (before?.[at] === after?.[at]) return [];
        return [{ no, at, points, pointsMoved: after?.[at] ? points : -points }];
      });
    })
    .sort((a, b) => Math.abs(b.points) - Math.abs(a.points) || a.no - b.no || a.at - b.at);
}

/** A service with a run of a weak and one of a strong model over `list`. */
export class TwoRuns {
  assay!: Assay;
  team!: Team;
  weak!: string;
  strong!: string;
  #provider!: SimulatedProvider;
  datasetId!: string;

  /** Call it inside `describe`: the runs are over before its tests start. */
  static here(): TwoRuns {
    const two = new TwoRuns();
    beforeAll(async () => {
      two.#provider = await startSimulatedProvider({ seed: SEED });
      two.assay = await Assay.start();
      two.team = await two.assay.team();
      await two.team.endpoint(two.#provider.url, { maxConcurrency: 64 });
      two.datasetId = (await two.team.dataset(jsonl(list))).id;
      two.weak = await two.run({ modelUnderTest: { model: 'weak-model' }, name: 'weak' });
      two.strong = await two.run({ modelUnderTest: { model: 'strong-model' }, name: 'strong' });
    }, 120_000);
    afterAll(async () => {
      await two.assay.close();
      await two.#provider.close();
    });
    return two;
  }

  /** The id of a further run that is over. */
  async run(input: Data): Promise<string> {
    const id = await this.team.start({ datasetId: this.datasetId, ...input });
    await this.team.watch(id);
    return id;
  }

  async compare(a: string, b: string, selection: string): Promise<Data> {
    return (await this.team.query(COMPARE(selection), { a, b })).compareRuns;
  }
}

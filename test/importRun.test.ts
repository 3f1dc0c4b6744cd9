import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type SimulatedProvider, startSimulatedProvider } from '../src/simulator/simulatedProvider.js';
import { Assay, type Data, type Team } from './support/assay.js';
import { conversations, jsonl } from './support/dataset.js';

const VERDICTS = `verdicts(first: 500) { nodes { criterion { text } points criteriaMet explanation } }`;

/** Runs of other harnesses, brought in by the API. */
describe('importing a run', () => {
  let assay: Assay;
  let provider: SimulatedProvider;
  let team: Team;
  let datasetId: string;

  beforeAll(async () => {
    provider = await startSimulatedProvider({ seed: 3 });
    assay = await Assay.start();
    team = await assay.team();
    await team.endpoint(provider.url, { maxConcurrency: 64 });
    datasetId = (await team.dataset(jsonl(conversations(12)))).id;
  }, 120_000);
  afterAll(async () => {
    await assay.close();
    await provider.close();
  });

  const exported = async (runId: string, format: string): Promise<string> => {
    const response = await fetch(`${assay.server.url}/runs/${runId}/export?format=${format}`, {
      headers: { authorization: `Bearer ${team.key}` },
    });
    expect(response.status).toBe(200);
    return response.text();
  };
  const made = async (input: Data = {}): Promise<string> => {
    const id = await team.start({ datasetId, ...input });
    await team.watch(id);
    return id;
  };
  const declared = { modelUnderTest: { model: 'test-model' }, grader: { model: 'test-grader' } };
  const imported = async (input: Data, selection = 'id') =>
    await team.mutate('importRun', { datasetId, ...input }, `created run { ${selection} }`);

  it('gives the verdicts and the score of the run that was exported', async () => {
    const source = await made({ repeats: 2 });
    const file = await exported(source, 'simple-evals');
    const { run, created } = await imported({ file, ...declared });
    expect(created).toBe(true);
    const selection = `status repeats score { value median bootstrapStd n coverage interval { low high } } ${VERDICTS}
      tagScores { tag value n } usage { calls } progress { conversationsDone criteriaGraded criteriaUngraded }`;
    const own = await team.run(run.id, selection);
    const original = await team.run(source, selection);
    const { usage, verdicts, ...rest } = own;
    expect(usage.calls).toBe(0);
    const byText = (nodes: Data[]) => nodes.map((node) => JSON.stringify(node)).sort();
    expect(byText(verdicts.nodes)).toEqual(byText(original.verdicts.nodes));
    expect(rest).toEqual(Object.fromEntries(Object.keys(rest).map((key) => [key, original[key]])));
  }, 60_000);
});

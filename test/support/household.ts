import { afterAll, beforeAll } from '@jest/globals';
import { type SimulatedProvider, startSimulatedProvider } from '../../src/simulator/simulatedProvider.js';
import { Assay, type Data, type Team } from './assay.js';
import { conversations, jsonl } from './dataset.js';

export const SMALL = conversations(4);
export const CRITERIA = SMALL.reduce((sum, { criteria }) => sum + criteria.length, 0);
export const DELETED = 'deleted { kind count }';

/** What a deletion says it took, by kind. */
export const counts = (payload: Data): Data =>
  Object.fromEntries(payload.deleted.map((row: Data) => [row.kind, row.count]));

/** Resolves when `fact` holds; rejects when it does not within 10 s. */
export async function eventually(fact: () => Promise<boolean>): Promise<void> {
  for (let i = 0; !(await fact()); i += 1) {
    if (i === 200) throw new Error('it never became true');
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

/** A service with a quick and a slow provider, and teams with finished runs to delete from it. */
export class Household {
  assay!: Assay;
  /** Fails now and then, so that there are failed calls to delete too. */
  provider!: SimulatedProvider;
  slow!: SimulatedProvider;

  /** Call it inside `describe`: it starts before its tests and ends after them. */
  static here(): Household {
    const household = new Household();
    beforeAll(async () => {
      household.provider = await startSimulatedProvider({ seed: 1, fail500: 0.1 });
      household.slow = await startSimulatedProvider({ seed: 1, latencyMs: 100 });
      household.assay = await Assay.start();
    });
    afterAll(async () => {
      await household.assay.close();
      await household.provider.close();
      await household.slow.close();
    });
    return household;
  }

  async newTeam(): Promise<Team> {
    const team = await this.assay.team();
    await team.endpoint(this.provider.url, { maxConcurrency: 64 });
    return team;
  }

  /** The id of a run of `team` that is over. */
  async finished(team: Team, name = 'run', datasetId?: string): Promise<string> {
    const id = datasetId ?? (await team.dataset(jsonl(SMALL))).id;
    const run = await team.start({ datasetId: id, name });
    await team.watch(run);
    return run;
  }

  /** Tables with rows that name a run which is not there. */
  async orphans(): Promise<string[]> {
    const { db } = this.assay.services;
    const tables = await db.$queryRaw<{ name: string }[]>`
      SELECT table_name AS name FROM information_schema.columns WHERE table_schema = 'public' AND column_name = 'run_id'`;
    const found: string[] = [];
    for (const { name } of tables) {
      const rows = await db.$queryRawUnsafe<{ n: number }[]>(
        `SELECT count(*)::int AS n FROM ${name} t WHERE NOT EXISTS (SELECT FROM run WHERE run.id = t.run_id)`,
      );
      if (rows[0]?.n !== 0) found.push(name);
    }
    return found;
  }
}

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type SimulatedProvider, startSimulatedProvider } from '../src/simulator/simulatedProvider.js';
import { Assay, type Team } from './support/assay.js';
import { expectComplete, until } from './support/consistency.js';
import { conversations, jsonl } from './support/dataset.js';

describe('a database that refuses what is written', () => {
  let assay: Assay;
  let team: Team;
  let provider: SimulatedProvider;

  beforeAll(async () => {
    provider = await startSimulatedProvider({ latencyMs: 20, logCalls: true });
    assay = await Assay.start();
    team = await assay.team();
    await team.endpoint(provider.url, { maxConcurrency: 1 });
  });
  afterAll(async () => {
    await assay.close();
    await provider.close();
  });

  it('ends a grading job with all its calls: none goes on behind a job that has failed', async () => {
    const { db } = assay.services;
    await db.$executeRaw`CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE 'refused'; END $$`;
    await db.$executeRaw`CREATE TRIGGER refuse BEFORE INSERT ON criterion_verdict EXECUTE FUNCTION refuse()`;
    const list = conversations(2).slice(1);
    expect(list[0]?.criteria).toHaveLength(10);
    const runId = await team.start({ datasetId: (await team.dataset(jsonl(list))).id });
    await until(async () => {
      const jobs = await db.$queryRaw<unknown[]>`
        SELECT 1 FROM pgboss.job WHERE name = 'grade-conversation' AND state = 'retry' AND retry_count = 1`;
      return jobs.length === 1;
    });
    // Of each of the two attempts the call that failed, and the one that got its place at that moment.
    expect(provider.stats().log.filter(({ kind }) => kind === 'grading').length).toBeLessThanOrEqual(4);
    await db.$executeRaw`DROP TRIGGER refuse ON criterion_verdict`;
    await until(async () => (await team.run(runId, 'status')).status === 'COMPLETED');
    await expectComplete(assay, runId);
  });
});

import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import { type SimulatedProvider, startSimulatedProvider } from '../src/simulator/simulatedProvider.js';
import { Assay, type Team } from './support/assay.js';
import { expectComplete, until } from './support/consistency.js';
import { conversations, jsonl } from './support/dataset.js';
import { expectedNumbers, SEED } from './support/expected.js';
import { WorkerProcesses } from './support/workerProcess.js';

const CALLS = 16;
const list = conversations(90);
const seconds = (length: number) => new Promise((resolve) => setTimeout(resolve, length * 1000));

describe('worker processes that die, sleep or lose the database', () => {
  let assay: Assay;
  let team: Team;
  let provider: SimulatedProvider;
  let workers: WorkerProcesses;
  let runId: string;

  const graded = async () => (await team.run(runId, 'progress { criteriaGraded }')).progress.criteriaGraded;
  const isOver = async () => (await team.run(runId, 'status')).status !== 'RUNNING' && (await graded()) > 0;

  beforeAll(async () => {
    assay = await Assay.start({ workers: false });
    workers = new WorkerProcesses(assay);
  });
  beforeEach(async () => {
    provider = await startSimulatedProvider({ seed: SEED, latencyMs: 80, latencySpread: 0.5 });
    team = await assay.team();
    await team.endpoint(provider.url, { maxConcurrency: CALLS });
    runId = await team.start({ datasetId: (await team.dataset(jsonl(list))).id });
  });
  afterEach(async () => {
    await workers.killAll();
    await provider.close();
  });
  afterAll(() => assay.close());

  const expectScore = async () => {
    await expectComplete(assay, runId);
    const { score } = await team.run(runId, 'score { value coverage criteriaCoverage }');
    expect(score).toMatchObject({ coverage: 1, criteriaCoverage: 1 });
    expect(score.value).toBeCloseTo(expectedNumbers(list, 'test-model', 'test-grader').value, 9);
  };

  it('ends complete when three workers are killed at random moments, each replaced by another, and the provider fails too', async () => {
    provider.configure({ fail500: 0.04, failMalformed: 0.04, failReset: 0.02 });
    for (let i = 0; i < 3; i += 1) workers.start();
    await until(async () => (await graded()) > 0);
    const kills = 3;
    for (let kill = 0; kill < kills; kill += 1) {
      await seconds(Math.random() * 1.5);
      const { running } = workers;
      await workers.kill(running[Math.floor(Math.random() * running.length)] as (typeof running)[number]);
      workers.start();
    }
    // What the killed ones held is taken over within 30 s.
    await until(isOver, 45);
    await expectScore();
    expect(provider.stats().maxInFlight).toBeLessThanOrEqual(CALLS);
    expect(provider.stats().repeatedOk).toBeLessThanOrEqual(kills * CALLS);
  }, 90_000);

  it('has taken over everything within 30 s when all workers die at once', async () => {
    for (let i = 0; i < 2; i += 1) workers.start();
    await until(async () => (await graded()) > 30);
    await workers.killAll();
    const held = async () => {
      const rows = await assay.services.db.$queryRaw<{ attempt: string }[]>`
        SELECT id::text || ':' || retry_count AS attempt FROM pgboss.job WHERE state = 'active'`;
      return rows.map(({ attempt }) => attempt);
    };
    const orphans = await held();
    expect(orphans.length).toBeGreaterThan(0);
    workers.start();
    await until(async () => !(await held()).some((attempt) => orphans.includes(attempt)), 30);
    await until(isOver, 45);
    await expectScore();
    expect(provider.stats().repeatedOk).toBeLessThanOrEqual(CALLS);
  }, 120_000);

  it('lets no worker write that was paused for longer than its lease', async () => {
    const sleeper = workers.start();
    await until(async () => (await graded()) > 60);
    sleeper.kill('SIGSTOP');
    workers.start();
    await until(isOver, 45);
    await expectScore();
    sleeper.kill('SIGCONT');
    await seconds(2);
    // Nothing has changed, and it has not gone on with what is not its own any more: only calls that had their
    // slot before the pause were sent.
    await expectScore();
    expect(provider.stats().repeatedOk).toBeLessThanOrEqual(CALLS);
    // It is of use again.
    await workers.kill(workers.running.find((child) => child !== sleeper) as (typeof workers.running)[number]);
    runId = await team.start({ datasetId: (await team.dataset(jsonl(list))).id, sample: { method: 'FIRST', size: 5 } });
    await until(isOver, 30);
    await expectComplete(assay, runId);
  }, 120_000);

  it('goes on when connections to the database are cut again and again', async () => {
    workers.start();
    workers.start();
    await until(async () => (await graded()) > 0);
    const admin = new pg.Client({ connectionString: assay.databaseUrl });
    await admin.connect();
    for (let cut = 0; cut < 12; cut += 1) {
      await admin.query(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity
        WHERE datname = current_database() AND pid <> pg_backend_pid() AND random() < 0.5`);
      await seconds(0.25);
    }
    await admin.end();
    await until(isOver, 60);
    await expectScore();
    expect(provider.stats().repeatedOk).toBeLessThanOrEqual(CALLS);
    // Each call is counted, and once, however often its answer was lost on the way to the database or back.
    const { usage } = await team.run(runId, 'usage { calls }');
    expect(usage.calls).toBe(provider.stats().calls);
    expect(workers.running).toHaveLength(2);
  }, 120_000);
});

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type SimulatedProvider, startSimulatedProvider } from '../src/simulator/simulatedProvider.js';
import { Assay, type Team } from './support/assay.js';
import { conversations, jsonl } from './support/dataset.js';
import { expectedNumbers, SEED } from './support/expected.js';

const list = conversations(80);
const criteria = list.reduce((sum, conversation) => sum + conversation.criteria.length, 0);

describe('killing the worker process in the middle of a run', () => {
  let assay: Assay;
  let team: Team;
  let provider: SimulatedProvider;
  const workers: ChildProcess[] = [];

  beforeAll(async () => {
    provider = await startSimulatedProvider({ seed: SEED, latencyMs: 20 });
    assay = await Assay.start({ workers: false });
    team = await assay.team();
    await team.endpoint(provider.url);
  });
  afterAll(async () => {
    for (const worker of workers) worker.kill('SIGKILL');
    await assay.close();
    await provider.close();
  });

  const startWorker = (): ChildProcess => {
    const worker = spawn(process.execPath, ['dist/worker.js'], {
      env: {
        PATH: process.env.PATH,
        DATABASE_URL: assay.databaseUrl,
        ASSAY_DATA_DIR: assay.dataDir,
        ASSAY_MIGRATE: 'false',
        ASSAY_ALLOW_PRIVATE_ADDRESSES: 'true',
        LOG_LEVEL: 'warn',
      },
      stdio: ['ignore', 'inherit', 'inherit'],
    });
    workers.push(worker);
    return worker;
  };

  it('loses nothing and doubles nothing: every criterion ends with exactly one verdict', async () => {
    const first = startWorker();
    const runId = await team.start({ datasetId: (await team.dataset(jsonl(list))).id });
    const progress = team.subscribe('subscription ($id: ID!) { runVerdicts(runId: $id) { cursor } }', { id: runId });
    for await (const { runVerdicts } of progress) if (runVerdicts.cursor > criteria / 3) break;
    first.kill('SIGKILL');
    await once(first, 'exit');
    const inFlight = provider.stats().inFlight;

    startWorker();
    await team.watch(runId);
    const run = await team.run(
      runId,
      'status score { value n coverage criteriaCoverage } progress { criteriaGraded criteriaUngraded conversationsFailed }',
    );
    expect(run).toMatchObject({
      status: 'COMPLETED',
      score: { n: 80, coverage: 1, criteriaCoverage: 1 },
      progress: { criteriaGraded: criteria, criteriaUngraded: 0, conversationsFailed: 0 },
    });
    expect(run.score.value).toBeCloseTo(expectedNumbers(list, 'test-model', 'test-grader').value, 9);
    const rows = await assay.services.db.$queryRaw<{ n: number; distinct: number; last: number }[]>`
      SELECT count(*)::int AS n, count(DISTINCT (ordinal, criterion_no))::int AS distinct, max(sequence) AS last
      FROM criterion_verdict`;
    expect(rows[0]).toEqual({ n: criteria, distinct: criteria, last: criteria });
    // What was in flight when the process died is asked again; nothing else.
    expect(provider.stats().repeatedOk).toBeLessThanOrEqual(Math.max(inFlight, 16));
  }, 90_000);
});

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { EndpointLimiter } from '../src/scheduling/endpointLimiter.js';
import { ModelMemory } from '../src/scheduling/modelMemory.js';
import { type SimulatedProvider, startSimulatedProvider } from '../src/simulator/simulatedProvider.js';
import { startWorkers, type Workers } from '../src/startWorkers.js';
import { Assay, type Data, type Team } from './support/assay.js';
import { conversations, jsonl } from './support/dataset.js';

const prices = [
  { model: 'test-model', promptUsdPerMillion: 2, completionUsdPerMillion: 8 },
  { model: 'test-grader', promptUsdPerMillion: 0.4, completionUsdPerMillion: 1.6 },
];
/** Every way in which a call can fail and be made again. */
const faults = { fail429: 0.08, fail500: 0.08, failEmpty: 0.05, failReset: 0.04, retryAfterSeconds: 0.01 };
const bounded = { modelUnderTest: { maxTokens: 400 }, grader: { maxTokens: 150 } };

describe('the budget of a run', () => {
  let assay: Assay;
  let team: Team;
  let provider: SimulatedProvider;
  let workers: Workers[];
  let datasetId: string;

  beforeAll(async () => {
    provider = await startSimulatedProvider({ latencyMs: 4, ...faults });
    assay = await Assay.start({ workers: false });
    team = await assay.team();
    await team.endpoint(provider.url, { maxConcurrency: 16, prices });
    datasetId = (await team.dataset(jsonl(conversations(60)))).id;
    // As three processes would: nothing is shared but the database.
    workers = [1, 2, 3].map(() =>
      startWorkers(assay.services, {
        maxAttempts: 12,
        backoffBaseMs: 2,
        backoffCapMs: 20,
        limiter: new EndpointLimiter(),
        memory: new ModelMemory(),
      }),
    );
  });
  afterAll(async () => {
    await Promise.all(workers.map((worker) => worker.stop(2_000)));
    await assay.close();
    await provider.close();
  });

  const budgetFields = 'budget { maxCostUsd maxCalls maxTokens spentCostUsd spentCalls spentTokens repliesAreBounded }';
  const usageFields = 'usage { calls totalTokens costUsd costUnknownReason }';

  /** Follows a run until it is `wanted` and nothing is reserved any more; `look` sees what is spent and reserved. */
  const settled = async (runId: string, wanted: string, look: (sum: Data) => void = () => {}): Promise<Data> => {
    for (;;) {
      const [sum] = await assay.services.db.$queryRaw<Data[]>`
        SELECT spent_calls + coalesce(sum(calls), 0)::int AS calls, spent_tokens + coalesce(sum(tokens), 0)::bigint AS tokens,
          spent_cost + coalesce(sum(cost), 0)::bigint AS cost, count(holder)::int AS holds
        FROM run_budget LEFT JOIN budget_hold USING (run_id)
        WHERE run_id = ${uuidOf(runId)}::uuid GROUP BY spent_calls, spent_tokens, spent_cost`;
      look(sum as Data);
      const run = await team.run(runId, `status statusReason ${budgetFields} ${usageFields}`);
      const { inFlight } = provider.stats();
      if (run.status === wanted && sum?.holds === 0 && inFlight === 0) return run;
      if (['COMPLETED', 'FAILED', 'PAUSED'].includes(run.status) && run.status !== wanted) {
        throw new Error(`${run.status}: ${run.statusReason}`);
      }
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  };

  it('is never passed by three workers with retries, then goes on when it is raised', async () => {
    const before = provider.stats().calls;
    const runId = await team.start({ datasetId, ...bounded, budget: { maxCalls: 150 } });
    const paused = await settled(runId, 'PAUSED', ({ calls }) => expect(calls).toBeLessThanOrEqual(150));
    expect(paused.statusReason).toMatch(/^BUDGET: .*150 calls.*updateRunBudget/);
    expect(provider.stats().calls - before).toBe(150);
    expect(paused.budget).toMatchObject({ maxCalls: 150, spentCalls: 150, maxCostUsd: null });
    // What was in flight at the pause is stored a moment later, in batches.
    for (let calls = 0; calls < 150; ) ({ calls } = (await team.run(runId, usageFields)).usage);
    expect((await team.run(runId, usageFields)).usage.calls).toBe(150);

    await team.mutate('updateRunBudget', { runId, maxCalls: 100_000 }, 'run { budget { maxCalls spentCalls } }');
    await team.mutate('resumeRun', { runId }, 'run { status }');
    const done = await settled(runId, 'COMPLETED');
    expect(done.usage.calls).toBe(provider.stats().calls - before);
    expect(done.budget.spentCalls).toBe(done.usage.calls);
  });

  it('holds in dollars: reserved and spent together never pass the limit', async () => {
    const runId = await team.start({ datasetId, ...bounded, budget: { maxCostUsd: 0.04 } });
    const limit = 40_000_000_000n;
    const paused = await settled(runId, 'PAUSED', ({ cost }) => expect(BigInt(cost)).toBeLessThanOrEqual(limit));
    expect(paused.statusReason).toMatch(/^BUDGET: .* of 0\.040000 USD are spent/);
    const { budget, usage } = paused;
    expect(budget).toMatchObject({ maxCostUsd: 0.04, repliesAreBounded: true });
    // Calls that broke off are charged with what they could have used, so the charge is the higher one.
    expect(usage.costUsd).toBeGreaterThan(0.01);
    expect(budget.spentCostUsd).toBeGreaterThanOrEqual(usage.costUsd);
    expect(budget.spentCostUsd).toBeLessThanOrEqual(0.04);
    await team.mutate('cancelRun', { runId }, 'run { status }');
  });

  it('holds in tokens', async () => {
    const runId = await team.start({ datasetId, ...bounded, budget: { maxTokens: 60_000 } });
    const paused = await settled(runId, 'PAUSED', ({ tokens }) => expect(Number(tokens)).toBeLessThanOrEqual(60_000));
    expect(paused.usage.totalTokens).toBeLessThanOrEqual(paused.budget.spentTokens);
    expect(paused.usage.totalTokens).toBeGreaterThan(20_000);
    await team.mutate('cancelRun', { runId }, 'run { status }');
  });

  it('charges what a dead process had reserved', async () => {
    const runId = await team.start({
      datasetId,
      ...bounded,
      sample: { method: 'FIRST', size: 2 },
      budget: { maxCalls: 500 },
    });
    await assay.services.db.$executeRaw`
      INSERT INTO budget_hold SELECT run_id, gen_random_uuid(), team_id, 7, 70, 700, now() - interval '1 second'
      FROM run_budget WHERE run_id = ${uuidOf(runId)}::uuid`;
    const done = await settled(runId, 'COMPLETED');
    expect(done.budget.spentCalls).toBe(done.usage.calls + 7);
  });

  it('pauses again at once when it is resumed without more', async () => {
    const runId = await team.start({ datasetId, ...bounded, budget: { maxCalls: 5 } });
    await settled(runId, 'PAUSED');
    await team.mutate('resumeRun', { runId }, 'run { status }');
    const paused = await settled(runId, 'PAUSED');
    expect(paused.budget.spentCalls).toBeLessThanOrEqual(5);
    const update = (input: Data) => team.tryMutate('updateRunBudget', { runId, ...input }, 'run { id }');
    expect((await update({ maxCalls: 0 })).userErrors).toMatchObject([{ path: ['maxCalls'] }]);
    await team.mutate('cancelRun', { runId }, 'run { status }');
    expect((await update({ maxCalls: 10 })).userErrors).toMatchObject([{ code: 'CONFLICT' }]);
  });

  it('takes a limit away, and cannot be given to a run that began without', async () => {
    const runId = await team.start({
      datasetId,
      budget: { maxCalls: 3, maxTokens: 1e9 },
      sample: { method: 'FIRST', size: 2 },
    });
    await settled(runId, 'PAUSED');
    const updated = await team.mutate('updateRunBudget', { runId, maxCalls: null }, `run { ${budgetFields} }`);
    expect(updated.run.budget).toMatchObject({ maxCalls: null, maxTokens: 1e9, repliesAreBounded: false });
    await team.mutate('resumeRun', { runId }, 'run { status }');
    await settled(runId, 'COMPLETED');
    const free = await team.start({ datasetId, sample: { method: 'FIRST', size: 1 } });
    expect((await team.run(free, budgetFields)).budget).toBeNull();
    const late = await team.tryMutate('updateRunBudget', { runId: free, maxCalls: 9 }, 'run { id }');
    expect(late.userErrors).toMatchObject([{ code: 'CONFLICT', path: ['runId'] }]);
  });
});

const uuidOf = (id: string): string => Buffer.from(id, 'base64url').toString().split(':')[1] as string;

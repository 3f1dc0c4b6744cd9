import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { type SimulatedProvider, startSimulatedProvider } from '../src/simulator/simulatedProvider.js';
import { Assay, type Team } from './support/assay.js';
import { expectComplete, until } from './support/consistency.js';
import { conversations, jsonl, type TestConversation } from './support/dataset.js';

const CALLS = 8;
const LATENCY_MS = 50;

/** Conversations whose prompts, and so whose calls at the provider, begin with `name`. */
function named(name: string, count: number): TestConversation[] {
  return conversations(count).map((conversation) => ({
    ...conversation,
    promptId: `${name}-${conversation.promptId}`,
  }));
}

describe('a small run behind a large one', () => {
  let assay: Assay;
  let provider: SimulatedProvider;

  beforeAll(async () => {
    assay = await Assay.start();
  });
  beforeEach(async () => {
    provider = await startSimulatedProvider({ latencyMs: LATENCY_MS, logCalls: true });
  });
  afterEach(() => provider.close());
  afterAll(() => assay.close());

  const start = async (team: Team, name: string, count: number) =>
    team.start({ datasetId: (await team.dataset(jsonl(named(name, count)))).id });

  /** The names of the runs in the order in which their calls arrived, from the first call of `small` to its last. */
  function turns(small: string): string[] {
    const order = provider.stats().log.map(({ prompt }) => /Question (\w+)-prompt/.exec(prompt)?.[1] ?? '?');
    return order.slice(order.indexOf(small), order.lastIndexOf(small) + 1);
  }

  it('gets every second call of the endpoint that they share', async () => {
    const team = await assay.team();
    await team.endpoint(provider.url, { maxConcurrency: CALLS });
    const large = await start(team, 'large', 1_000);
    await until(() => provider.stats().calls > 100);
    const before = provider.stats().calls;
    const small = await start(team, 'small', 10);
    const calls = 10 + named('small', 10).reduce((sum, { criteria }) => sum + criteria.length, 0);
    await until(async () => (await team.run(small, 'status')).status === 'COMPLETED');

    const order = turns('small');
    expect(order.filter((name) => name === 'small')).toHaveLength(calls);
    const others = order.filter((name) => name === 'large').length;
    // Each call of the small run lets one of the large one pass; between its two steps, and when few of its calls
    // are left, the large one uses what is free: no more than the work in flight each time.
    expect(others).toBeLessThanOrEqual(calls + 6 * CALLS);
    const log = provider.stats().log;
    const firstCall = log.findIndex(({ prompt }) => prompt.includes('Question small-'));
    expect(firstCall - before).toBeLessThanOrEqual(12 * CALLS);
    expect((await team.run(large, 'status')).status).toBe('RUNNING');
    await team.mutate('cancelRun', { runId: large }, 'run { status }');
    await expectComplete(assay, small);
  });

  it('does not wait for another team’s at all: each has its endpoint, and the workers have places for both', async () => {
    const [one, other] = [await assay.team(), await assay.team()];
    // So narrow that its conversations would wait in every place that there is.
    await one.endpoint(provider.url, { maxConcurrency: 1 });
    await other.endpoint(provider.url, { maxConcurrency: CALLS });
    const large = await start(one, 'large', 1_000);
    await until(() => provider.stats().calls > 5);
    const small = await start(other, 'small', 10);
    await until(async () => (await other.run(small, 'status')).status === 'COMPLETED', 10);
    const order = turns('small');
    expect(order.filter((name) => name === 'large').length).toBeLessThan(order.length / 4);
    await one.mutate('cancelRun', { runId: large }, 'run { status }');
  });

  it('lets a run that came first go on when another large one comes: both take turns', async () => {
    const team = await assay.team();
    await team.endpoint(provider.url, { maxConcurrency: CALLS });
    const first = await start(team, 'first', 400);
    await until(() => provider.stats().calls > 300);
    const second = await start(team, 'second', 400);
    await until(() => provider.stats().calls > 900);
    const order = turns('second');
    const share = order.filter((name) => name === 'first').length / order.length;
    expect(share).toBeGreaterThan(0.35);
    expect(share).toBeLessThan(0.65);
    for (const runId of [first, second]) await team.mutate('cancelRun', { runId }, 'run { status }');
  });
});

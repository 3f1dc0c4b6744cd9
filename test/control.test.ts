import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { type SimulatedProvider, startSimulatedProvider } from '../src/simulator/simulatedProvider.js';
import { Assay, type Team } from './support/assay.js';
import { expectComplete, expectConsistent, until } from './support/consistency.js';
import { conversations, jsonl } from './support/dataset.js';

const CALLS = 8;
const list = conversations(40);
const ms = (length: number) => new Promise((resolve) => setTimeout(resolve, length));

describe('stopping runs', () => {
  let assay: Assay;
  let team: Team;
  let provider: SimulatedProvider;
  let grader: SimulatedProvider;
  let endpoint: string;
  let graderEndpoint: string;
  let datasetId: string;

  beforeAll(async () => {
    assay = await Assay.start();
  });
  beforeEach(async () => {
    provider = await startSimulatedProvider({ latencyMs: 60 });
    grader = await startSimulatedProvider({ latencyMs: 60 });
    team = await assay.team();
    endpoint = await team.endpoint(provider.url, { maxConcurrency: CALLS });
    graderEndpoint = await team.endpoint(grader.url, { maxConcurrency: CALLS });
    datasetId = (await team.dataset(jsonl(list))).id;
  });
  afterEach(async () => {
    await provider.close();
    await grader.close();
  });
  afterAll(() => assay.close());

  const start = (more = {}) => team.start({ datasetId, grader: { endpointId: graderEndpoint }, ...more });
  const statusOf = async (runId: string) => (await team.run(runId, 'status')).status;

  it('pauses within a second: what is in flight is finished and kept, and nothing is asked twice', async () => {
    grader.configure({ latencyMs: 1_500 });
    const runId = await start();
    await until(() => grader.stats().inFlight === CALLS);
    await team.mutate('pauseRun', { runId }, 'run { status }');
    await ms(1_000);
    const calls = provider.stats().calls + grader.stats().calls;
    const inFlight = grader.stats().inFlight;
    await until(() => grader.stats().inFlight === 0);
    expect(provider.stats().calls + grader.stats().calls).toBe(calls);
    await until(async () => (await team.run(runId, 'progress { criteriaGraded }')).progress.criteriaGraded >= inFlight);
    expect(grader.stats().failed).toEqual({});
    await expectConsistent(assay, runId);

    grader.configure({ latencyMs: 5 });
    await team.mutate('resumeRun', { runId }, 'run { status }');
    await until(async () => (await statusOf(runId)) === 'COMPLETED');
    await expectComplete(assay, runId);
    expect(provider.stats().repeatedOk + grader.stats().repeatedOk).toBe(0);
  });

  it('cancels within a second: calls in flight are aborted, and what has arrived is kept', async () => {
    const runId = await start();
    await until(() => grader.stats().ok > 20);
    grader.configure({ latencyMs: 30_000 });
    // Calls that began before answer soon; these do not.
    const begun = grader.stats().calls;
    await until(() => grader.stats().calls - begun >= CALLS && grader.stats().inFlight === CALLS);
    await team.mutate('cancelRun', { runId }, 'run { status }');
    await until(() => grader.stats().inFlight === 0, 1);
    expect(grader.stats().failed.dropped).toBeGreaterThanOrEqual(CALLS);
    await ms(300);
    const row = await expectConsistent(assay, runId);
    expect(row).toMatchObject({ status: 'CANCELLED', verdicts: grader.stats().ok });
  });

  it('pauses every run at an endpoint whose key is refused, with the reason and the role, and no other', async () => {
    const elsewhere = await team.start({ datasetId, grader: { endpointId: endpoint } });
    const both = await start();
    const graded = await start({ modelUnderTest: { endpointId: endpoint } });
    await until(() => grader.stats().ok > 5);
    grader.configure({ alwaysUnauthorized: true });
    for (const runId of [both, graded]) await until(async () => (await statusOf(runId)) === 'PAUSED');
    expect(await team.run(both, 'statusReason')).toEqual({
      statusReason: expect.stringMatching(/^Grader: .*\(auth\)/),
    });
    const calls = grader.stats().calls;
    await ms(500);
    expect(grader.stats().calls).toBe(calls);
    expect(['RUNNING', 'COMPLETED']).toContain(await statusOf(elsewhere));
    grader.configure({ alwaysUnauthorized: false, latencyMs: 1 });
    for (const runId of [both, graded]) {
      await team.mutate('resumeRun', { runId }, 'run { status }');
      await until(async () => (await statusOf(runId)) === 'COMPLETED');
      await expectComplete(assay, runId);
    }
  });

  it('pauses only the runs with that model when it is gone', async () => {
    provider.configure({ models: ['test-model'] });
    const good = await start();
    const gone = await start({ modelUnderTest: { endpointId: endpoint, model: 'gone' } });
    await until(async () => (await statusOf(gone)) === 'PAUSED');
    expect((await team.run(gone, 'statusReason')).statusReason).toMatch(/^Model under test: .*\(model_not_found\)/);
    await until(async () => (await statusOf(good)) === 'COMPLETED');
  });

  it('has a breaker for each role: a grader that never gives a verdict pauses the run before all is paid for', async () => {
    grader.configure({ failMalformed: 1, latencyMs: 1 });
    const runId = await start();
    await until(async () => (await statusOf(runId)) === 'PAUSED', 60);
    const run = await team.run(runId, 'statusReason progress { conversationsUngraded }');
    expect(run.statusReason).toMatch(/^Grader: the last 20 conversations got no verdict/);
    expect(run.progress.conversationsUngraded).toBeLessThan(list.length);
    await expectConsistent(assay, runId);
    // Once it is mended: what was ungraded stays so until somebody retries it; the others are graded.
    grader.configure({ failMalformed: 0 });
    await team.mutate('resumeRun', { runId }, 'run { status }');
    await until(async () => (await statusOf(runId)) === 'COMPLETED');
    await team.mutate('retryRun', { runId }, 'run { status }');
    await until(async () => (await statusOf(runId)) === 'COMPLETED');
    await expectComplete(assay, runId);
  });
});

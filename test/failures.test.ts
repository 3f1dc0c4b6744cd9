import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { type SimulatedProvider, startSimulatedProvider } from '../src/simulator/simulatedProvider.js';
import { Assay, type Data, type Team } from './support/assay.js';
import { conversations, jsonl } from './support/dataset.js';
import { expectedNumbers, SEED } from './support/expected.js';

const list = conversations(6);
const criteria = list.reduce((sum, conversation) => sum + conversation.criteria.length, 0);
const SUMMARY = `status statusReason scoreUnavailableReason score { value n coverage criteriaCoverage }
  progress { conversationsScored conversationsUngraded conversationsFailed criteriaGraded criteriaUngraded }
  positiveCriteria { graded rate }`;

describe('a failure is never a verdict', () => {
  let assay: Assay;
  let team: Team;
  let provider: SimulatedProvider;
  let grader: SimulatedProvider;
  let datasetId: string;
  let graderEndpoint: string;

  beforeAll(async () => {
    assay = await Assay.start();
  });
  afterAll(() => assay.close());

  beforeEach(async () => {
    provider = await startSimulatedProvider({ seed: SEED, logCalls: true });
    grader = await startSimulatedProvider({ seed: SEED, logCalls: true });
    team = await assay.team();
    await team.endpoint(provider.url);
    graderEndpoint = await team.endpoint(grader.url);
    datasetId = (await team.dataset(jsonl(list))).id;
  });
  afterEach(async () => {
    await provider.close();
    await grader.close();
  });

  const start = () => team.start({ datasetId, grader: { endpointId: graderEndpoint } });
  const finish = async (runId: string) => {
    await team.watch(runId);
    return team.run(runId, SUMMARY);
  };
  const until = async (runId: string, status: string) => {
    for await (const { runProgress } of team.subscribe(
      'subscription ($id: ID!) { runProgress(runId: $id) { status } }',
      { id: runId },
    )) {
      if (runProgress.status === status) return;
    }
    throw new Error(`the run never became ${status}`);
  };

  it('leaves unreadable grader replies ungraded, with the reason, out of every score, and retries only them', async () => {
    grader.configure({ failMalformed: 1 });
    const runId = await start();
    const failed = await finish(runId);
    expect(failed).toMatchObject({
      status: 'FAILED',
      score: null,
      scoreUnavailableReason: 'No conversation could be scored.',
      progress: { conversationsScored: 0, conversationsUngraded: 6, criteriaGraded: 0, criteriaUngraded: criteria },
      positiveCriteria: { graded: 0, rate: null },
    });
    const { conversations: page } = await team.run(
      runId,
      'conversations { nodes { status reason message score results { pointsLost verdict { criteriaMet } ungraded { reason message attempts } } } }',
    );
    for (const node of page.nodes) {
      expect(node).toMatchObject({ status: 'UNGRADED', score: null, message: expect.stringContaining('ungraded') });
      for (const result of node.results) {
        expect(result).toMatchObject({ verdict: null, pointsLost: 0, ungraded: { attempts: expect.any(Number) } });
        expect(result.ungraded.attempts).toBeGreaterThan(1);
      }
    }
    const kept = await assay.services.db.failedCall.count({ where: { criterionNo: { not: null } } });
    expect(kept).toBeGreaterThanOrEqual(criteria);

    grader.configure({ failMalformed: 0 });
    const generated = provider.stats().calls;
    await team.mutate('retryRun', { runId }, 'run { status }');
    const done = await finish(runId);
    expect(done).toMatchObject({
      status: 'COMPLETED',
      score: { n: 6, coverage: 1, criteriaCoverage: 1 },
      progress: { conversationsScored: 6, conversationsUngraded: 0, criteriaGraded: criteria, criteriaUngraded: 0 },
    });
    expect(done.score.value).toBeCloseTo(expectedNumbers(list, 'test-model', 'test-grader').value, 9);
    expect(provider.stats().calls).toBe(generated);
    const again = await team.tryMutate('retryRun', { runId }, 'run { id }');
    expect(again.userErrors).toMatchObject([{ code: 'INVALID_INPUT', message: expect.stringContaining('Nothing') }]);
  });

  it('never sends a failed reply of the model under test to the grader', async () => {
    provider.configure({ failEmpty: 1 });
    const runId = await start();
    expect(await finish(runId)).toMatchObject({ status: 'FAILED', progress: { conversationsFailed: 6 } });
    expect(grader.stats().calls).toBe(0);
    const { conversations: page } = await team.run(runId, 'conversations { nodes { status reason reply { text } } }');
    expect(page.nodes).toEqual(Array(6).fill({ status: 'FAILED', reason: 'empty', reply: null }));
    provider.configure({ failEmpty: 0 });
    await team.mutate('retryRun', { runId }, 'run { status }');
    expect(await finish(runId)).toMatchObject({ status: 'COMPLETED', score: { coverage: 1 } });
  });

  it('shows what is missing as coverage, and scores only what is complete', async () => {
    // A share of the questions fails for good: every attempt at them.
    grader.configure({ failMalformed: 0.6 });
    const runId = await start();
    const run = await finish(runId);
    const { progress, score } = run;
    expect(progress.conversationsScored + progress.conversationsUngraded).toBe(6);
    if (score !== null) {
      expect(score.coverage).toBeCloseTo(progress.conversationsScored / 6, 12);
      expect(score.criteriaCoverage).toBeCloseTo(progress.criteriaGraded / criteria, 12);
    }
    expect(progress.criteriaGraded + progress.criteriaUngraded).toBe(criteria);
  });

  it.each([
    ['Model under test', () => provider],
    ['Grader', () => grader],
  ])(
    'pauses the run with the reason when every call to the %s is refused, and goes on when it is mended',
    async (who, which) => {
      which().configure({ alwaysUnauthorized: true });
      const runId = await start();
      await until(runId, 'PAUSED');
      const paused = await team.run(runId, SUMMARY);
      expect(paused.statusReason).toContain(who);
      expect(paused.statusReason).toContain('auth');
      expect(paused.progress).toMatchObject({ conversationsFailed: 0, criteriaUngraded: 0 });
      // It stopped after a few calls, not after one per question.
      expect(which().stats().calls).toBeLessThanOrEqual(criteria);
      which().configure({ alwaysUnauthorized: false });
      await team.mutate('resumeRun', { runId }, 'run { status }');
      expect(await finish(runId)).toMatchObject({ status: 'COMPLETED', score: { coverage: 1 } });
    },
  );

  it('steps down from json_schema when the grader refuses it, and remembers', async () => {
    grader.configure({ refuseJsonSchema: true });
    const runId = await start();
    expect(await finish(runId)).toMatchObject({ status: 'COMPLETED', score: { coverage: 1 } });
    const refused = grader.stats().failed.refused ?? 0;
    expect(refused).toBeGreaterThan(0);
    expect(refused).toBeLessThan(criteria);
  });

  it('survives hangs, resets, cut bodies and errors in place of replies', async () => {
    grader.configure({ failReset: 0.1, fail500: 0.1, failEmpty: 0.1 });
    provider.configure({ failReset: 0.3 });
    const runId = await start();
    const run = await finish(runId);
    expect(run).toMatchObject({ status: 'COMPLETED', score: { coverage: 1 } });
    expect(run.score.value).toBeCloseTo(expectedNumbers(list, 'test-model', 'test-grader').value, 9);
  });

  it('sends what the run froze, and never the canary, tags or rubric to the model under test', async () => {
    const settings = { systemMessage: 'You are careful.', temperature: 0.7, reasoningEffort: 'low', maxTokens: 321 };
    const runId = await team.start({ datasetId, modelUnderTest: settings, grader: { endpointId: graderEndpoint } });
    await finish(runId);
    const texts = provider.stats().log.map((call: Data) => call.prompt);
    expect(texts.length).toBe(6);
    for (const text of [...texts, ...grader.stats().log.map((call: Data) => call.prompt)]) {
      expect(text).not.toContain('invented-canary');
    }
    for (const text of texts) expect(text).not.toMatch(/Criterion \d|theme:|axis:/);
    // The grader sees the messages as they were sent, the system message included.
    expect(grader.stats().log[0]?.prompt).toContain('system: You are careful.');
  });

  it('pauses at once, keeps what is in flight, resumes without asking anything twice, and cancels for good', async () => {
    grader.configure({ latencyMs: 30 });
    const runId = await start();
    const some = team.subscribe('subscription ($id: ID!) { runVerdicts(runId: $id) { cursor } }', { id: runId });
    for await (const { runVerdicts } of some) if (runVerdicts.cursor > 5) break;
    await team.mutate('pauseRun', { runId }, 'run { status }');
    await until(runId, 'PAUSED');
    await new Promise((resolve) => setTimeout(resolve, 300));
    const calls = grader.stats().calls;
    await new Promise((resolve) => setTimeout(resolve, 300));
    expect(grader.stats().calls).toBe(calls);
    await team.mutate('resumeRun', { runId }, 'run { status }');
    expect(await finish(runId)).toMatchObject({ status: 'COMPLETED', score: { coverage: 1 } });
    expect(grader.stats().repeatedOk).toBe(0);

    const second = await start();
    await team.mutate('cancelRun', { runId: second }, 'run { status }');
    const batches = await team.watch(second);
    expect(batches.at(-1)?.runStatus).toBe('CANCELLED');
  });
});

import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { noFaults } from '../src/simulator/faults.js';
import { type SimulatedProvider, startSimulatedProvider } from '../src/simulator/simulatedProvider.js';
import { Assay, type Data, type Team } from './support/assay.js';
import { conversations, jsonl } from './support/dataset.js';

const list = conversations(20);
const criteria = list.reduce((sum, conversation) => sum + conversation.criteria.length, 0);
const price = { model: 'test-model', promptUsdPerMillion: 2.5, completionUsdPerMillion: 10 };
const graderPrice = { model: 'test-grader', promptUsdPerMillion: 0.15, completionUsdPerMillion: 0.6 };
const usage = `usage { calls totalTokens costUsd costUnknownReason
  model { calls promptTokens completionTokens cachedTokens unmeasuredCalls costUsd costUnknownReason }
  grader { calls promptTokens completionTokens cachedTokens unmeasuredCalls costUsd costUnknownReason } }`;

describe('what a run costs', () => {
  let assay: Assay;
  let team: Team;
  let provider: SimulatedProvider;
  let datasetId: string;
  let priced: string;
  let unpriced: string;

  beforeAll(async () => {
    provider = await startSimulatedProvider();
    assay = await Assay.start();
    team = await assay.team();
    unpriced = await team.endpoint(provider.url, { maxConcurrency: 8 });
    priced = await team.endpoint(provider.url, { maxConcurrency: 8, prices: [price, graderPrice] });
    datasetId = (await team.dataset(jsonl(list))).id;
  });
  afterAll(async () => {
    await assay.close();
    await provider.close();
  });

  // Also after a test that threw: its faults would show in the next one's numbers.
  afterEach(() => provider.configure({ ...noFaults }));

  const on = (endpointId: string) => ({ datasetId, modelUnderTest: { endpointId }, grader: { endpointId } });
  const model = 'model calls promptTokens completionTokens latencyMs latencyMeasured costUsd costUnknownReason';
  const estimate = (input: Data) =>
    assay.graphql(
      `query ($input: StartRunInput!) { estimateRun(input: $input) { conversations criteria calls totalTokens seconds
        costUsd costUnknownReason budgetWarnings modelUnderTest { ${model} } grader { ${model} } } }`,
      { input },
      team.key,
    );
  const estimated = async (input: Data): Promise<Data> => {
    const { data, errors } = await estimate(input);
    if (errors !== undefined) throw new Error(JSON.stringify(errors));
    return data?.estimateRun;
  };
  const finish = async (input: Data, selection: string): Promise<Data> => {
    const runId = await team.start(input);
    await team.watch(runId);
    return team.run(runId, selection);
  };

  describe('estimated before anything is spent', () => {
    it('counts calls exactly, and tokens from the texts', async () => {
      const found = await estimated({ ...on(priced), repeats: 3 });
      expect(found).toMatchObject({ conversations: 60, criteria: 3 * criteria, calls: 60 + 3 * criteria });
      expect(found.modelUnderTest).toMatchObject({ calls: 60, completionTokens: 60 * 500, latencyMeasured: false });
      expect(found.grader).toMatchObject({ calls: 3 * criteria, completionTokens: 3 * criteria * 92 });
      const cost = ({ promptUsdPerMillion, completionUsdPerMillion }: typeof price, tokens: Data) =>
        (promptUsdPerMillion * tokens.promptTokens + completionUsdPerMillion * tokens.completionTokens) / 1e6;
      expect(found.modelUnderTest.costUsd).toBeCloseTo(cost(price, found.modelUnderTest), 12);
      expect(found.costUsd).toBeCloseTo(cost(price, found.modelUnderTest) + cost(graderPrice, found.grader), 12);
      expect(provider.stats().calls).toBe(0);
      expect((await team.query('{ runs { totalCount } }')).runs.totalCount).toBe(0);
    });

    it('says that the cost is unknown without a price, and never 0', async () => {
      expect(await estimated(on(unpriced))).toMatchObject({
        costUsd: null,
        costUnknownReason: expect.stringContaining('no price'),
        grader: { costUsd: null, costUnknownReason: expect.stringContaining('test-grader') },
      });
    });

    it('takes less for a cap, and the time from the limit on calls in flight', async () => {
      const found = await estimated({ ...on(priced), modelUnderTest: { endpointId: priced, maxTokens: 50 } });
      expect(found.modelUnderTest.completionTokens).toBe(20 * 50);
      const total = [found.modelUnderTest, found.grader].reduce((sum, m) => sum + m.calls * m.latencyMs, 0);
      expect(found.seconds).toBeCloseTo(total / 8 / 1000, 6);
    });

    it('takes the time from the calls or the tokens of a minute where these are less', async () => {
      const limited = async (limits: Data) => {
        const endpointId = await team.endpoint(provider.url, { maxConcurrency: 100, ...limits });
        return estimated({ ...on(endpointId), sample: { method: 'FIRST', size: 5 } });
      };
      const calls = await limited({ requestsPerMinute: 6 });
      expect(calls.seconds).toBeCloseTo(calls.calls * 10, 6);
      const tokens = await limited({ tokensPerMinute: 60 });
      expect(tokens.seconds).toBeCloseTo(tokens.totalTokens, 6);
    });

    it('warns of a budget that will not do', async () => {
      const budget = { maxCalls: 10, maxCostUsd: 0.001, maxTokens: 100 };
      const { budgetWarnings } = await estimated({ ...on(priced), budget });
      expect(budgetWarnings.join()).toMatch(/maxCostUsd.*maxCalls.*maxTokens/);
      expect((await estimated({ ...on(priced), budget: { maxCalls: 1e6 } })).budgetWarnings).toEqual([]);
    });

    it.each([
      [{ repeats: 0 }, /between 1 and 100/],
      [{ sample: { method: 'FIRST' } }, /needs a size/],
      [{ grader: { templateId: 'x' } }, /not found/],
      [{ budget: { maxCalls: 1.5e9, maxTokens: 0.5 } }, /whole number/],
    ])('refuses %j as startRun does', async (input, message) => {
      const { errors } = await estimate({ datasetId, ...input });
      expect(errors?.[0]?.message).toMatch(message);
      const { userErrors } = await team.tryMutate('startRun', { datasetId, ...input }, 'run { id }');
      expect(userErrors[0].message).toBe(errors?.[0]?.message);
    });
  });

  it('is near the estimate once it is known, and exact to the token', async () => {
    const before = await estimated(on(priced));
    const run = await finish(on(priced), `${usage} modelUnderTest { price { promptUsdPerMillion } }`);
    expect(run.usage.model).toMatchObject({ calls: 20, unmeasuredCalls: 0, cachedTokens: null });
    const { model: asked, grader } = run.usage;
    const micro =
      2.5 * asked.promptTokens +
      10 * asked.completionTokens +
      0.15 * grader.promptTokens +
      0.6 * grader.completionTokens;
    expect(run.usage.costUsd).toBeCloseTo(micro / 1e6, 12);
    expect(run.usage.costUsd).toBeCloseTo(asked.costUsd + grader.costUsd, 12);
    // Prompts follow the texts; the simulated replies are shorter than those of real models.
    expect(grader.promptTokens / before.grader.promptTokens).toBeGreaterThan(0.5);
    expect(grader.promptTokens / before.grader.promptTokens).toBeLessThan(1.2);
    const after = await estimated(on(priced));
    expect(after.grader).toMatchObject({ latencyMeasured: true });
    expect(after.grader.latencyMs).toBeLessThan(1000);
  });

  it('keeps the prices of its start, and is unknown without one', async () => {
    const runId = await team.start({ ...on(priced), sample: { method: 'FIRST', size: 2 } });
    const twice = [{ ...price, promptUsdPerMillion: 5 }, graderPrice];
    await team.mutate('updateModelEndpoint', { endpointId: priced, prices: twice }, 'modelEndpoint { id }');
    await team.watch(runId);
    const run = await team.run(runId, `${usage} modelUnderTest { price { model promptUsdPerMillion } }`);
    expect(run.modelUnderTest.price).toEqual({ model: 'test-model', promptUsdPerMillion: 2.5 });
    await team.mutate(
      'updateModelEndpoint',
      { endpointId: priced, prices: [price, graderPrice] },
      'modelEndpoint { id }',
    );
    const free = await finish({ ...on(unpriced), sample: { method: 'FIRST', size: 2 } }, usage);
    expect(free.usage).toMatchObject({ costUsd: null, costUnknownReason: expect.stringContaining('no price') });
  });

  it('counts replies that were rejected, call by call', async () => {
    provider.configure({ failEmpty: 0.2, fail429: 0.1, retryAfterSeconds: 0.01 });
    const input = {
      ...on(priced),
      name: 'rejected',
      sample: { method: 'FIRST', size: 10 },
      grader: { endpointId: priced, model: 'other-grader' },
    };
    const run = await finish(
      input,
      `${usage} failedCalls(first: 200) { totalCount nodes { asked errorClass reason status message raw latencyMs at criterionNo
         usage { promptTokens completionTokens costUsd costUnknownReason } } }
       conversations(first: 10) { nodes {
         reply { attempts usage { promptTokens completionTokens costUsd } }
         failedCalls { asked usage { promptTokens completionTokens } }
         results { failedCalls { asked } criterion { no } verdict { attempts usage { promptTokens completionTokens costUnknownReason } } } } }`,
    );
    const calls = run.failedCalls.nodes;
    expect(calls.length).toBe(run.failedCalls.totalCount);
    const rejected = calls.find((call: Data) => call.reason === 'empty' && call.asked === 'GRADER');
    expect(rejected).toMatchObject({
      errorClass: 'RETRY_LATER',
      status: 200,
      raw: expect.stringContaining('choices'),
      usage: {
        promptTokens: expect.any(Number),
        costUsd: null,
        costUnknownReason: expect.stringContaining('no price'),
      },
    });
    expect(calls.find((call: Data) => call.status === 429)).toMatchObject({
      reason: 'rate_limited',
      usage: { promptTokens: null },
    });
    // The sums are those of the parts.
    const nodes: Data[] = run.conversations.nodes;
    const tokens = (parts: Data[]) =>
      parts.reduce((sum, { usage: u }) => sum + (u.promptTokens ?? 0) + (u.completionTokens ?? 0), 0);
    const verdicts = nodes.flatMap((node) => node.results.map((row: Data) => row.verdict));
    expect(tokens(calls) + tokens(verdicts) + tokens(nodes.map((node) => node.reply))).toBe(run.usage.totalTokens);
    expect(nodes.flatMap((node) => node.failedCalls).length).toBe(calls.length);
    const attempts = [...verdicts, ...nodes.map((node) => node.reply)].reduce((sum, { attempts: n }) => sum + n, 0);
    expect(attempts).toBe(run.usage.calls);
    for (const row of nodes.flatMap((node) => node.results))
      expect(row.failedCalls.length).toBe(row.verdict.attempts - 1);
  });

  it('filters and pages failed calls, and shows what arrived to runners only', async () => {
    const { runs } = await team.query('{ runs(filter: { name: "rejected" }) { nodes { id } } }');
    const query = `query ($id: ID!, $f: FailedCallFilter, $after: String) { run(id: $id) {
      failedCalls(first: 7, filter: $f, after: $after) { totalCount nodes { reason asked raw } pageInfo { hasNextPage endCursor } } } }`;
    const id = runs.nodes[0].id;
    const seen: Data[] = [];
    for (let after: string | null = null, more = true; more; ) {
      const page: Data = (await team.query(query, { id, f: { reason: 'rate_limited', asked: 'GRADER' }, after })).run
        .failedCalls;
      seen.push(...page.nodes);
      more = page.pageInfo.hasNextPage;
      after = page.pageInfo.endCursor;
      expect(page.totalCount).toBeGreaterThanOrEqual(seen.length);
      if (!more) expect(seen.length).toBe(page.totalCount);
    }
    expect(seen.length).toBeGreaterThan(3);
    expect(seen.every((call) => call.reason === 'rate_limited' && call.asked === 'GRADER' && call.raw !== null)).toBe(
      true,
    );
    const { secret } = await team.mutate('createApiKey', { name: 'viewer', role: 'VIEWER' }, 'secret');
    const viewed = await assay.graphql(query, { id, f: {}, after: null }, secret);
    expect(viewed.data?.run.failedCalls.nodes[0]).toMatchObject({ raw: null, reason: expect.any(String) });
  });

  it('does not know the cost when a provider does not say what it used', async () => {
    provider.configure({ failMalformed: 0.4 });
    const run = await finish({ ...on(priced), sample: { method: 'FIRST', size: 3 } }, usage);
    expect(run.usage.grader.unmeasuredCalls).toBeGreaterThan(0);
    expect(run.usage).toMatchObject({ costUsd: null, costUnknownReason: expect.stringContaining('did not report') });
  });

  it('refuses a budget in dollars on a model without a price', async () => {
    const start = (input: Data) => team.tryMutate('startRun', { datasetId, ...input }, 'run { id }');
    const halfPriced = { modelUnderTest: { endpointId: priced }, grader: { endpointId: unpriced } };
    expect((await start({ ...halfPriced, budget: { maxCostUsd: 5 } })).userErrors).toMatchObject([
      {
        code: 'INVALID_INPUT',
        path: ['budget', 'maxCostUsd'],
        message: expect.stringMatching(/test-grader.*updateModelEndpoint/),
      },
    ]);
    expect((await start({ ...on(priced), budget: { maxCostUsd: -1 } })).userErrors[0].path).toEqual([
      'budget',
      'maxCostUsd',
    ]);
  });

  it('keeps the old attempts when what failed is tried again', async () => {
    provider.configure({ fail500: 1 });
    const input = { ...on(priced), sample: { method: 'FIRST', size: 1 } };
    const runId = await team.start(input);
    await team.watch(runId);
    provider.configure({ fail500: 0 });
    const selection = `status ${usage} failedCalls { totalCount nodes { reason at } }`;
    const failed = await team.run(runId, selection);
    expect(failed.status).toBe('FAILED');
    expect(failed.failedCalls.totalCount).toBe(6);
    await team.mutate('retryRun', { runId }, 'run { status }');
    await team.watch(runId);
    const done = await team.run(runId, selection);
    expect(done).toMatchObject({ status: 'COMPLETED', failedCalls: failed.failedCalls });
    expect(done.usage.model.calls).toBe(7);
  });
});

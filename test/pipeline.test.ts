import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type SimulatedProvider, startSimulatedProvider } from '../src/simulator/simulatedProvider.js';
import { Assay, type Data, type Team } from './support/assay.js';
import { conversations, jsonl } from './support/dataset.js';
import { expectedNumbers, SEED } from './support/expected.js';

const MODEL = 'test-model';
const GRADER = 'test-grader';
const list = conversations(200);
const expected = expectedNumbers(list, MODEL, GRADER);
const criteria = list.reduce((sum, conversation) => sum + conversation.criteria.length, 0);

describe('a run of 200 conversations against a provider that fails', () => {
  let assay: Assay;
  let team: Team;
  let provider: SimulatedProvider;
  let runId: string;
  /** One reader from the start, over the real socket. */
  let live: Data[];

  beforeAll(async () => {
    provider = await startSimulatedProvider({
      seed: SEED,
      fail429: 0.05,
      fail500: 0.05,
      failMalformed: 0.05,
      retryAfterSeconds: 0.02,
    });
    assay = await Assay.start();
    team = await assay.team();
    await team.endpoint(provider.url, { maxConcurrency: 64 });
    const dataset = await team.dataset(jsonl(list));
    runId = await team.start({ datasetId: dataset.id, name: 'with faults' });
    live = await team.watch(runId);
  }, 120_000);
  afterAll(async () => {
    await assay.close();
    await provider.close();
  });

  it('ends completed, with the score that follows from the verdicts to 1e-9 and coverage 1', async () => {
    const run = await team.run(
      runId,
      `status statusReason finishedAt score { value unclippedMean median n coverage criteriaCoverage perfect belowZero final
         bootstrapStd interval { low high confidence method } grader scoringProfile graderPromptSha256 } graderPrompt { sha256 }`,
    );
    expect(run).toMatchObject({ status: 'COMPLETED', statusReason: null, finishedAt: expect.any(String) });
    const { score } = run;
    expect(score.value).toBeCloseTo(expected.value, 9);
    expect(score.unclippedMean).toBeCloseTo(expected.unclippedMean, 9);
    const sorted = [...expected.scores].sort((a, b) => a - b);
    expect(score.median).toBeCloseTo(((sorted[99] as number) + (sorted[100] as number)) / 2, 9);
    expect(score).toMatchObject({
      n: 200,
      coverage: 1,
      criteriaCoverage: 1,
      final: true,
      grader: GRADER,
      scoringProfile: 'healthbench',
      graderPromptSha256: run.graderPrompt.sha256,
      perfect: expected.scores.filter((value) => value === 1).length,
      belowZero: expected.scores.filter((value) => value < 0).length,
    });
    expect(score.interval).toMatchObject({ confidence: 0.95, method: 'CLUSTERED_BOOTSTRAP' });
    expect(score.interval.low).toBeLessThan(score.value);
    expect(score.interval.high).toBeGreaterThan(score.value);
    expect(score.bootstrapStd).toBeGreaterThan(0);
  });

  it('counts hit rates: met positive of graded positive, triggered penalties of graded penalties', async () => {
    const run = await team.run(runId, 'positiveCriteria { met graded rate } negativeCriteria { met graded rate }');
    const { positive, negative } = expected.hits;
    expect(run.positiveCriteria).toEqual({ ...positive, rate: positive.met / positive.graded });
    expect(run.negativeCriteria).toEqual({ ...negative, rate: negative.met / negative.graded });
  });

  it('scores every tag, and by group', async () => {
    const { tagScores } = await team.run(runId, 'tagScores { tag group label value n }');
    expect(tagScores.map((row: Data) => row.tag)).toEqual(Object.keys(expected.tags).sort());
    for (const { tag, value, n } of tagScores) {
      expect(n).toBe(expected.tags[tag]?.n);
      expect(value).toBeCloseTo(expected.tags[tag]?.value as number, 9);
    }
    const axes = await team.run(runId, 'tagScores(group: AXIS) { tag group label }');
    expect(axes.tagScores).toContainEqual({ tag: 'axis:accuracy', group: 'AXIS', label: expect.any(String) });
    expect(axes.tagScores.every((row: Data) => row.tag.startsWith('axis:'))).toBe(true);
  });

  it('makes a histogram of all conversations', async () => {
    const { histogram } = await team.run(runId, 'histogram(bins: 5) { from to count }');
    expect(histogram.reduce((sum: number, bin: Data) => sum + bin.count, 0)).toBe(200);
    expect(histogram.at(-1)).toEqual({
      from: 0.8,
      to: 1,
      count: expected.scores.filter((value) => value >= 0.8).length,
    });
  });

  it('asked nothing twice that had been answered, and sent no canary', async () => {
    const stats = provider.stats();
    expect(stats.repeatedOk).toBe(0);
    expect(Object.keys(stats.failed).sort()).toEqual(expect.arrayContaining(['fail429', 'fail500', 'failMalformed']));
    const { usage } = await team.run(runId, 'usage { model { calls promptTokens } grader { calls completionTokens } }');
    expect(usage.model.calls + usage.grader.calls).toBe(stats.calls);
    expect(usage.grader.completionTokens).toBeGreaterThan(0);
  });

  it('streamed each verdict once and in order, then completed', () => {
    const sequences = live.flatMap((batch) => batch.verdicts.map((verdict: Data) => verdict.sequence));
    expect(sequences).toEqual(Array.from({ length: criteria }, (_, i) => i + 1));
    expect(live.length).toBeGreaterThan(3);
    expect(live[0]?.runStatus).not.toBe('COMPLETED');
    expect(live.at(-1)).toMatchObject({
      runStatus: 'COMPLETED',
      cursor: criteria,
      progress: { conversationsDone: 200 },
    });
  });

  it('replays after any number that a reader has seen, without gap or double', async () => {
    const after = Math.floor(criteria / 3);
    const batches = await team.watch(runId, after);
    const sequences = batches.flatMap((batch) => batch.verdicts.map((verdict: Data) => verdict.sequence));
    expect(sequences).toEqual(Array.from({ length: criteria - after }, (_, i) => after + 1 + i));
    expect(await team.watch(runId, criteria)).toMatchObject([
      { verdicts: [], cursor: criteria, runStatus: 'COMPLETED' },
    ]);
  });

  it('pages through all verdicts in the order of the log', async () => {
    const seen: number[] = [];
    let after: string | null = null;
    do {
      const query = `query ($id: ID!, $after: String) { run(id: $id) { verdicts(first: 500, after: $after) {
        nodes { sequence } pageInfo { hasNextPage endCursor } totalCount } } }`;
      const { verdicts }: Data = (await team.query(query, { id: runId, after })).run;
      expect(verdicts.totalCount).toBe(criteria);
      seen.push(...verdicts.nodes.map((node: Data) => node.sequence));
      after = verdicts.pageInfo.hasNextPage ? verdicts.pageInfo.endCursor : null;
    } while (after !== null);
    expect(seen).toEqual(Array.from({ length: criteria }, (_, i) => i + 1));
  });

  it.each([
    [{ met: true }, (v: Data) => v.criteriaMet],
    [{ points: 'NEGATIVE', met: true }, (v: Data) => v.points < 0 && v.criteriaMet],
    [{ points: 'POSITIVE', axis: 'accuracy' }, (v: Data) => v.points > 0 && v.criterion.axis === 'accuracy'],
    [{ tag: 'axis:completeness' }, (v: Data) => v.criterion.tags.includes('axis:completeness')],
  ])('filters verdicts by %j', async (filter, matches) => {
    const query = `query ($id: ID!, $f: VerdictFilter) { run(id: $id) { verdicts(first: 500, filter: $f) {
      totalCount nodes { points criteriaMet criterion { axis tags } } } } }`;
    const { verdicts } = (await team.query(query, { id: runId, f: filter })).run;
    expect(verdicts.nodes.every(matches)).toBe(true);
    const all = (await team.query(query, { id: runId, f: {} })).run.verdicts;
    expect(verdicts.totalCount).toBeGreaterThan(0);
    expect(verdicts.totalCount).toBeLessThan(all.totalCount);
  });

  it('orders conversations by score and filters them by score, theme and status', async () => {
    const page = async (args: string) =>
      (await team.run(runId, `conversations(first: 200, ${args}) { totalCount nodes { promptId score theme status } }`))
        .conversations;
    const sorted = [...expected.scores].sort((a, b) => a - b);
    const ascending = await page('orderBy: SCORE_ASC');
    ascending.nodes.forEach((node: Data, i: number) => {
      expect(node.score).toBeCloseTo(sorted[i] as number, 9);
    });
    const low = await page('orderBy: SCORE_DESC, filter: { maxScore: 0.25, theme: "hedging", status: [SCORED] }');
    expect(low.nodes.every((node: Data) => node.score <= 0.25 && node.theme === 'hedging')).toBe(true);
    expect((await page('filter: { status: [FAILED] }')).totalCount).toBe(0);
  });

  it('pages by score with ties and keeps every conversation once', async () => {
    const seen: string[] = [];
    let after: string | null = null;
    do {
      const query = `query ($id: ID!, $after: String) { run(id: $id) { conversations(first: 17, after: $after, orderBy: SCORE_DESC) {
        nodes { id } pageInfo { hasNextPage endCursor } } } }`;
      const { conversations: page }: Data = (await team.query(query, { id: runId, after })).run;
      seen.push(...page.nodes.map((node: Data) => node.id));
      after = page.pageInfo.hasNextPage ? page.pageInfo.endCursor : null;
    } while (after !== null);
    expect(new Set(seen).size).toBe(200);
    expect(seen.length).toBe(200);
  });

  it('shows a conversation with its reply, each criterion and what it cost, in a constant number of statements', async () => {
    const selection = (first: number) => `conversations(first: ${first}, orderBy: SCORE_ASC) { nodes {
      score earned possible promptId tags reply { text finishReason latencyMs attempts }
      conversation { messages { content } }
      results { pointsLost criterion { text points } verdict { criteriaMet explanation sequence } ungraded { reason } } } }`;
    const { conversations: page } = await team.run(runId, selection(3));
    for (const node of page.nodes) {
      const lost = node.results.reduce((sum: number, row: Data) => sum + row.pointsLost, 0);
      expect(node.possible - lost).toBeCloseTo(node.earned, 9);
      expect(node.earned / node.possible).toBeCloseTo(node.score, 9);
      expect(node.reply.text).toContain('[simulated reply]');
      expect(node.results.every((row: Data) => row.verdict !== null && row.ungraded === null)).toBe(true);
    }
    // The workers of this process look after their limits meanwhile, so the least of several is the query's own.
    const statements = async (first: number) => {
      const counts: number[] = [];
      for (let i = 0; i < 5; i += 1) {
        const before = assay.services.statements();
        await team.run(runId, selection(first));
        counts.push(assay.services.statements() - before);
      }
      return Math.min(...counts);
    };
    expect(await statements(50)).toBe(await statements(2));
  });

  it('finds each kind of object by its global id', async () => {
    const run = await team.run(
      runId,
      'id dataset { id conversations(first: 1) { nodes { id } } } conversations(first: 1) { nodes { id } } verdicts(first: 1) { nodes { id runConversation { id } } }',
    );
    const ids = {
      Run: run.id,
      Dataset: run.dataset.id,
      Conversation: run.dataset.conversations.nodes[0].id,
      RunConversation: run.conversations.nodes[0].id,
      CriterionVerdict: run.verdicts.nodes[0].id,
    };
    for (const [type, id] of Object.entries(ids)) {
      const { node } = await team.query('query ($id: ID!) { node(id: $id) { __typename id } }', { id });
      expect(node).toEqual({ __typename: type, id });
    }
  });

  it('is seen by its own team only', async () => {
    const other = await assay.team();
    const id = (await team.run(runId, 'verdicts(first: 1) { nodes { id } }')).verdicts.nodes[0].id;
    expect((await other.query('query ($id: ID!) { node(id: $id) { id } }', { id })).node).toBeNull();
    expect(await other.query('{ runs { totalCount } datasets { totalCount } }')).toEqual({
      runs: { totalCount: 0 },
      datasets: { totalCount: 0 },
    });
  });

  it('reports progress a few times a second at most, and completes with the run', async () => {
    const dataset = (await team.run(runId, 'dataset { id }')).dataset.id;
    const second = await team.start({ datasetId: dataset, sample: { method: 'FIRST', size: 60 } });
    const query =
      'subscription ($id: ID!) { runProgress(runId: $id) { status progress { criteriaDone criteriaTotal } score { n final } } }';
    const seen: Data[] = [];
    for await (const { runProgress } of team.subscribe(query, { id: second })) seen.push(runProgress);
    expect(seen.at(-1)).toMatchObject({ status: 'COMPLETED', score: { n: 60, final: true } });
    const done = seen.map((run) => run.progress.criteriaDone);
    expect(done).toEqual([...done].sort((a, b) => a - b));
  });

  it('keeps the log append-only: Postgres refuses to change a verdict', async () => {
    const change = assay.services.db.$executeRaw`UPDATE criterion_verdict SET criteria_met = NOT criteria_met`;
    await expect(change).rejects.toThrow(/never changed/);
  });
});

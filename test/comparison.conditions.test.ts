import { describe, expect, it } from '@jest/globals';
import type { Data } from './support/assay.js';
import { conversations, jsonl } from './support/dataset.js';
import { expectedNumbers } from './support/expected.js';
import { COMPARE, expectedFlips, GRADER, list, mean, TwoRuns } from './support/twoRuns.js';

describe('comparing two runs under other conditions', () => {
  const two = TwoRuns.here();
  it('is not comparable over other conversations, and numbers are over the shared ones only', async () => {
    const some = await two.run({ modelUnderTest: { model: 'strong-model' }, sample: { method: 'FIRST', size: 12 } });
    const selection = `comparable differences { part severity } warnings { code message } sharedConversations
      overall { n difference baselineScore } scored: scoredConversations`;
    const found = await two.compare(two.weak, some, selection);
    expect(found).toMatchObject({ comparable: false, sharedConversations: 12, scored: 12, overall: { n: 12 } });
    expect(found.differences.filter(({ severity }: Data) => severity === 'SCOPE').map((d: Data) => d.part)).toEqual([
      'sampleMethod',
      'sampleSize',
      'conversations',
    ]);
    expect(found.warnings.map(({ code }: Data) => code)).toEqual(['DIFFERENT_CONVERSATIONS', 'TINY_SAMPLE']);
    const shared = expectedNumbers(list.slice(0, 12), 'weak-model', GRADER);
    expect(found.overall.baselineScore).toBeCloseTo(shared.value, 9);
  });

  it('is not comparable with another grader, and says what to do', async () => {
    const other = await two.run({ modelUnderTest: { model: 'strong-model' }, grader: { model: 'other-grader' } });
    const found = await two.compare(
      two.weak,
      other,
      'comparable differences { part severity } warnings { code message } agreement { n }',
    );
    expect(found.comparable).toBe(false);
    expect(found.differences[0]).toEqual({ part: 'grader.model', severity: 'BREAKING' });
    expect(found.warnings[0]).toMatchObject({
      code: 'GRADED_DIFFERENTLY',
      message: expect.stringContaining('regradeRun'),
    });
    expect(found.agreement).toBeNull();
  });

  it('also compares the scores adjusted for length, where both runs have the same constants', async () => {
    const input = {
      sample: { method: 'FIRST', size: 10 },
      scoringProfile: 'healthbench-length-adjusted',
      scoring: { lengthVariant: 'MAIN' },
    };
    const ids = [
      await two.run({ ...input, modelUnderTest: { model: 'weak-model' } }),
      await two.run({ ...input, modelUnderTest: { model: 'strong-model' } }),
    ] as const;
    const [before, after] = await Promise.all(
      ids.map(async (id) => {
        const { conversations: page } = await two.team.run(id, 'conversations { nodes { score reply { text } } }');
        return page.nodes.map((node: Data) => node.score - (0.0299 * ([...node.reply.text].length - 2000)) / 500);
      }),
    );
    const found = await two.compare(...ids, 'comparable overall { difference } lengthAdjusted { difference n }');
    expect(found).toMatchObject({ comparable: true, lengthAdjusted: { n: 10 } });
    expect(found.lengthAdjusted.difference).toBeCloseTo(mean(after) - mean(before), 9);
    expect(found.lengthAdjusted.difference).not.toBeCloseTo(found.overall.difference, 6);
    const unlike = await two.compare(two.weak, ids[1], 'differences { part severity } lengthAdjusted { n }');
    expect(unlike.lengthAdjusted).toBeNull();
    expect(unlike.differences).toContainEqual({ part: 'lengthRule', severity: 'BREAKING' });
  });

  it('pairs repeats one by one and keeps them together', async () => {
    const sample = { method: 'FIRST', size: 8 };
    const [twice, thrice] = [
      await two.run({ modelUnderTest: { model: 'weak-model' }, sample, repeats: 2 }),
      await two.run({ modelUnderTest: { model: 'strong-model' }, sample, repeats: 3 }),
    ];
    const found = await two.compare(
      twice,
      thrice,
      'differences { part severity } overall { n conversations wins ties losses } worsened { repeats }',
    );
    expect(found.differences[0]).toEqual({ part: 'repeats', severity: 'SCOPE' });
    expect(found.overall).toMatchObject({ n: 16, conversations: 8 });
    expect(found.overall.wins + found.overall.ties + found.overall.losses).toBe(8);
  });

  it('pairs the same conversations of two datasets, and not those whose rubric differs', async () => {
    const changed = list.slice(0, 10).map((conversation, at) => {
      if (at > 1) return conversation;
      const [first, ...rest] = conversation.criteria;
      return { ...conversation, criteria: [{ tags: first?.tags ?? [], points: 9.5 }, ...rest] };
    });
    const dataset = await two.team.dataset(jsonl([...changed].reverse()), 'reversed subset');
    const other = await two.team.start({ datasetId: dataset.id, modelUnderTest: { model: 'strong-model' } });
    await two.team.watch(other);
    const selection =
      'comparable sharedConversations differences { part } overall { n baselineScore candidateScore } flips(first: 200) { totalCount nodes { baseline { runConversation { promptId } } candidate { runConversation { promptId } } } }';
    const found = await two.compare(two.weak, other, selection);
    expect(found).toMatchObject({ comparable: false, sharedConversations: 8, overall: { n: 8 } });
    expect(found.differences.map(({ part }: Data) => part)).toContain('dataset');
    const shared = list.slice(2, 10);
    expect(found.overall.baselineScore).toBeCloseTo(expectedNumbers(shared, 'weak-model', GRADER).value, 9);
    expect(found.overall.candidateScore).toBeCloseTo(expectedNumbers(shared, 'strong-model', GRADER).value, 9);
    expect(found.flips.totalCount).toBe(expectedFlips(shared, 'weak-model', 'strong-model').length);
    for (const { baseline, candidate } of found.flips.nodes) {
      expect(candidate.runConversation.promptId).toBe(baseline.runConversation.promptId);
    }
  });

  it('is an error that says so when nothing is shared', async () => {
    const dataset = await two.team.dataset(jsonl(conversations(63).slice(60)), 'elsewhere');
    const apart = await two.team.start({ datasetId: dataset.id });
    const first = await two.team.start({ datasetId: two.datasetId, sample: { promptIds: ['prompt-1'] } });
    const second = await two.team.start({ datasetId: two.datasetId, sample: { promptIds: ['prompt-2'] } });
    const error = async (a: string, b: string) =>
      (await two.assay.graphql(COMPARE('comparable'), { a, b }, two.team.key)).errors?.[0];
    expect(await error(two.weak, apart)).toMatchObject({
      message: expect.stringMatching(/no conversation in common: they ran over different datasets/),
      extensions: { code: 'INVALID_INPUT' },
    });
    expect((await error(first, second))?.message).toContain('different samples of one dataset');
  });

  it('has no numbers, with the reason, while nothing is scored on both sides', async () => {
    await two.assay.stopWorkers();
    const waiting = await two.team.start({ datasetId: two.datasetId });
    const found = await two.compare(
      two.weak,
      waiting,
      'overall { n } unavailableReason themes { n } worsened { difference } flips { totalCount } sharedConversations scoredConversations warnings { code } comparable',
    );
    expect(found).toMatchObject({
      overall: null,
      unavailableReason: 'No shared conversation has a score in both runs.',
      themes: [],
      worsened: [],
      flips: { totalCount: 0 },
      sharedConversations: 60,
      scoredConversations: 0,
      comparable: false,
    });
    expect(found.warnings.map(({ code }: Data) => code)).toEqual([
      'DIFFERENT_CONVERSATIONS',
      'INCOMPLETE_COVERAGE',
      'NOT_COMPLETED',
      'TINY_SAMPLE',
    ]);
  });

  it("is null for a run that is missing, malformed or another team's", async () => {
    const other = await two.assay.team();
    for (const id of ['nonsense', Buffer.from(`Run:${crypto.randomUUID()}`).toString('base64url')]) {
      expect(await two.compare(two.weak, id, 'comparable')).toBeNull();
      expect(await two.compare(id, two.weak, 'comparable')).toBeNull();
    }
    const foreign = await other.query(COMPARE('comparable'), { a: two.weak, b: two.strong });
    expect(foreign.compareRuns).toBeNull();
  });
});

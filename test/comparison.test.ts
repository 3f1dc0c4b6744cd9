import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { COMPARISON } from '../src/cli/comparisonData.js';
import { type SimulatedProvider, startSimulatedProvider } from '../src/simulator/simulatedProvider.js';
import { Assay, type Data, type Team } from './support/assay.js';
import { conversations, jsonl, type TestConversation } from './support/dataset.js';
import { expectedNumbers, expectedVerdicts, SEED } from './support/expected.js';

const GRADER = 'test-grader';
const list = conversations(60);
const mean = (values: number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;

const COMPARE = (selection: string) =>
  `query ($a: ID!, $b: ID!) { compareRuns(baselineId: $a, candidateId: $b) { ${selection} } }`;
const NUMBERS = `n conversations baselineScore candidateScore difference standardError pValue wins ties losses
  interval { low high confidence method } minimalDetectableDifference`;

/** The flips between two models in the order that the API promises, in the plainest code there is. */
function expectedFlips(of: TestConversation[], baseline: string, candidate: string) {
  return of
    .flatMap((conversation, no) => {
      const [before, after] = [baseline, candidate].map((model) => expectedVerdicts(conversation, model, GRADER));
      return conversation.criteria.flatMap(({ points }, at) => {
        if (before?.[at] === after?.[at]) return [];
        return [{ no, at, points, pointsMoved: after?.[at] ? points : -points }];
      });
    })
    .sort((a, b) => Math.abs(b.points) - Math.abs(a.points) || a.no - b.no || a.at - b.at);
}

describe('comparing two runs', () => {
  let assay: Assay;
  let team: Team;
  let provider: SimulatedProvider;
  let datasetId: string;
  let weak: string;
  let strong: string;

  const run = async (input: Data): Promise<string> => {
    const id = await team.start({ datasetId, ...input });
    await team.watch(id);
    return id;
  };
  const compare = async (a: string, b: string, selection: string): Promise<Data> =>
    (await team.query(COMPARE(selection), { a, b })).compareRuns;

  beforeAll(async () => {
    provider = await startSimulatedProvider({ seed: SEED });
    assay = await Assay.start();
    team = await assay.team();
    await team.endpoint(provider.url, { maxConcurrency: 64 });
    datasetId = (await team.dataset(jsonl(list))).id;
    weak = await run({ modelUnderTest: { model: 'weak-model' }, name: 'weak' });
    strong = await run({ modelUnderTest: { model: 'strong-model' }, name: 'strong' });
  }, 120_000);
  afterAll(async () => {
    await assay.close();
    await provider.close();
  });

  describe('of two models under the same conditions', () => {
    const [before, after] = ['weak-model', 'strong-model'].map((model) => expectedNumbers(list, model, GRADER));
    const differences = list.map((_, at) => (after?.scores[at] as number) - (before?.scores[at] as number));

    it('says first that they are comparable: only the model differs', async () => {
      const selection =
        'comparable differences { part baseline candidate severity } warnings { code } sameReplies sharedConversations scoredConversations baseline { id } candidate { name comparisonKey }';
      const found = await compare(weak, strong, selection);
      expect(found).toMatchObject({
        comparable: true,
        differences: [
          { part: 'modelUnderTest.model', baseline: 'weak-model', candidate: 'strong-model', severity: 'SUBJECT' },
        ],
        warnings: [{ code: 'TINY_SAMPLE' }],
        sameReplies: false,
        sharedConversations: 60,
        scoredConversations: 60,
        baseline: { id: weak },
        candidate: { name: 'strong' },
      });
      expect((await team.run(weak, 'comparisonKey')).comparisonKey).toBe(found.candidate.comparisonKey);
    });

    it('gives the paired difference that follows from the verdicts', async () => {
      const { overall, unavailableReason } = await compare(weak, strong, `overall { ${NUMBERS} } unavailableReason`);
      expect(unavailableReason).toBeNull();
      expect(overall).toMatchObject({ n: 60, conversations: 60 });
      expect(overall.baselineScore).toBeCloseTo(before?.value as number, 9);
      expect(overall.candidateScore).toBeCloseTo(after?.value as number, 9);
      expect(overall.difference).toBeCloseTo(mean(differences), 9);
      const squares = differences.map((difference) => (difference - mean(differences)) ** 2);
      expect(overall.standardError).toBeCloseTo(Math.sqrt((mean(squares) * 60) / 59 / 60), 9);
      expect(overall.minimalDetectableDifference).toBeCloseTo(2.801585 * overall.standardError, 4);
      expect(overall.wins).toBe(differences.filter((difference) => difference > 1e-9).length);
      expect(overall.losses).toBe(differences.filter((difference) => difference < -1e-9).length);
      expect(overall.wins + overall.ties + overall.losses).toBe(60);
      expect(overall.interval).toMatchObject({ confidence: 0.95, method: 'CLUSTERED_BOOTSTRAP' });
      expect(overall.interval.low).toBeLessThan(overall.difference);
      expect(overall.interval.high).toBeGreaterThan(overall.difference);
      expect(overall.pValue).toBeLessThan(0.001);
    });

    it('gives the same numbers again, and turned around the opposite', async () => {
      const [there, again, back] = await Promise.all([
        compare(weak, strong, `overall { ${NUMBERS} }`),
        compare(weak, strong, `overall { ${NUMBERS} }`),
        compare(strong, weak, `overall { ${NUMBERS} }`),
      ]);
      expect(again).toEqual(there);
      expect(back.overall.difference).toBeCloseTo(-there.overall.difference, 12);
      expect(back.overall).toMatchObject({ wins: there.overall.losses, losses: there.overall.wins });
    });

    it('does the same by theme and axis, with p-values corrected over both together', async () => {
      const tag = 'tag label group difference n conversations baselineScore pValue adjustedPValue';
      const { themes, axes } = await compare(weak, strong, `themes { ${tag} } axes { ${tag} conversationsNeeded }`);
      expect(themes.map((theme: Data) => theme.tag)).toEqual([
        'theme:communication',
        'theme:global_health',
        'theme:hedging',
      ]);
      for (const row of [...themes, ...axes]) {
        const [low, high] = [before?.tags[row.tag], after?.tags[row.tag]];
        expect(row.n).toBe(low?.n);
        expect(row.n).toBe(high?.n);
        expect(row.baselineScore).toBeCloseTo(low?.value as number, 9);
        expect(row.adjustedPValue).toBeGreaterThanOrEqual(row.pValue);
      }
      const hedging = differences.filter((_, at) => at % 3 === 0);
      expect(themes[2]).toMatchObject({ n: 20, label: 'Responding under uncertainty', group: 'THEME' });
      expect(themes[2].difference).toBeCloseTo(mean(hedging), 9);
      const smallest = Math.min(...[...themes, ...axes].map((row) => row.pValue));
      const [first] = [...themes, ...axes].filter((row) => row.pValue === smallest);
      expect(first.adjustedPValue).toBeCloseTo(Math.min(1, smallest * 6), 12);
    });

    it('lists the flipped criteria by points moved, page by page, with both verdicts', async () => {
      const expected = expectedFlips(list, 'weak-model', 'strong-model');
      const page = `totalCount pageInfo { hasNextPage endCursor }
        nodes { pointsMoved direction repeat criterion { no points text }
          baseline { criteriaMet explanation runConversation { promptId } } candidate { criteriaMet } }`;
      const query = `query ($a: ID!, $b: ID!, $after: String) { compareRuns(baselineId: $a, candidateId: $b) {
        flips(first: 20, after: $after) { ${page} } } }`;
      const seen: Data[] = [];
      for (let after: string | null = null, more = true; more; ) {
        const { flips }: Data = (await team.query(query, { a: weak, b: strong, after })).compareRuns;
        expect(flips.totalCount).toBe(expected.length);
        seen.push(...flips.nodes);
        more = flips.pageInfo.hasNextPage;
        after = flips.pageInfo.endCursor;
      }
      expect(
        seen.map(({ criterion, pointsMoved, baseline }) => [
          baseline.runConversation.promptId,
          criterion.no,
          pointsMoved,
        ]),
      ).toEqual(expected.map(({ no, at, pointsMoved }) => [`prompt-${no}`, at, pointsMoved]));
      for (const { baseline, candidate, direction, pointsMoved } of seen) {
        expect(baseline.criteriaMet).toBe(!candidate.criteriaMet);
        expect(direction).toBe(pointsMoved > 0 ? 'GAINED' : 'LOST');
      }
    });

    it('counts what was gained and lost', async () => {
      const flips = expectedFlips(list, 'weak-model', 'strong-model');
      const gained = flips.filter(({ pointsMoved }) => pointsMoved > 0);
      const lost = flips.filter(({ pointsMoved }) => pointsMoved < 0);
      const sum = (rows: { points: number }[]) => rows.reduce((total, { points }) => total + Math.abs(points), 0);
      const compared = list.reduce((total, { criteria }) => total + criteria.length, 0);
      const found = await compare(
        weak,
        strong,
        `verdictChanges { compared unchanged gained lost pointsGained pointsLost }
         lost: flips(first: 1, direction: LOST) { totalCount nodes { direction } }`,
      );
      expect(found.verdictChanges).toEqual({
        compared,
        unchanged: compared - flips.length,
        gained: gained.length,
        lost: lost.length,
        pointsGained: sum(gained),
        pointsLost: sum(lost),
      });
      expect(found.lost).toEqual({ totalCount: lost.length, nodes: [{ direction: 'LOST' }] });
    });

    it('names the conversations that got worse most, and those that got better', async () => {
      const row = 'difference repeats baselineScore candidateScore baseline { promptId } candidate { score promptId }';
      const found = await compare(weak, strong, `worsened(first: 3) { ${row} } improved(first: 3) { ${row} }`);
      const sorted = differences
        .map((difference, no) => ({ difference, no }))
        .sort((a, b) => a.difference - b.difference);
      const worst = sorted.filter(({ difference }) => difference < 0).slice(0, 3);
      expect(found.worsened.map((w: Data) => w.difference)).toEqual(
        worst.map(({ difference }) => expect.closeTo(difference, 9)),
      );
      expect(found.improved[0].difference).toBeCloseTo(sorted.at(-1)?.difference as number, 9);
      expect(found.improved[0].candidate.promptId).toBe(found.improved[0].baseline.promptId);
      expect(found.improved[0].candidateScore).toBeCloseTo(found.improved[0].candidate.score, 12);
    });

    it('says how many conversations a difference needs', async () => {
      const power = 'standardError difference seen: conversationsNeeded two: conversationsNeeded(difference: 0.02)';
      const { overall } = await compare(weak, strong, `overall { ${power} }`);
      const sd = overall.standardError * Math.sqrt(60);
      const needed = (difference: number) => Math.max(2, Math.ceil(((2.8015852 * sd) / difference) ** 2));
      expect(Math.abs(overall.two - needed(0.02))).toBeLessThanOrEqual(1);
      expect(Math.abs(overall.seen - needed(overall.difference))).toBeLessThanOrEqual(1);
      const zero = await assay.graphql(
        COMPARE('overall { conversationsNeeded(difference: 0) }'),
        { a: weak, b: strong },
        team.key,
      );
      expect(zero.errors?.[0]?.extensions.code).toBe('INVALID_INPUT');
    });

    it('answers the document of the command line, with as many flips as it lets ask for', async () => {
      const { compareRuns } = await team.query(COMPARISON, { a: weak, b: strong, flips: 200 });
      expect(compareRuns).toMatchObject({ comparable: true, overall: { n: 60 }, agreement: null });
    });

    it('of a run with itself finds nothing', async () => {
      const { overall, flips, worsened, agreement } = await compare(
        weak,
        weak,
        `overall { ${NUMBERS} conversationsNeeded } flips { totalCount } worsened { difference } agreement { rate kappa }`,
      );
      expect(overall).toMatchObject({ difference: 0, pValue: 1, ties: 60, conversationsNeeded: null });
      expect(flips.totalCount).toBe(0);
      expect(worsened).toEqual([]);
      expect(agreement).toEqual({ rate: 1, kappa: 1 });
    });
  });

  describe('under other conditions', () => {
    it('is not comparable over other conversations, and numbers are over the shared ones only', async () => {
      const some = await run({ modelUnderTest: { model: 'strong-model' }, sample: { method: 'FIRST', size: 12 } });
      const selection = `comparable differences { part severity } warnings { code message } sharedConversations
        overall { n difference baselineScore } scored: scoredConversations`;
      const found = await compare(weak, some, selection);
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
      const other = await run({ modelUnderTest: { model: 'strong-model' }, grader: { model: 'other-grader' } });
      const found = await compare(
        weak,
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
        await run({ ...input, modelUnderTest: { model: 'weak-model' } }),
        await run({ ...input, modelUnderTest: { model: 'strong-model' } }),
      ] as const;
      const [before, after] = await Promise.all(
        ids.map(async (id) => {
          const { conversations: page } = await team.run(id, 'conversations { nodes { score reply { text } } }');
          return page.nodes.map((node: Data) => node.score - (0.0299 * ([...node.reply.text].length - 2000)) / 500);
        }),
      );
      const found = await compare(...ids, 'comparable overall { difference } lengthAdjusted { difference n }');
      expect(found).toMatchObject({ comparable: true, lengthAdjusted: { n: 10 } });
      expect(found.lengthAdjusted.difference).toBeCloseTo(mean(after) - mean(before), 9);
      expect(found.lengthAdjusted.difference).not.toBeCloseTo(found.overall.difference, 6);
      const unlike = await compare(weak, ids[1], 'differences { part severity } lengthAdjusted { n }');
      expect(unlike.lengthAdjusted).toBeNull();
      expect(unlike.differences).toContainEqual({ part: 'lengthRule', severity: 'BREAKING' });
    });

    it('pairs repeats one by one and keeps them together', async () => {
      const sample = { method: 'FIRST', size: 8 };
      const [two, three] = [
        await run({ modelUnderTest: { model: 'weak-model' }, sample, repeats: 2 }),
        await run({ modelUnderTest: { model: 'strong-model' }, sample, repeats: 3 }),
      ];
      const found = await compare(
        two,
        three,
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
      const dataset = await team.dataset(jsonl([...changed].reverse()), 'reversed subset');
      const other = await team.start({ datasetId: dataset.id, modelUnderTest: { model: 'strong-model' } });
      await team.watch(other);
      const selection =
        'comparable sharedConversations differences { part } overall { n baselineScore candidateScore } flips(first: 200) { totalCount nodes { baseline { runConversation { promptId } } candidate { runConversation { promptId } } } }';
      const found = await compare(weak, other, selection);
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
      const dataset = await team.dataset(jsonl(conversations(63).slice(60)), 'elsewhere');
      const apart = await team.start({ datasetId: dataset.id });
      const first = await team.start({ datasetId, sample: { promptIds: ['prompt-1'] } });
      const second = await team.start({ datasetId, sample: { promptIds: ['prompt-2'] } });
      const error = async (a: string, b: string) =>
        (await assay.graphql(COMPARE('comparable'), { a, b }, team.key)).errors?.[0];
      expect(await error(weak, apart)).toMatchObject({
        message: expect.stringMatching(/no conversation in common: they ran over different datasets/),
        extensions: { code: 'INVALID_INPUT' },
      });
      expect((await error(first, second))?.message).toContain('different samples of one dataset');
    });

    it('has no numbers, with the reason, while nothing is scored on both sides', async () => {
      await assay.stopWorkers();
      const waiting = await team.start({ datasetId });
      const found = await compare(
        weak,
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
      const other = await assay.team();
      for (const id of ['nonsense', Buffer.from(`Run:${crypto.randomUUID()}`).toString('base64url')]) {
        expect(await compare(weak, id, 'comparable')).toBeNull();
        expect(await compare(id, weak, 'comparable')).toBeNull();
      }
      const foreign = await other.query(COMPARE('comparable'), { a: weak, b: strong });
      expect(foreign.compareRuns).toBeNull();
    });
  });
});

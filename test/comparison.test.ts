import { describe, expect, it } from '@jest/globals';
import { CompareDocument } from '../src/client/generated/operations.js';
import type { Data } from './support/assay.js';
import { expectedNumbers } from './support/expected.js';
import { COMPARE, expectedFlips, GRADER, list, mean, TwoRuns } from './support/twoRuns.js';

const NUMBERS = `n conversations baselineScore candidateScore difference standardError pValue wins ties losses
  interval { low high confidence method } minimalDetectableDifference`;

describe('comparing two models under the same conditions', () => {
  const two = TwoRuns.here();
  const [before, after] = ['weak-model', 'strong-model'].map((model) => expectedNumbers(list, model, GRADER));
  const differences = list.map((_, at) => (after?.scores[at] as number) - (before?.scores[at] as number));

  it('says first that they are comparable: only the model differs', async () => {
    const selection =
      'comparable differences { part baseline candidate severity } warnings { code } sameReplies sharedConversations scoredConversations baseline { id } candidate { name comparisonKey }';
    const found = await two.compare(two.weak, two.strong, selection);
    expect(found).toMatchObject({
      comparable: true,
      differences: [
        { part: 'modelUnderTest.model', baseline: 'weak-model', candidate: 'strong-model', severity: 'SUBJECT' },
      ],
      warnings: [{ code: 'TINY_SAMPLE' }],
      sameReplies: false,
      sharedConversations: 60,
      scoredConversations: 60,
      baseline: { id: two.weak },
      candidate: { name: 'strong' },
    });
    expect((await two.team.run(two.weak, 'comparisonKey')).comparisonKey).toBe(found.candidate.comparisonKey);
  });

  it('gives the paired difference that follows from the verdicts', async () => {
    const { overall, unavailableReason } = await two.compare(
      two.weak,
      two.strong,
      `overall { ${NUMBERS} } unavailableReason`,
    );
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
      two.compare(two.weak, two.strong, `overall { ${NUMBERS} }`),
      two.compare(two.weak, two.strong, `overall { ${NUMBERS} }`),
      two.compare(two.strong, two.weak, `overall { ${NUMBERS} }`),
    ]);
    expect(again).toEqual(there);
    expect(back.overall.difference).toBeCloseTo(-there.overall.difference, 12);
    expect(back.overall).toMatchObject({ wins: there.overall.losses, losses: there.overall.wins });
  });

  it('does the same by theme and axis, with p-values corrected over both together', async () => {
    const tag = 'tag label group difference n conversations baselineScore pValue adjustedPValue';
    const { themes, axes } = await two.compare(
      two.weak,
      two.strong,
      `themes { ${tag} } axes { ${tag} conversationsNeeded }`,
    );
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
      const { flips }: Data = (await two.team.query(query, { a: two.weak, b: two.strong, after })).compareRuns;
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
    const found = await two.compare(
      two.weak,
      two.strong,
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
    const found = await two.compare(
      two.weak,
      two.strong,
      `worsened(first: 3) { ${row} } improved(first: 3) { ${row} }`,
    );
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
    const { overall } = await two.compare(two.weak, two.strong, `overall { ${power} }`);
    const sd = overall.standardError * Math.sqrt(60);
    const needed = (difference: number) => Math.max(2, Math.ceil(((2.8015852 * sd) / difference) ** 2));
    expect(Math.abs(overall.two - needed(0.02))).toBeLessThanOrEqual(1);
    expect(Math.abs(overall.seen - needed(overall.difference))).toBeLessThanOrEqual(1);
    const zero = await two.assay.graphql(
      COMPARE('overall { conversationsNeeded(difference: 0) }'),
      { a: two.weak, b: two.strong },
      two.team.key,
    );
    expect(zero.errors?.[0]?.extensions.code).toBe('INVALID_INPUT');
  });

  it('answers the document of the command line, with as many flips as it lets ask for', async () => {
    const { compareRuns } = await two.team.query(CompareDocument.toString(), {
      baselineId: two.weak,
      candidateId: two.strong,
      flips: 200,
    });
    expect(compareRuns).toMatchObject({ comparable: true, overall: { n: 60 }, agreement: null });
  });

  it('of a run with itself finds nothing', async () => {
    const { overall, flips, worsened, agreement } = await two.compare(
      two.weak,
      two.weak,
      `overall { ${NUMBERS} conversationsNeeded minimalDetectableDifferenceUnavailableReason } flips { totalCount } worsened { difference } agreement { rate kappa }`,
    );
    expect(overall).toMatchObject({ difference: 0, pValue: 1, ties: 60, conversationsNeeded: null });
    expect(overall.minimalDetectableDifference).toBeNull();
    expect(overall.minimalDetectableDifferenceUnavailableReason).toContain('no spread');
    expect(flips.totalCount).toBe(0);
    expect(worsened).toEqual([]);
    expect(agreement).toEqual({ rate: 1, kappa: 1 });
  });
});

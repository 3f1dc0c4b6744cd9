import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { type ScoredConversation, scoreStatistics, tagSamples, tagStatistics } from './scoreStatistics.js';
import { adjustForLength, LENGTH_RULES } from './scoringProfile.js';
import { deviationOf, normalInterval, precision } from './standardError.js';

const conversation = (
  conversationNo: number,
  score: number,
  replyLength: number,
  tags: string[],
  points: Record<string, [number, number]>,
): ScoredConversation => ({
  ...{ conversationNo, repeat: 1, score, replyLength, tags },
  tagPoints: Object.entries(points).map(([tag, [earned, possible]]) => ({ tag, earned, possible })),
});

/** The worked example of four conversations. */
const run = [
  conversation(0, 0.125, 2600, ['theme:hedging', 'physician_agreed_category:no-uncertainty'], {
    'axis:accuracy': [1, 5],
    'axis:completeness': [0, 3],
  }),
  conversation(1, 1, 1800, ['theme:hedging'], {
    'axis:accuracy': [0, 0],
    'axis:completeness': [8, 8],
    'axis:communication_quality': [2, 2],
  }),
  conversation(2, -0.3, 4200, ['theme:global_health'], { 'axis:accuracy': [-9, 4], 'axis:completeness': [6, 6] }),
  conversation(3, -2, 900, ['theme:global_health'], { 'axis:accuracy': [0, 3], 'axis:completeness': [-10, 2] }),
];
const conversations = run.map((one) => one.conversationNo);
const scores = run.map((one) => one.score);

describe('the run of four conversations', () => {
  it('has this score, error and bootstrap deviation', () => {
    const score = scoreStatistics({ scores, conversations }, 0);
    expect(score).toMatchObject({ value: 0, n: 4, conversations: 4, perfect: 1, belowZero: 2 });
    expect(score?.unclippedMean).toBeCloseTo(-0.29375, 12);
    expect(score?.standardError).toBeCloseTo(0.545462, 6);
    // Exact over all 4^4 resamples: 0.193067.
    expect(Math.abs((score?.bootstrapStd as number) - 0.193067)).toBeLessThan(0.01);
    expect(score?.interval).toMatchObject({ low: 0, method: 'CLUSTERED_BOOTSTRAP' });
  });

  it.each([
    ['MAIN', -0.316175, 0.53383],
    ['PROFESSIONAL', -0.304775, 0.53947],
  ] as const)('has this length-adjusted mean and error by the constants of %s', (variant, mean, error) => {
    const adjusted = run.map((one) => adjustForLength(one.score, one.replyLength as number, LENGTH_RULES[variant]));
    const score = scoreStatistics({ scores: adjusted, conversations }, 0);
    expect(score?.unclippedMean).toBeCloseTo(mean, 6);
    expect(score?.standardError).toBeCloseTo(error, 6);
  });

  it.each([
    ['axis:accuracy', 3, -0.683333, 0.641324],
    ['axis:communication_quality', 1, 1, null],
    ['axis:completeness', 4, -0.75, 1.243734],
    ['physician_agreed_category:no-uncertainty', 1, 0.125, null],
    ['theme:global_health', 2, -1.15, 0.601041],
    ['theme:hedging', 2, 0.5625, 0.309359],
  ])('has this score and error for %s', (tag, n, mean, error) => {
    const sample = tagSamples(run).get(tag);
    if (sample === undefined) throw new Error(`no sample for ${tag}`);
    const statistics = tagStatistics(sample, 0);
    expect(statistics.n).toBe(n);
    expect(statistics.unclippedMean).toBeCloseTo(mean, 6);
    if (error === null) expect(statistics.standardError).toBeNull();
    else expect(statistics.standardError).toBeCloseTo(error, 6);
    expect(statistics.interval === null).toBe(n < 2);
  });
});

describe('repeats', () => {
  it('without any noise leave the error and the interval of one repeat', () => {
    const once = scoreStatistics({ scores, conversations }, 5);
    const thrice = scoreStatistics(
      {
        scores: [...scores, ...scores, ...scores],
        conversations: [...conversations, ...conversations, ...conversations],
      },
      5,
    );
    expect(thrice?.standardError).toBeCloseTo(once?.standardError as number, 12);
    expect(thrice?.interval?.low).toBeCloseTo(once?.interval?.low as number, 12);
    expect(thrice?.interval?.high).toBeCloseTo(once?.interval?.high as number, 12);
    expect(thrice).toMatchObject({ n: 12, conversations: 4 });
    // The reference resamples samples, so its number gets smaller.
    expect(thrice?.bootstrapStd).toBeLessThan(once?.bootstrapStd as number);
  });
});

describe('precision', () => {
  it('of one score each is the population deviation over the root of n', () => {
    const score = fc.double({ min: -3, max: 1, noNaN: true });
    fc.assert(
      fc.property(fc.array(score, { minLength: 2, maxLength: 30 }), (values) => {
        const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
        const variance = values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / values.length;
        const own = precision(
          values,
          values.map((_, at) => at),
        );
        expect(own.standardError).toBeCloseTo(Math.sqrt(variance / values.length), 9);
        expect(own.deviation).toBeCloseTo(Math.sqrt((variance * values.length) / (values.length - 1)), 9);
      }),
    );
  });

  it('of a single conversation is null, however many repeats it has', () => {
    expect(precision([0.2, 0.4], [7, 7])).toEqual({ conversations: 1, standardError: null, deviation: null });
    expect(normalInterval(0.3, precision([0.2, 0.4], [7, 7]))).toBeNull();
    expect(scoreStatistics({ scores: [0.2, 0.4], conversations: [7, 7] }, 0)?.interval).toBeNull();
  });

  it('gives a normal interval within 0 to 1', () => {
    expect(normalInterval(0.5, precision([0, 1], [0, 1]))).toEqual({ low: 0, high: 1 });
    expect(deviationOf(0.5, 2)).toBeCloseTo(1, 12);
  });

  it('needs a conversation per score', () => {
    expect(() => precision([1], [])).toThrow(RangeError);
  });
});

import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { repeatStatistics, worstOf } from './repeatStatistics.js';

const repeated = (...rows: (number | null)[][]) =>
  rows.flatMap((row, conversationNo) =>
    row.flatMap((score, at) => (score === null ? [] : [{ conversationNo, repeat: at + 1, score }])),
  );

describe('statistics of repeats', () => {
  it('give each repeat its score, and their spread', () => {
    const { perRepeat, spread } = repeatStatistics(repeated([0.2, 0.4, 0.6], [0.8, 0.4, 0]), 3);
    expect(perRepeat.map(({ repeat, n }) => [repeat, n])).toEqual([
      [1, 2],
      [2, 2],
      [3, 2],
    ]);
    [0.5, 0.4, 0.3].forEach((value, at) => {
      expect(perRepeat[at]?.value).toBeCloseTo(value, 12);
    });
    expect(spread).toBeCloseTo(0.1, 12);
  });

  it('say what the worst of k replies is like, over conversations that are scored in every repeat', () => {
    const { worstAtK, conversations } = repeatStatistics(repeated([0.2, 0.4, 0.6], [1, 1, 1], [0, null, 0]), 3);
    expect(conversations).toBe(2);
    // Of 0.2, 0.4 and 0.6: mean 0.4; pairs have the minima 0.2, 0.2 and 0.4; all three 0.2.
    const expected = [(0.4 + 1) / 2, (0.8 / 3 + 1) / 2, (0.2 + 1) / 2];
    worstAtK.forEach(({ k, value }, at) => {
      expect(k).toBe(at + 1);
      expect(value).toBeCloseTo(expected[at] as number, 12);
    });
  });

  it('clip the mean and not the conversations', () => {
    const { worstAtK } = repeatStatistics(repeated([-3, 1], [1, 1]), 2);
    expect(worstAtK[1]).toEqual({ k: 2, value: 0, unclippedMean: -1 });
  });

  it('leave out what does not exist', () => {
    const nothing = { perRepeat: [], spread: null, conversations: 0, worstAtK: [] };
    expect(repeatStatistics([], 2)).toEqual(nothing);
    expect(repeatStatistics(repeated([0.5, null]), 2)).toMatchObject({ spread: null, worstAtK: [] });
  });
});

describe('worst of k', () => {
  it('equals the mean of the minima of all subsets', () => {
    fc.assert(
      fc.property(fc.array(fc.double({ min: -2, max: 1, noNaN: true }), { minLength: 1, maxLength: 7 }), (scores) => {
        for (let k = 1; k <= scores.length; k += 1) {
          const minima = subsets(scores, k).map((subset) => Math.min(...subset));
          expect(worstOf(scores, k)).toBeCloseTo(minima.reduce((sum, value) => sum + value, 0) / minima.length, 9);
        }
      }),
    );
  });

  it('holds for a hundred repeats, and for no k outside', () => {
    expect(worstOf(new Array(100).fill(0.5), 50)).toBeCloseTo(0.5, 12);
    expect(() => worstOf([1], 2)).toThrow(RangeError);
  });
});

function subsets(values: readonly number[], k: number): number[][] {
  if (k === 0) return [[]];
  return values.flatMap((value, at) => subsets(values.slice(at + 1), k - 1).map((rest) => [value, ...rest]));
}

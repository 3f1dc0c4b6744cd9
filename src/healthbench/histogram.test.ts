import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { histogram } from './histogram.js';

describe('histogram', () => {
  it('counts 1.0 in the last bin and what is below 0 in one more bin in front', () => {
    expect(histogram([1, 0.5, 0.49, 0, -0.2, -1.5, 1.01], 2)).toEqual([
      { from: -1.5, to: 0, count: 2 },
      { from: 0, to: 0.5, count: 2 },
      { from: 0.5, to: 1, count: 3 },
    ]);
  });

  it('has only the asked bins when nothing is below 0', () => {
    expect(histogram([], 2)).toEqual([
      { from: 0, to: 0.5, count: 0 },
      { from: 0.5, to: 1, count: 0 },
    ]);
  });

  it('puts every edge into the bin that begins there', () => {
    const edges = Array.from({ length: 100 }, (_, at) => at / 100);
    expect(histogram(edges, 100).every(({ count }) => count === 1)).toBe(true);
  });

  it('counts every score once', () => {
    const score = fc.double({ min: -5, max: 2, noNaN: true });
    fc.assert(
      fc.property(fc.array(score), fc.integer({ min: 1, max: 60 }), (scores, bins) => {
        const total = histogram(scores, bins).reduce((sum, { count }) => sum + count, 0);
        expect(total).toBe(scores.length);
      }),
    );
  });

  it.each([0, 1.5, 1_001])('rejects %d bins', (bins) => {
    expect(() => histogram([0.5], bins)).toThrow(RangeError);
  });
});

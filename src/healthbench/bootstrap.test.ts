import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { bootstrap } from './bootstrap.js';

const scores = [0.4, 0.9, 0.1, 0.6, 0.5, 0.7, 0.3, 0.8];

describe('bootstrap', () => {
  it('draws as NumPy’s legacy generator, with its percentiles', () => {
    const seven = Array.from({ length: 7 }, (_, at) => at / 7 - 0.1);
    const { std, interval } = bootstrap(seven, 12345);
    expect(std).toBeCloseTo(0.11140148994372845, 12);
    expect(interval.low).toBeCloseTo(0.12397959183673468, 12);
    expect(interval.high).toBeCloseTo(0.5530612244897959, 12);
  });

  it('gives the same numbers for the same seed', () => {
    expect(bootstrap(scores, 7)).toEqual(bootstrap(scores, 7));
    expect(bootstrap(scores, 7)).not.toEqual(bootstrap(scores, 8));
  });

  it('has no spread with one score or equal scores', () => {
    expect(bootstrap([0.5], 0)).toEqual({ std: 0, interval: { low: 0.5, high: 0.5 } });
    expect(bootstrap([-2], 0)).toEqual({ std: 0, interval: { low: 0, high: 0 } });
  });

  it('stays within 0 to 1, low below high', () => {
    const score = fc.double({ min: -3, max: 1.2, noNaN: true });
    fc.assert(
      fc.property(fc.array(score, { minLength: 1, maxLength: 20 }), fc.nat(), (values, seed) => {
        const { std, interval } = bootstrap(values, seed, { resamples: 50 });
        expect(std).toBeGreaterThanOrEqual(0);
        expect(interval.low).toBeGreaterThanOrEqual(0);
        expect(interval.low).toBeLessThanOrEqual(interval.high);
        expect(interval.high).toBeLessThanOrEqual(1);
      }),
    );
  });
});

describe('clusters', () => {
  const repeated = [...scores, ...scores, ...scores];
  const clusters = repeated.map((_, at) => at % scores.length);

  it('drawn whole, give repeats without any noise the uncertainty of one repeat', () => {
    const clustered = bootstrap(repeated, 3, { clusters });
    const once = bootstrap(scores, 3);
    expect(clustered.std).toBeCloseTo(once.std, 12);
    expect(clustered.interval.low).toBeCloseTo(once.interval.low, 12);
    expect(bootstrap(repeated, 3).std).toBeLessThan(clustered.std * 0.8);
  });

  it('of one score each change nothing', () => {
    expect(bootstrap(scores, 3, { clusters: scores.map((_, at) => at) })).toEqual(bootstrap(scores, 3));
  });
});

describe('what is rejected', () => {
  it.each([
    ['no scores', () => bootstrap([], 0)],
    ['a negative seed', () => bootstrap(scores, -1)],
    ['no resamples', () => bootstrap(scores, 0, { resamples: 0 })],
    ['clusters of another length', () => bootstrap(scores, 0, { clusters: [1] })],
  ])('%s', (_what, run) => {
    expect(run).toThrow(RangeError);
  });
});

import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { comparePairGroups, comparePairs, type Pair } from './pairedComparison.js';

/** Differences drawn by NumPy 2.4 as round(RandomState(3).normal(0.03, 0.2, 40), 3). */
const forty = [
  0.388, 0.117, 0.049, -0.343, -0.025, -0.041, 0.013, -0.095, 0.021, -0.065, -0.233, 0.207, 0.206, 0.372, 0.04, -0.051,
  -0.079, -0.279, 0.226, -0.19, -0.207, -0.011, 0.327, 0.077, -0.175, -0.113, 0.155, -0.002, -0.124, -0.016, 0.179,
  0.425, -0.219, -0.095, -0.131, -0.454, -0.155, -0.175, 0.255, 0.004,
];
const pairsOf = (differences: readonly number[]): Pair[] =>
  differences.map((difference, conversation) => ({ conversation, baseline: 0.5, candidate: 0.5 + difference }));
const compared = (pairs: readonly Pair[], seed = 0) => {
  const found = comparePairs(pairs, seed);
  if (found === null) throw new Error('nothing to compare');
  return found;
};

describe('two runs, pair by pair', () => {
  it('have a mean difference with the error that NumPy computes', () => {
    const { n, conversations, difference, standardError, baselineMean, candidateMean } = compared(pairsOf(forty));
    expect({ n, conversations, baselineMean }).toEqual({ n: 40, conversations: 40, baselineMean: 0.5 });
    expect(difference).toBeCloseTo(-0.005425, 12);
    expect(candidateMean).toBeCloseTo(0.494575, 12);
    expect(standardError).toBeCloseTo(0.032067554644803146, 12);
  });

  it('have an interval near that of 100,000 resamples', () => {
    const { interval } = compared(pairsOf(forty));
    expect(Math.abs((interval?.low as number) - -0.06692563)).toBeLessThan(0.008);
    expect(Math.abs((interval?.high as number) - 0.056925)).toBeLessThan(0.008);
  });

  it('count wins, ties and losses by conversation', () => {
    expect(compared(pairsOf(forty))).toMatchObject({ wins: 17, ties: 0, losses: 23 });
    expect(compared(pairsOf([0, 0.1, 0, -0.1, -0.2]))).toMatchObject({ wins: 1, ties: 2, losses: 2 });
  });

  it('that are the same run differ in nothing', () => {
    const same = compared(pairsOf([0, 0, 0]));
    expect(same).toMatchObject({ difference: 0, standardError: 0, interval: { low: 0, high: 0 }, pValue: 1, ties: 3 });
  });

  it('have no error and no interval for a single conversation', () => {
    expect(compared(pairsOf([0.2]))).toMatchObject({ standardError: null, interval: null, pValue: 1, wins: 1 });
    expect(comparePairs([], 0)).toBeNull();
  });
});

describe('repeats', () => {
  it('without noise of their own add no certainty', () => {
    const once = pairsOf(forty);
    const [one, three] = [compared(once), compared([...once, ...once, ...once])];
    expect(three).toMatchObject({ n: 120, conversations: 40, wins: one.wins, losses: one.losses });
    expect(three.difference).toBeCloseTo(one.difference, 12);
    expect(three.standardError).toBeCloseTo(one.standardError as number, 12);
    expect(three.interval?.low).toBeCloseTo(one.interval?.low as number, 12);
    expect(three.pValue).toBe(one.pValue);
  });

  it('count each as a sample of the mean, as the reference does', () => {
    const pairs = [
      { conversation: 1, baseline: 0, candidate: 1 },
      { conversation: 1, baseline: 0, candidate: 1 },
      { conversation: 2, baseline: 0, candidate: 0.4 },
    ];
    expect(compared(pairs).difference).toBeCloseTo(0.8, 12);
  });
});

describe('groups', () => {
  const pairs = pairsOf(forty);
  const groups = new Map([
    ['all', pairs],
    ['even', pairs.filter(({ conversation }) => conversation % 2 === 0)],
    ['none', []],
  ]);

  it('get the numbers that they would get alone, and leave out what has no pairs', () => {
    const work = comparePairGroups(groups, 4);
    let step = work.next();
    while (!step.done) step = work.next();
    const found = step.value;
    expect([...found.keys()]).toEqual(['all', 'even']);
    expect(found.get('all')).toEqual(comparePairs(pairs, 4));
    const { interval, ...alone } = compared(groups.get('even') ?? [], 4);
    expect(found.get('even')).toMatchObject(alone);
    expect(found.get('even')?.interval?.low).toBeLessThan(alone.difference);
  });
});

describe('for any pairs', () => {
  const score = fc.double({ min: -3, max: 1, noNaN: true });
  const pair = fc.record({ conversation: fc.nat(9), baseline: score, candidate: score });
  const list = fc.array(pair, { minLength: 1, maxLength: 20 });

  it('the order of the pairs changes nothing but the last bits', () => {
    fc.assert(
      fc.property(list, fc.nat(), (pairs, seed) => {
        const [there, back] = [compared(pairs, seed), compared([...pairs].reverse(), seed)];
        expect(back.difference).toBeCloseTo(there.difference, 9);
        expect(back.pValue).toBe(there.pValue);
        expect([back.wins, back.ties, back.losses]).toEqual([there.wins, there.ties, there.losses]);
      }),
      { numRuns: 50 },
    );
  });

  it('to change the sides changes the sign and nothing else', () => {
    fc.assert(
      fc.property(list, (pairs) => {
        const there = compared(pairs);
        const back = compared(pairs.map((p) => ({ ...p, baseline: p.candidate, candidate: p.baseline })));
        expect(back.difference).toBeCloseTo(-there.difference, 9);
        expect(back.pValue).toBe(there.pValue);
        expect([back.losses, back.wins]).toEqual([there.wins, there.losses]);
        expect(there.wins + there.ties + there.losses).toBe(there.conversations);
        expect(there.difference).toBeCloseTo(there.candidateMean - there.baselineMean, 9);
      }),
      { numRuns: 50 },
    );
  });
});

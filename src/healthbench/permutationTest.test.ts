import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { signFlipTest } from './permutationTest.js';

const eight = [0.1, -0.05, 0.3, 0.2, 0, 0.15, -0.1, 0.25];
/** Drawn by NumPy 2.4 as round(RandomState(3).normal(0.03, 0.2, 40), 3). */
const forty = [
  0.388, 0.117, 0.049, -0.343, -0.025, -0.041, 0.013, -0.095, 0.021, -0.065, -0.233, 0.207, 0.206, 0.372, 0.04, -0.051,
  -0.079, -0.279, 0.226, -0.19, -0.207, -0.011, 0.327, 0.077, -0.175, -0.113, 0.155, -0.002, -0.124, -0.016, 0.179,
  0.425, -0.219, -0.095, -0.131, -0.454, -0.155, -0.175, 0.255, 0.004,
];

describe('the permutation test', () => {
  it('tries every choice of signs for few differences, as scipy.stats.permutation_test does', () => {
    expect(signFlipTest(eight, 0)).toEqual({ pValue: 0.109375, exact: true });
  });

  it('draws for many, and comes as near to 400,000 draws of scipy as 10,000 can', () => {
    const { pValue, exact } = signFlipTest(forty, 0);
    expect(exact).toBe(false);
    expect(Math.abs(pValue - 0.871183)).toBeLessThan(0.012);
  });

  it('agrees with the count of all signs when it draws', () => {
    const fourteen = forty.slice(10, 24);
    let extreme = 0;
    const seen = Math.abs(fourteen.reduce((a, b) => a + b, 0));
    for (let signs = 0; signs < 2 ** 14; signs += 1) {
      const total = fourteen.reduce((sum, value, bit) => sum + ((signs >> bit) & 1 ? value : -value), 0);
      if (Math.abs(total) >= seen - 1e-12) extreme += 1;
    }
    const { pValue, exact } = signFlipTest(fourteen, 1);
    expect(exact).toBe(false);
    expect(Math.abs(pValue - extreme / 2 ** 14)).toBeLessThan(0.015);
  });

  it.each([
    [[0.3], 1],
    [[0.3, 0.3], 0.5],
    [[0, 0, 0], 1],
    [[0.1, 0.1, 0.1, 0.1, 0.1], 2 / 32],
  ])('of %p is %p', (sums, pValue) => {
    expect(signFlipTest(sums, 0).pValue).toBeCloseTo(pValue, 12);
  });

  it('gives the same number for the same seed, and never 0', () => {
    const clear = forty.map((value) => value + 2);
    expect(signFlipTest(clear, 5)).toEqual(signFlipTest(clear, 5));
    expect(signFlipTest(clear, 5).pValue).toBeCloseTo(1 / 10_001, 12);
  });

  it('does not care which of the two sides is called the first, nor about zeros', () => {
    const sum = fc.integer({ min: -20, max: 20 }).map((value) => value / 10);
    fc.assert(
      fc.property(fc.array(sum, { minLength: 1, maxLength: 12 }), (sums) => {
        const { pValue } = signFlipTest(sums, 0);
        const turned = signFlipTest(
          sums.map((value) => -value),
          0,
        );
        expect(turned.pValue).toBe(pValue);
        expect(signFlipTest([...sums, 0, 0], 0).pValue).toBe(pValue);
        expect(pValue).toBeGreaterThan(0);
        expect(pValue).toBeLessThanOrEqual(1);
      }),
    );
  });

  it('rejects an empty list', () => {
    expect(() => signFlipTest([], 0)).toThrow(RangeError);
  });
});

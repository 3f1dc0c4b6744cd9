import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { conversationsNeeded, minimalDetectableDifference, normalQuantile } from './power.js';

describe('the normal quantile', () => {
  it.each([
    [0.975, 1.959963984540054],
    [0.8, 0.8416212335729143],
    [0.9, 1.2815515655446004],
    [0.001, -3.090232306167813],
    [0.5, 0],
  ])('of %p is %p, as scipy.stats.norm.ppf has it', (p, z) => {
    expect(normalQuantile(p)).toBeCloseTo(z, 5);
  });

  it.each([0, 1, -1, Number.NaN])('does not exist for %p', (p) => {
    expect(() => normalQuantile(p)).toThrow(RangeError);
  });
});

describe('what n conversations can show', () => {
  it('is 2.8 standard errors at the usual 5 % and 80 %', () => {
    expect(minimalDetectableDifference(0.3, 100)).toBeCloseTo(2.801585218 * 0.03, 6);
    expect(minimalDetectableDifference(0.3, 100, { alpha: 0.05, power: 0.5 })).toBeCloseTo(1.959963985 * 0.03, 6);
  });

  it('needs 785 conversations for two points at a deviation of 0.2, and 4 times as many for half of that', () => {
    expect(conversationsNeeded(0.2, 0.02)).toBe(785);
    expect(conversationsNeeded(0.2, -0.01)).toBe(3140);
  });

  it('needs two conversations at least, since one has no spread', () => {
    expect(conversationsNeeded(0, 0.5)).toBe(2);
  });

  it('is one question asked in two ways', () => {
    const sd = fc.double({ min: 0.05, max: 2, noNaN: true });
    fc.assert(
      fc.property(sd, fc.integer({ min: 3, max: 100_000 }), (deviation, n) => {
        expect(conversationsNeeded(deviation, minimalDetectableDifference(deviation, n))).toBe(n);
      }),
    );
  });

  it.each([
    ['no conversations', () => minimalDetectableDifference(0.1, 0)],
    ['a negative deviation', () => minimalDetectableDifference(-0.1, 5)],
    ['a difference of 0', () => conversationsNeeded(0.1, 0)],
  ])('rejects %s', (_what, call) => {
    expect(call).toThrow(RangeError);
  });
});

import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { addCounts, agreement, agreementByTag, type VerdictCounts } from './agreement.js';

const counts = (bothMet: number, onlyFirstMet: number, onlySecondMet: number, neitherMet: number): VerdictCounts => ({
  bothMet,
  onlyFirstMet,
  onlySecondMet,
  neitherMet,
});

describe('agreement of two graders', () => {
  it('is the share of equal verdicts, and kappa takes chance away', () => {
    // 35 of 50 equal; each side says met in half or 60 %: chance gives one half.
    expect(agreement(counts(20, 5, 10, 15))).toMatchObject({ n: 50, rate: 0.7, kappa: expect.closeTo(0.4, 12) });
  });

  it('can be high while kappa is low, where nearly everything is met', () => {
    const { rate, kappa } = agreement(counts(90, 5, 5, 0));
    expect(rate).toBe(0.9);
    expect(kappa).toBeCloseTo((0.9 - 0.905) / 0.095, 12);
  });

  it('has no kappa, with the reason, where both always said the same', () => {
    expect(agreement(counts(7, 0, 0, 0))).toMatchObject({ rate: 1, kappa: null });
    expect(agreement(counts(0, 0, 0, 7)).kappaUnavailableReason).toContain('“not met” every time');
    expect(agreement(counts(0, 0, 0, 0))).toMatchObject({ n: 0, rate: null, kappa: null });
    expect(agreement(counts(0, 7, 0, 0))).toMatchObject({ rate: 0, kappa: 0 });
  });

  const some = fc.tuple(...[0, 1, 2, 3].map(() => fc.nat(200))).map(([a, b, c, d]) => {
    return counts(a as number, b as number, c as number, d as number);
  });

  it('is at most the raw rate, 1 only for full agreement, and the same from either side', () => {
    fc.assert(
      fc.property(some, (table) => {
        const { rate, kappa } = agreement(table);
        const turned = agreement({
          ...table,
          onlyFirstMet: table.onlySecondMet,
          onlySecondMet: table.onlyFirstMet,
        });
        if (kappa === null) return expect(turned.kappa).toBeNull();
        expect(turned.kappa).toBeCloseTo(kappa, 12);
        expect(kappa).toBeLessThanOrEqual((rate as number) + 1e-12);
        expect(kappa).toBeGreaterThanOrEqual(-1);
        if (table.onlyFirstMet + table.onlySecondMet > 0) expect(kappa).toBeLessThan(1);
      }),
    );
  });
});

describe('agreement by tag', () => {
  it('counts a criterion once for each of its tags', () => {
    const byTag = agreementByTag([
      { tags: ['axis:accuracy', 'level:example'], counts: counts(3, 1, 0, 0) },
      { tags: ['axis:completeness', 'level:example'], counts: counts(0, 0, 2, 4) },
      { tags: ['axis:accuracy', 'axis:accuracy'], counts: counts(0, 0, 0, 1) },
    ]);
    expect(byTag.map(({ tag, n, rate }) => [tag, n, rate])).toEqual([
      ['axis:accuracy', 5, 0.8],
      ['axis:completeness', 6, expect.closeTo(4 / 6, 12)],
      ['level:example', 10, 0.7],
    ]);
  });

  it('adds up', () => {
    expect(addCounts(counts(1, 2, 3, 4), counts(10, 20, 30, 40))).toEqual(counts(11, 22, 33, 44));
  });
});

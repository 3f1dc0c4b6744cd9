import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { addCounts, NO_VERDICTS, type VerdictCounts } from './agreement.js';
import { pairwiseF1, pairwiseMetrics, type Share } from './pairwiseF1.js';

/** Pairs of a judge's verdict with each label: T or F. */
const pairs = (judge: string, labels: string): VerdictCounts =>
  [...labels].reduce(
    (sum, label) =>
      addCounts(sum, {
        bothMet: Number(judge === 'T' && label === 'T'),
        onlyFirstMet: Number(judge === 'F' && label === 'T'),
        onlySecondMet: Number(judge === 'T' && label === 'F'),
        neitherMet: Number(judge === 'F' && label === 'F'),
      }),
    NO_VERDICTS,
  );
const all = (...records: [string, string][]) =>
  pairwiseMetrics(records.map(([judge, labels]) => pairs(judge, labels)).reduce(addCounts, NO_VERDICTS));
const about = (value: number, n: number): Share => ({ value: expect.closeTo(value, 5) as never, n });

// Worked examples of the meta-evaluation's definitions.
describe('pairwise metrics', () => {
  it('of three records with several labels each', () => {
    const a: [string, string][] = [
      ['T', 'TTF'],
      ['F', 'TF'],
    ];
    const b: [string, string] = ['T', 'F'];
    const { met, notMet, balanced } = all(...a, b);
    expect(met).toEqual({ precision: about(0.5, 4), recall: about(0.666667, 3), f1: about(0.571429, 5) });
    expect(notMet).toEqual({ precision: about(0.5, 2), recall: about(0.333333, 3), f1: about(0.4, 4) });
    expect(balanced.f1).toEqual(about(0.485714, 9));
    const first = all(...a);
    expect(first.met.precision).toEqual(about(0.666667, 3));
    expect(first.notMet.precision).toEqual(about(0.5, 2));
    expect([first.met.f1, first.notMet.f1]).toEqual([about(0.666667, 4), about(0.5, 3)]);
    expect(first.balanced.f1).toEqual(about(0.583333, 7));
  });

  it('does not exist where there is nothing to take a share of', () => {
    const { met, notMet, balanced } = all(['T', 'F']);
    expect([met.precision, notMet.recall]).toEqual([about(0, 1), about(0, 1)]);
    expect([notMet.precision, met.recall, met.f1, notMet.f1]).toEqual([null, null, null, null]);
    expect(balanced).toEqual({ precision: null, recall: null, f1: null });
  });

  it('of two categories, and of both pooled', () => {
    const a: [string, string][] = [
      ['T', 'TT'],
      ['T', 'TF'],
      ['F', 'FFT'],
    ];
    const b: [string, string][] = [
      ['F', 'TT'],
      ['T', 'TT'],
      ['F', 'FF'],
    ];
    const { met, notMet, balanced } = all(...a, ...b);
    expect(met).toEqual({ precision: about(0.833333, 6), recall: about(0.625, 8), f1: about(0.714286, 9) });
    expect(notMet).toEqual({ precision: about(0.571429, 7), recall: about(0.8, 5), f1: about(0.666667, 8) });
    expect(balanced.f1).toEqual(about(0.690476, 17));
    expect([all(...a).balanced.f1, all(...b).balanced.f1]).toEqual([about(0.708333, 9), about(0.666667, 8)]);
  });

  it('of physicians against each other', () => {
    const p1 = all(['T', 'F'], ['T', 'TF'], ['F', 'F']);
    expect(p1.met).toEqual({ precision: about(1 / 3, 3), recall: about(1, 1), f1: about(0.5, 3) });
    expect(p1.notMet).toEqual({ precision: about(1, 1), recall: about(1 / 3, 3), f1: about(0.5, 3) });
    expect(p1.balanced.f1).toEqual(about(0.5, 6));
    const p2 = all(['F', 'T'], ['F', 'TT'], ['F', 'F']);
    expect(p2.met).toEqual({ precision: null, recall: about(0, 3), f1: null });
    expect([p2.notMet.precision, p2.notMet.f1]).toEqual([about(0.25, 4), about(0.4, 4)]);
    expect(p2.balanced.f1).toBeNull();
    const p3 = all(['T', 'TF']);
    expect([p3.met.f1, p3.balanced.f1]).toEqual([about(0.666667, 2), null]);
  });

  it('of a judge who is always wrong is 0, and one who always says met has no balanced value', () => {
    const wrong = all(['T', 'F'], ['F', 'T']);
    expect([wrong.met.f1, wrong.notMet.f1, wrong.balanced.f1]).toEqual([about(0, 2), about(0, 2), about(0, 4)]);
    const always = all(['T', 'TF'], ['T', 'T']);
    expect(always.met).toEqual({ precision: about(0.666667, 3), recall: about(1, 2), f1: about(0.8, 3) });
    expect(always.notMet).toEqual({ precision: null, recall: about(0, 1), f1: null });
    expect([always.balanced.recall, always.balanced.f1]).toEqual([about(0.5, 3), null]);
  });

  it('has the same F1 whichever grader is judged by the other', () => {
    const counts = fc.tuple(fc.nat(50), fc.nat(50), fc.nat(50), fc.nat(50));
    fc.assert(
      fc.property(counts, ([bothMet, onlyFirstMet, onlySecondMet, neitherMet]) => {
        const one = pairwiseMetrics({ bothMet, onlyFirstMet, onlySecondMet, neitherMet });
        const other = pairwiseMetrics({
          bothMet,
          onlyFirstMet: onlySecondMet,
          onlySecondMet: onlyFirstMet,
          neitherMet,
        });
        expect(other.balanced.f1).toEqual(one.balanced.f1);
        expect(other.met.precision).toEqual(one.met.recall);
        for (const { value } of [one.met.f1, one.notMet.f1].filter((share) => share !== null)) {
          expect(value).toBeGreaterThanOrEqual(0);
          expect(value).toBeLessThanOrEqual(1);
        }
      }),
    );
  });

  it('names what has no F1, and why', () => {
    expect(pairwiseF1(pairs('T', 'TTF'))).toEqual({
      met: expect.closeTo(0.8, 12),
      notMet: null,
      balanced: null,
      unavailableReason: 'One of the graders never said “not met”.',
    });
    expect(pairwiseF1(NO_VERDICTS).unavailableReason).toMatch(/“met”.*“not met”/);
    expect(pairwiseF1(addCounts(pairs('T', 'T'), pairs('F', 'F')))).toEqual({
      met: 1,
      notMet: 1,
      balanced: 1,
      unavailableReason: null,
    });
  });
});

import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { holm } from './holm.js';

const p = fc.double({ min: 0, max: 1, noNaN: true });

describe('Holm’s correction', () => {
  it('multiplies the smallest by the number of questions, the next by one less, and never falls', () => {
    const adjusted = holm([0.01, 0.04, 0.03, 0.005]);
    expect(adjusted).toEqual([0.03, 0.06, 0.06, 0.02].map((value) => expect.closeTo(value, 12)));
  });

  it('leaves a single question as it is, and nothing for none', () => {
    expect(holm([0.2])).toEqual([0.2]);
    expect(holm([])).toEqual([]);
  });

  it('is never smaller than the p-value, never above 1 and keeps the order', () => {
    fc.assert(
      fc.property(fc.array(p, { maxLength: 15 }), (values) => {
        const adjusted = holm(values);
        for (const [at, value] of values.entries()) {
          expect(adjusted[at]).toBeGreaterThanOrEqual(value);
          expect(adjusted[at]).toBeLessThanOrEqual(1);
          for (const [other, second] of values.entries()) {
            if (value < second) expect(adjusted[at]).toBeLessThanOrEqual(adjusted[other] as number);
          }
        }
      }),
    );
  });
});

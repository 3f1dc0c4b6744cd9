import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { RunOrder } from './runOrder.js';

const readAll = (ids: string[], most = Number.POSITIVE_INFINITY) => {
  const order = new RunOrder();
  const places = ids.map((id, at) => order.add(id, `Line ${at + 1}`, most));
  return { repeats: order.end(), places };
};

describe('the order of an imported run', () => {
  it('is the whole list, once for each repeat', () => {
    fc.assert(
      fc.property(fc.uniqueArray(fc.string(), { minLength: 1 }), fc.integer({ min: 1, max: 4 }), (list, repeats) => {
        const ids = Array.from({ length: repeats }, () => list).flat();
        const read = readAll(ids);
        expect(read.repeats).toBe(repeats);
        expect(read.places).toEqual(
          ids.map((_, ordinal) => ({ ordinal, repeat: Math.floor(ordinal / list.length) + 1 })),
        );
      }),
    );
  });

  it.each([
    [['a', 'b', 'b'], Number.POSITIVE_INFINITY, /^Line 3: prompt_id b occurred before \(Line 2\)/],
    [['a', 'b', 'a', 'c'], Number.POSITIVE_INFINITY, /^Line 4: prompt_id c did not occur in the first repeat/],
    [['a', 'b', 'a'], Number.POSITIVE_INFINITY, /ends within a repeat: prompt_id b should come next/],
    [['a', 'b', 'a', 'b'], 1, /^Line 3: prompt_id a occurred before \(Line 1\)/],
    [[], 1, /holds no conversation/],
  ] as const)('%j with at most %d repeats is refused', (ids, most, message) => {
    expect(() => readAll([...ids], most)).toThrow(message);
  });
});

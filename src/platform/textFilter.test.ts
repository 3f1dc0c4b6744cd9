import { expect, it } from '@jest/globals';
import fc from 'fast-check';
import { textFilter } from './textFilter.js';

/** What Postgres does with a pattern, as far as it is of one text. */
const ilike = (pattern: string) =>
  new RegExp(
    `^${pattern.replace(/\\([\s\S])|(%)|(_)|([\s\S])/g, (_whole, escaped, percent, underscore, other) =>
      percent
        ? '[\\s\\S]*'
        : underscore
          ? '[\\s\\S]'
          : `\\x${(escaped ?? other).charCodeAt(0).toString(16).padStart(2, '0')}`,
    )}$`,
    'i',
  );

const text = fc.string({ unit: fc.constantFrom('a', 'B', '%', '_', '\\', ' ') });

it('finds a text in every text that holds it, in any case, and in no other', () => {
  fc.assert(
    fc.property(text, text, (part, whole) => {
      const { contains, mode } = textFilter(part);
      expect(mode).toBe('insensitive');
      expect(ilike(`%${contains}%`).test(whole)).toBe(whole.toLowerCase().includes(part.toLowerCase()));
    }),
  );
});

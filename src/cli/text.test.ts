import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { clean, cut, displayWidth, pad, wrap } from './text.js';

describe('text on a terminal', () => {
  it('is one line without anything that moves the cursor, colours the screen or turns the direction', () => {
    expect(clean('one\n  two\tthree \u001b[31mred\u001b[0m\u202e !')).toBe('one two three red !');
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what must be gone
        expect(clean(text)).not.toMatch(/[\u0000-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/);
      }),
    );
  });

  it('is as wide as it is drawn', () => {
    expect(displayWidth('fever')).toBe(5);
    expect(displayWidth('発熱')).toBe(4);
    expect(displayWidth('👩🏽‍⚕️')).toBe(2);
    expect(displayWidth('e\u0301')).toBe(1);
    expect(displayWidth('\u001b[1mbold\u001b[22m')).toBe(4);
  });

  it('is cut to a width and says so', () => {
    expect(cut('no more than this', 20)).toBe('no more than this');
    expect(cut('no more than this', 8)).toBe('no more…');
    expect(cut('発熱発熱', 6)).toBe('発熱…');
  });

  it('is filled to a width from either side', () => {
    expect(pad('熱', 4)).toBe('熱  ');
    expect(pad('12', 4, 'right')).toBe('  12');
    expect(pad('longer', 4)).toBe('longer');
  });

  it('is wrapped at spaces, and the last line that is allowed is cut', () => {
    expect(wrap('asks how long it has lasted', 10, 9)).toEqual(['asks how', 'long it', 'has lasted']);
    expect(wrap('asks how long it has lasted', 10, 2)).toEqual(['asks how', 'long it h…']);
    expect(wrap('unbreakablelongword', 8, 9)).toEqual(['unbreaka', 'blelongw', 'ord']);
    expect(wrap('', 8, 2)).toEqual([]);
  });

  it('fits after wrapping and loses nothing but spaces', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), fc.integer({ min: 2, max: 30 }), (raw, width) => {
        const text = clean(raw);
        const lines = wrap(text, width, Number.MAX_SAFE_INTEGER);
        for (const line of lines) expect(displayWidth(line)).toBeLessThanOrEqual(width);
        expect(lines.join('').replaceAll(' ', '')).toBe(text.replaceAll(' ', ''));
      }),
    );
  });
});

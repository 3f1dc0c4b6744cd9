import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { bar, counted, duration, percent, points, scale } from './format.js';
import { table } from './table.js';
import { displayWidth } from './text.js';

describe('numbers for a person', () => {
  it('shows a share in percent, below zero too, and what is undefined as a dash', () => {
    expect(percent(0.4127)).toBe('41.3 %');
    expect(percent(-0.4)).toBe('-40.0 %');
    expect(percent(-0.00001)).toBe('0.0 %');
    expect(percent(null)).toBe('–');
  });

  it('counts with the right noun', () => {
    expect(counted(1, 'criterion', 'criteria')).toBe('1 criterion');
    expect(counted(57_000, 'criterion', 'criteria')).toBe('57,000 criteria');
  });

  it('signs points', () => {
    expect([5, -8, 2.5, 0].map(points)).toEqual(['+5', '-8', '+2.5', '0']);
  });

  it('gives a duration in two units at most', () => {
    expect([0.04, 4.21, 59.4, 200, 3900, null].map(duration)).toEqual([
      '0.0 s',
      '4.2 s',
      '59 s',
      '3 min 20 s',
      '1 h 5 min',
      '–',
    ]);
  });

  it('never rounds minutes up to 60', () => {
    expect(duration(7199)).toBe('2 h 0 min');
    expect(duration(59.6)).toBe('1 min 0 s');
  });
});

describe('bars', () => {
  it('fill the width in eighths of a column', () => {
    expect(bar(0, 4)).toBe('');
    expect(bar(0.5, 4)).toBe('██');
    expect(bar(0.53, 4)).toBe('██▏');
    expect(bar(1.2, 4)).toBe('████');
    expect(bar(-1, 4)).toBe('');
  });

  it('show a score with its interval, on the scale whatever the numbers are', () => {
    expect(scale(0.5, { low: 0.25, high: 0.75 }, 9)).toBe('┈┈├─●─┤┈┈');
    expect(scale(1, null, 5)).toBe('┈┈┈┈●');
    const number = fc.double({ min: -2, max: 2, noNaN: true });
    fc.assert(
      fc.property(number, number, number, (share, a, b) => {
        const text = scale(share, { low: Math.min(a, b), high: Math.max(a, b) }, 40);
        expect(displayWidth(text)).toBe(40);
        expect(text).toContain('●');
      }),
    );
  });
});

describe('table', () => {
  it('aligns columns by what is drawn and ends lines without spaces', () => {
    const lines = table(
      [{ title: 'name' }, { title: 'score', align: 'right' }, { title: '' }],
      [
        ['熱', '4.0 %', '█'],
        ['longer name', '41.3 %', ''],
      ],
    );
    expect(lines).toEqual(['name          score', '熱            4.0 %  █', 'longer name  41.3 %']);
  });
});

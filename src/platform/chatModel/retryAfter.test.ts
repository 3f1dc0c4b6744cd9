import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { retryAfterMs } from './retryAfter.js';

const now = Date.parse('2026-03-01T12:00:00Z');
const wait = (headers: Record<string, string>, text = '') => retryAfterMs(headers, text, now);

describe('retry-after', () => {
  it.each([
    ['7', 7000],
    ['1.5', 1500],
    ['120ms', 120],
    ['6m0s', 360_000],
    ['Sun, 01 Mar 2026 12:01:30 GMT', 90_000],
    ['Sunday, 01-Mar-26 12:00:45 GMT', 45_000],
    ['Sun Mar  1 12:00:45 2026', 45_000],
    ['2026-03-01T12:00:30Z', 30_000],
    ['5, 9', 9000],
    [String(now / 1000 + 20), 20_000],
    ['Sun, 01 Mar 2026 11:00:00 GMT', null],
    ['-5', null],
    ['', null],
    ['soon', null],
    ['NaN', null],
    ['2031', 2_031_000],
  ])('%j', (value, expected) => {
    expect(wait({ 'retry-after': value })).toBe(expected);
  });

  it('prefers the header in milliseconds', () => {
    expect(wait({ 'retry-after-ms': '1250', 'retry-after': '2' })).toBe(1250);
  });
});

describe('other sources', () => {
  it('takes the reset of the budget that is used up', () => {
    const both = { 'x-ratelimit-remaining-requests': '12', 'x-ratelimit-reset-requests': '3m0s' };
    expect(wait(both)).toBeNull();
    expect(wait({ ...both, 'x-ratelimit-remaining-tokens': '0', 'x-ratelimit-reset-tokens': '120ms' })).toBe(120);
    expect(wait({ 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': String(now + 4000) })).toBe(4000);
    const dated = {
      'anthropic-ratelimit-requests-remaining': '0',
      'anthropic-ratelimit-requests-reset': '2026-03-01T12:00:09Z',
    };
    expect(wait(dated)).toBe(9000);
  });

  it.each([
    ['Try again in 4.77s.', 4770],
    ['Try again in 1m12.5s.', 72_500],
    ['Please retry after 20 seconds.', 20_000],
    ['Please wait 2 minutes', 120_000],
    ['try again in 850ms', 850],
    ['"retryDelay": "34s"', 34_000],
    ['"retry_after": 5}', 5000],
    ['Limit 6000, used 5000.', null],
    ['Try again later.', null],
  ])('reads %j', (text, expected) => {
    expect(wait({}, text)).toBe(expected);
  });

  it('never throws and never gives a negative or infinite wait', () => {
    fc.assert(
      fc.property(fc.string(), fc.string(), (header, text) => {
        const value = wait({ 'retry-after': header }, text);
        expect(value === null || (Number.isFinite(value) && value >= 0)).toBe(true);
      }),
    );
  });
});

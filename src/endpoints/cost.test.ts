import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { costOf, fromUsd, highestCost, toUsd } from './cost.js';

const price = { promptUsdPerMillion: 2, cachedPromptUsdPerMillion: 0.5, completionUsdPerMillion: 8 };
const usd = fc.integer({ min: 0, max: 100_000_000_000 }).map((micro) => micro / 1e6);
const prices = fc.record({
  promptUsdPerMillion: usd,
  cachedPromptUsdPerMillion: fc.option(usd),
  completionUsdPerMillion: usd,
});
const call = fc
  .record({ promptTokens: fc.nat(1_000_000), completionTokens: fc.nat(1_000_000), share: fc.nat(100) })
  .map(({ share, ...tokens }) => ({ ...tokens, cachedTokens: Math.floor((tokens.promptTokens * share) / 100) }));

describe('the cost of tokens', () => {
  it('is the price list times the tokens', () => {
    expect(toUsd(costOf(price, { promptTokens: 1_000_000, completionTokens: 500_000 }))).toBe(6);
    expect(toUsd(costOf(price, { promptTokens: 1_000_000, completionTokens: 0, cachedTokens: 400_000 }))).toBe(1.4);
    expect(costOf({ ...price, promptUsdPerMillion: 0.000001 }, { promptTokens: 1, completionTokens: 0 })).toBe(1n);
  });

  it('of a sum is the sum of the costs, to the last digit', () => {
    fc.assert(
      fc.property(prices, fc.array(call), (list, calls) => {
        const sum = (field: 'promptTokens' | 'completionTokens' | 'cachedTokens') =>
          calls.reduce((total, one) => total + BigInt(one[field]), 0n);
        const whole = costOf(list, {
          promptTokens: sum('promptTokens'),
          completionTokens: sum('completionTokens'),
          cachedTokens: sum('cachedTokens'),
        });
        expect(whole).toBe(calls.reduce((total, one) => total + costOf(list, one), 0n));
      }),
    );
  });

  it('is never above the highest that it can be', () => {
    fc.assert(fc.property(prices, call, (list, one) => costOf(list, one) <= highestCost(list, one)));
  });

  it('takes a limit to the millionth of a dollar', () => {
    expect(fromUsd(0.04)).toBe(40_000_000_000n);
    fc.assert(fc.property(fc.nat(1_000_000_000), (micro) => toUsd(fromUsd(micro / 1e6)) === micro / 1e6));
  });
});

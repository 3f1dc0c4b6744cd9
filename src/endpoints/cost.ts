import type { Price } from './price.js';

/**
 * Costs are whole numbers of millionths of a millionth of a dollar: a price with six decimals per million
 * tokens is a whole number of them per token, so that sums are exact whatever their order.
 */
const PICO = 1_000_000_000_000;

export interface Tokens {
  promptTokens: number | bigint;
  completionTokens: number | bigint;
  /** The part of the prompt that was cached; null or left out: not known to be. */
  cachedTokens?: number | bigint | null;
}

/** Linear in the tokens: the cost of sums is the sum of costs. */
export function costOf(price: Price, tokens: Tokens): bigint {
  const prompt = perToken(price.promptUsdPerMillion);
  const cached = price.cachedPromptUsdPerMillion === null ? prompt : perToken(price.cachedPromptUsdPerMillion);
  const cachedTokens = BigInt(tokens.cachedTokens ?? 0);
  return (
    (BigInt(tokens.promptTokens) - cachedTokens) * prompt +
    cachedTokens * cached +
    BigInt(tokens.completionTokens) * perToken(price.completionUsdPerMillion)
  );
}

/** The most that so many tokens can cost, cached or not. */
export function highestCost(price: Price, tokens: Tokens): bigint {
  const dearest = Math.max(price.promptUsdPerMillion, price.cachedPromptUsdPerMillion ?? 0);
  return costOf({ ...price, promptUsdPerMillion: dearest, cachedPromptUsdPerMillion: null }, tokens);
}

const perToken = (usdPerMillion: number): bigint => BigInt(Math.round(usdPerMillion * 1e6));

/** US dollars, for people. */
export const toUsd = (cost: bigint): number => Number(cost) / PICO;

/** A limit in US dollars, rounded down to a millionth. */
export const fromUsd = (usd: number): bigint => BigInt(Math.floor(usd * 1e6 + 1e-6)) * 1_000_000n;

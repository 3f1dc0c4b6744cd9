import { InvalidInput } from '../errors.js';
import { cleanText } from '../platform/relay/wellFormed.js';

/** What a model costs, in US dollars per million tokens. */
export type Price = {
  promptUsdPerMillion: number;
  /** Of prompt tokens that the provider had cached; null: as the others. */
  cachedPromptUsdPerMillion: number | null;
  completionUsdPerMillion: number;
};

export type ModelPrice = Price & { model: string };

export interface ModelPriceInput {
  model: string;
  promptUsdPerMillion: number;
  cachedPromptUsdPerMillion?: number | null;
  completionUsdPerMillion: number;
}

const MAX_PRICES = 500;
const MAX_USD_PER_MILLION = 100_000;

/** The price list to store. Throws InvalidInput: a model twice, a negative price, more than six decimals. */
export function cleanPrices(input: readonly ModelPriceInput[]): ModelPrice[] {
  if (input.length > MAX_PRICES) throw new InvalidInput(`must not hold more than ${MAX_PRICES} models.`, ['prices']);
  const prices = input.map((price, at) => {
    const path = ['prices', String(at)];
    const { promptUsdPerMillion, cachedPromptUsdPerMillion, completionUsdPerMillion } = price;
    return {
      model: cleanText(price.model, [...path, 'model']),
      promptUsdPerMillion: cleanUsd(promptUsdPerMillion, [...path, 'promptUsdPerMillion']),
      cachedPromptUsdPerMillion:
        cachedPromptUsdPerMillion == null
          ? null
          : cleanUsd(cachedPromptUsdPerMillion, [...path, 'cachedPromptUsdPerMillion']),
      completionUsdPerMillion: cleanUsd(completionUsdPerMillion, [...path, 'completionUsdPerMillion']),
    };
  });
  const twice = prices.find(({ model }, at) => prices.findIndex((other) => other.model === model) !== at);
  if (twice !== undefined) throw new InvalidInput(`names the model “${twice.model}” twice.`, ['prices']);
  return prices;
}

function cleanUsd(usd: number, path: string[]): number {
  if (!(usd >= 0 && usd <= MAX_USD_PER_MILLION)) {
    throw new InvalidInput(`must be between 0 and ${MAX_USD_PER_MILLION} US dollars per million tokens.`, path);
  }
  if (Math.abs(usd * 1e6 - Math.round(usd * 1e6)) > 1e-3) {
    throw new InvalidInput('must not have more than six decimals.', path);
  }
  return Math.round(usd * 1e6) / 1e6;
}

/** The price of a model in an endpoint's list, by its exact name; null when it is not there. */
export function priceOf(prices: unknown, model: string): Price | null {
  const found = (prices as ModelPrice[]).find((price) => price.model === model);
  if (found === undefined) return null;
  const { model: _, ...price } = found;
  return price;
}

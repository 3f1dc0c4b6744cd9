import { costOf, toUsd } from '../endpoints/cost.js';
import type { Price } from '../endpoints/price.js';

/** What one or several calls used, as their providers reported it. */
export interface CallUsage {
  /** Requests that were sent, failed ones included. */
  calls: number;
  promptTokens: number;
  completionTokens: number;
  /** Null: never reported. */
  cachedTokens: number | null;
  reasoningTokens: number | null;
  /** Replies that came without their usage, so that the sums above are too low. */
  unmeasuredCalls: number;
}

export const noUsage: CallUsage = {
  calls: 0,
  promptTokens: 0,
  completionTokens: 0,
  cachedTokens: null,
  reasoningTokens: null,
  unmeasuredCalls: 0,
};

/** What several calls used together. */
export function sumUsage(usages: readonly CallUsage[]): CallUsage {
  return usages.reduce(
    (sum, usage) => ({
      calls: sum.calls + usage.calls,
      promptTokens: sum.promptTokens + usage.promptTokens,
      completionTokens: sum.completionTokens + usage.completionTokens,
      cachedTokens: addReported(sum.cachedTokens, usage.cachedTokens),
      reasoningTokens: addReported(sum.reasoningTokens, usage.reasoningTokens),
      unmeasuredCalls: sum.unmeasuredCalls + usage.unmeasuredCalls,
    }),
    noUsage,
  );
}

const addReported = (sum: number | null, more: number | null): number | null =>
  more === null ? sum : (sum ?? 0) + more;

/** Usage of a model in a run, from its counters. */
export interface ModelUsageSums {
  calls: number;
  promptTokens: bigint;
  completionTokens: bigint;
  cachedTokens: bigint | null;
  reasoningTokens: bigint | null;
  unmeasuredCalls: number;
}

/** A cost that is known, or null with the reason. Never 0 for what is not known. */
export interface Cost {
  costUsd: number | null;
  costUnknownReason: string | null;
}

export const NO_PRICE = "no price: the endpoint's price list did not have this model when the run began";

/** The cost of a model's calls. Calls of which nothing is known make it unknown, unless the model is free. */
export function costOfUsage(price: Price | null | undefined, usage: ModelUsageSums): Cost & { cost: bigint | null } {
  if (price == null) return { cost: null, costUsd: null, costUnknownReason: NO_PRICE };
  const free = price.promptUsdPerMillion === 0 && price.completionUsdPerMillion === 0;
  if (usage.unmeasuredCalls > 0 && !free) {
    const reason = `no usage: the provider did not report the tokens of ${usage.unmeasuredCalls} replies`;
    return { cost: null, costUsd: null, costUnknownReason: reason };
  }
  const cost = costOf(price, usage);
  return { cost, costUsd: toUsd(cost), costUnknownReason: null };
}

/** The sum of costs; unknown when one of them is. */
export function sumCosts(costs: readonly (Cost & { cost: bigint | null })[]): Cost {
  const unknown = costs.find(({ cost }) => cost === null);
  if (unknown !== undefined) return { costUsd: null, costUnknownReason: unknown.costUnknownReason };
  return { costUsd: toUsd(costs.reduce((sum, { cost }) => sum + (cost ?? 0n), 0n)), costUnknownReason: null };
}

import { toUsd } from '../endpoints/cost.js';
import type { BudgetLimits } from './budgetLimits.js';

/** What of a budget the estimate passes, in words; the run would pause there. */
export function budgetWarnings(
  budget: BudgetLimits | null,
  estimate: { calls: number; totalTokens: bigint; costUsd: number | null },
): string[] {
  const { maxCost, maxCalls, maxTokens } = budget ?? { maxCost: null, maxCalls: null, maxTokens: null };
  const { calls, totalTokens, costUsd } = estimate;
  const warnings: string[] = [];
  if (maxCost !== null && costUsd !== null && costUsd > toUsd(maxCost)) {
    warnings.push(`about ${costUsd.toFixed(2)} USD, more than the ${toUsd(maxCost)} USD of maxCostUsd`);
  }
  if (maxCalls !== null && calls > maxCalls) warnings.push(`${calls} calls, more than the ${maxCalls} of maxCalls`);
  if (maxTokens !== null && totalTokens > maxTokens) {
    warnings.push(`about ${totalTokens} tokens, more than the ${maxTokens} of maxTokens`);
  }
  return warnings;
}

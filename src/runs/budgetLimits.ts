import { fromUsd } from '../endpoints/cost.js';
import { InvalidInput } from '../errors.js';
import type { ModelSettings } from './modelSettings.js';

export interface BudgetInput {
  maxCostUsd?: number | null;
  maxCalls?: number | null;
  maxTokens?: number | null;
}

/** Null: no such limit. Costs as in endpoints/cost. */
export interface BudgetLimits {
  maxCost: bigint | null;
  maxCalls: number | null;
  maxTokens: bigint | null;
}

const MAX_COST_USD = 1_000_000;
const MAX_CALLS = 2_000_000_000;
const MAX_TOKENS = 1e15;

/**
 * The limits to keep; null when there is none. Throws InvalidInput, also for a limit in dollars on a model
 * without a price: what costs an unknown amount cannot be held below an amount.
 */
export function budgetLimits(
  input: BudgetInput | null,
  models: readonly ModelSettings[],
  path: readonly string[] = ['budget'],
): BudgetLimits | null {
  const { maxCostUsd, maxCalls, maxTokens } = input ?? {};
  if (maxCostUsd == null && maxCalls == null && maxTokens == null) return null;
  const unpriced = models.find(({ price }) => price == null);
  if (maxCostUsd != null && unpriced !== undefined) {
    throw new InvalidInput(
      `The endpoint “${unpriced.endpointName}” has no price for the model “${unpriced.model}”: store one with ` +
        'updateModelEndpoint (0 for a free model), or limit maxCalls or maxTokens.',
      [...path, 'maxCostUsd'],
    );
  }
  const cost = within(maxCostUsd, MAX_COST_USD, [...path, 'maxCostUsd']);
  const tokens = whole(maxTokens, MAX_TOKENS, [...path, 'maxTokens']);
  return {
    maxCost: cost === null ? null : fromUsd(cost),
    maxCalls: whole(maxCalls, MAX_CALLS, [...path, 'maxCalls']),
    maxTokens: tokens === null ? null : BigInt(tokens),
  };
}

function within(value: number | null | undefined, most: number, path: string[]): number | null {
  if (value == null) return null;
  if (value > 0 && value <= most) return value;
  throw new InvalidInput(`must be more than 0 and at most ${most}.`, path);
}

function whole(value: number | null | undefined, most: number, path: string[]): number | null {
  if (value != null && !Number.isInteger(value)) throw new InvalidInput('must be a whole number.', path);
  return within(value, most, path);
}

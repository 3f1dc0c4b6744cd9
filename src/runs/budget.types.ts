import { Field, Float, InputType, Int, ObjectType } from 'type-graphql';
import { toUsd } from '../endpoints/cost.js';
import type { RunBudget } from '../platform/database.js';
import { BigIntScalar } from '../platform/relay/scalars.js';
import { RunIdInput } from './run.inputs.js';

const LIMIT = 'Null: no such limit.';

@ObjectType('RunBudget', {
  simpleResolvers: true,
  description:
    'Hard limits of a run. Room for a call is reserved before it is made, and what it used is settled after it. ' +
    'A call whose usage is not known although it may have been paid is charged with the most it could use.',
})
export class RunBudgetType {
  @Field(() => Float, { nullable: true, description: LIMIT })
  maxCostUsd!: number | null;

  @Field(() => Int, { nullable: true, description: LIMIT })
  maxCalls!: number | null;

  @Field(() => BigIntScalar, { nullable: true, description: LIMIT })
  maxTokens!: bigint | null;

  @Field(() => Float, { description: 'Charged so far; counts only models with a price.' })
  spentCostUsd!: number;

  @Field(() => Int)
  spentCalls!: number;

  @Field(() => BigIntScalar)
  spentTokens!: bigint;

  @Field(() => Boolean, {
    description:
      'Both models have maxTokens, so that no reply is longer than what was reserved for it. Without, a reply that ' +
      'is more than twice as long as those before may pass a limit in dollars or tokens by its excess.',
  })
  repliesAreBounded!: boolean;
}

@InputType()
export class UpdateRunBudgetInput extends RunIdInput {
  @Field(() => Float, { nullable: true, description: 'Left out: as it is. Null: no such limit any more.' })
  maxCostUsd?: number | null;

  @Field(() => Int, { nullable: true })
  maxCalls?: number | null;

  @Field(() => Float, { nullable: true, description: 'A whole number.' })
  maxTokens?: number | null;
}

/** The row as the API shows it. */
export function runBudgetType(row: RunBudget, repliesAreBounded: boolean): RunBudgetType {
  const { maxCost, maxCalls, maxTokens, spentCost, spentCalls, spentTokens } = row;
  return {
    maxCostUsd: maxCost === null ? null : toUsd(maxCost),
    maxCalls,
    maxTokens,
    spentCostUsd: toUsd(spentCost),
    spentCalls,
    spentTokens,
    repliesAreBounded,
  };
}

import { Field, Float, Int, ObjectType } from 'type-graphql';
import { costOf, toUsd } from '../endpoints/cost.js';
import type { Price } from '../endpoints/price.js';
import { BigIntScalar } from '../platform/relay/scalars.js';
import type { ModelSettings } from './modelSettings.js';
import type { RunRow } from './run.queries.js';
import { type Cost, costOfUsage, type ModelUsageSums, NO_PRICE, sumCosts } from './usage.js';

const COST = 'At the prices of the start of the run. Null when unknown: see costUnknownReason.';
const REPORTED = 'Null when the provider never said.';

@ObjectType({ simpleResolvers: true, description: 'Of one model, failed calls and rejected replies included.' })
export class ModelUsage {
  @Field(() => Int, { description: 'Requests that were sent.' })
  calls!: number;

  @Field(() => BigIntScalar, { description: 'As the provider reports them.' })
  promptTokens!: bigint;

  @Field(() => BigIntScalar)
  completionTokens!: bigint;

  @Field(() => BigIntScalar, { nullable: true, description: `The cached part of the prompts. ${REPORTED}` })
  cachedTokens!: bigint | null;

  @Field(() => BigIntScalar, { nullable: true, description: `The thinking part of the completions. ${REPORTED}` })
  reasoningTokens!: bigint | null;

  @Field(() => Int, { description: 'Replies that came without their usage: what they cost is not known.' })
  unmeasuredCalls!: number;

  @Field(() => Float, { nullable: true, description: COST })
  costUsd!: number | null;

  @Field(() => String, { nullable: true })
  costUnknownReason!: string | null;
}

@ObjectType({ simpleResolvers: true, description: 'What the run has used so far, failed calls included.' })
export class RunUsage {
  @Field(() => ModelUsage)
  model!: ModelUsage;

  @Field(() => ModelUsage)
  grader!: ModelUsage;

  @Field(() => Int)
  calls!: number;

  @Field(() => BigIntScalar, { description: 'Prompts and completions of both models.' })
  totalTokens!: bigint;

  @Field(() => Float, { nullable: true, description: COST })
  costUsd!: number | null;

  @Field(() => String, { nullable: true })
  costUnknownReason!: string | null;
}

@ObjectType('CallUsage', { simpleResolvers: true, description: 'What one call used, as the provider reported it.' })
export class CallUsageType {
  @Field(() => Int, { nullable: true })
  promptTokens!: number | null;

  @Field(() => Int, { nullable: true })
  completionTokens!: number | null;

  @Field(() => Int, { nullable: true, description: 'The cached part of the prompt.' })
  cachedTokens!: number | null;

  @Field(() => Int, { nullable: true, description: 'The thinking part of the completion.' })
  reasoningTokens!: number | null;

  @Field(() => Float, { nullable: true, description: COST })
  costUsd!: number | null;

  @Field(() => String, { nullable: true })
  costUnknownReason!: string | null;
}

export type CallTokens = Pick<CallUsageType, 'promptTokens' | 'completionTokens' | 'cachedTokens' | 'reasoningTokens'>;

/** One call as the API shows it. */
export function callUsageType(price: Price | null, tokens: CallTokens): CallUsageType {
  const { promptTokens, completionTokens, cachedTokens, reasoningTokens } = tokens;
  return { promptTokens, completionTokens, cachedTokens, reasoningTokens, ...costOfCall(price, tokens) };
}

function costOfCall(price: Price | null, { promptTokens, completionTokens, cachedTokens }: CallTokens): Cost {
  if (promptTokens === null || completionTokens === null) {
    return { costUsd: null, costUnknownReason: 'no usage: the provider did not report the tokens' };
  }
  if (price === null) return { costUsd: null, costUnknownReason: NO_PRICE };
  return { costUsd: toUsd(costOf(price, { promptTokens, completionTokens, cachedTokens })), costUnknownReason: null };
}

/** The usage of a run, from its counters. */
export function runUsage({ progress, log, modelUnderTest, grader, origin }: RunRow): RunUsage {
  if (progress === null || log === null) throw new Error('the run has lost its counters');
  const modelUsage = origin === null ? usageOf : importedUsage;
  const model = modelUsage(modelUnderTest as unknown as ModelSettings, {
    calls: progress.modelCalls,
    promptTokens: progress.modelPromptTokens,
    completionTokens: progress.modelCompletionTokens,
    cachedTokens: progress.modelCachedTokens,
    reasoningTokens: progress.modelReasoningTokens,
    unmeasuredCalls: progress.modelUnmeasuredCalls,
  });
  const judge = modelUsage(grader as unknown as ModelSettings, {
    calls: log.graderCalls,
    promptTokens: log.graderPromptTokens,
    completionTokens: log.graderCompletionTokens,
    cachedTokens: log.graderCachedTokens,
    reasoningTokens: log.graderReasoningTokens,
    unmeasuredCalls: log.graderUnmeasuredCalls,
  });
  const tokens = [model, judge].map(({ promptTokens, completionTokens }) => promptTokens + completionTokens);
  return {
    model,
    grader: judge,
    calls: model.calls + judge.calls,
    totalTokens: tokens.reduce((sum, n) => sum + n, 0n),
    ...sumCosts([model, judge]),
  };
}

const usageOf = ({ price }: ModelSettings, usage: ModelUsageSums) => ({ ...usage, ...costOfUsage(price, usage) });

const importedUsage = (_settings: ModelSettings, usage: ModelUsageSums) => ({
  ...usage,
  cost: null,
  costUsd: null,
  costUnknownReason: 'imported: nothing was called for it here, and its file does not say what it cost',
});

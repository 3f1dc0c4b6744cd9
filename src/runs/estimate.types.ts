import { Field, Float, Int, ObjectType } from 'type-graphql';
import { BigIntScalar } from '../platform/relay/scalars.js';

const COST = "At the endpoint's present prices. Null when unknown: see costUnknownReason.";

@ObjectType({ simpleResolvers: true, description: 'What one of the two models would be asked.' })
export class ModelEstimate {
  @Field(() => String)
  model!: string;

  @Field(() => String)
  endpointName!: string;

  @Field(() => Int, { description: 'Without repeated ones.' })
  calls!: number;

  @Field(() => BigIntScalar)
  promptTokens!: bigint;

  @Field(() => BigIntScalar)
  completionTokens!: bigint;

  @Field(() => Float, { description: "Of a call: the mean in the team's newest run with this model, or assumed." })
  latencyMs!: number;

  @Field(() => Boolean, { description: 'False: assumed as half a second and 50 completion tokens a second.' })
  latencyMeasured!: boolean;

  @Field(() => Float, { nullable: true, description: COST })
  costUsd!: number | null;

  @Field(() => String, { nullable: true })
  costUnknownReason!: string | null;
}

@ObjectType({
  simpleResolvers: true,
  description:
    'What a run would take, before anything is spent. Calls are exact: one per conversation and repeat, one per ' +
    'criterion of each. Prompt tokens are the characters of the very texts that would be sent (for the grader: its ' +
    'template, the conversation, a reply of 2,000 characters, the criterion) divided by 4. Completions are taken as ' +
    '500 tokens a reply and 92 a grading, or maxTokens where that is less. Calls that have to be repeated, and ' +
    'thinking, come on top: a reasoning model may take several times as many completion tokens.',
})
export class RunEstimate {
  @Field(() => Int, { description: 'Repeats included.' })
  conversations!: number;

  @Field(() => Int, { description: 'Repeats included.' })
  criteria!: number;

  @Field(() => Int)
  calls!: number;

  @Field(() => BigIntScalar)
  totalTokens!: bigint;

  @Field(() => Float, {
    description: 'When the endpoints are as busy as their limits allow, and nothing else uses them.',
  })
  seconds!: number;

  @Field(() => ModelEstimate)
  modelUnderTest!: ModelEstimate;

  @Field(() => ModelEstimate)
  grader!: ModelEstimate;

  @Field(() => Float, { nullable: true, description: COST })
  costUsd!: number | null;

  @Field(() => String, { nullable: true })
  costUnknownReason!: string | null;

  @Field(() => [String], { description: 'Limits of the budget that the estimate passes.' })
  budgetWarnings!: string[];
}

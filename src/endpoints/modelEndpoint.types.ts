import { Field, Float, ID, InputType, Int, ObjectType } from 'type-graphql';
import { Node } from '../platform/relay/node.type.js';
import { DateTime } from '../platform/relay/scalars.js';
import { UserError } from '../platform/relay/userError.type.js';

const CACHED = 'Of prompt tokens that the provider had cached; null: as the others.';

@ObjectType('ModelPrice', {
  simpleResolvers: true,
  description: 'What a model costs, in US dollars per million tokens.',
})
export class ModelPriceType {
  @Field(() => String, { description: 'The exact name of the model.' })
  model!: string;

  @Field(() => Float)
  promptUsdPerMillion!: number;

  @Field(() => Float, { nullable: true, description: CACHED })
  cachedPromptUsdPerMillion!: number | null;

  @Field(() => Float, { description: 'Thinking counts as completion.' })
  completionUsdPerMillion!: number;
}

@InputType({ description: 'US dollars per million tokens, with at most six decimals. 0 is free.' })
export class ModelPriceInput {
  @Field(() => String, { description: 'The exact name of the model.' })
  model!: string;

  @Field(() => Float)
  promptUsdPerMillion!: number;

  @Field(() => Float, { nullable: true, description: CACHED })
  cachedPromptUsdPerMillion?: number | null;

  @Field(() => Float)
  completionUsdPerMillion!: number;
}

@ObjectType('ModelEndpoint', { implements: Node, simpleResolvers: true, description: 'An OpenAI-compatible API.' })
export class ModelEndpointType extends Node {
  @Field(() => String)
  name!: string;

  @Field(() => String)
  baseUrl!: string;

  @Field(() => Boolean, { description: 'Whether a key is stored; the key itself is never returned.' })
  hasApiKey!: boolean;

  @Field(() => Int, { description: 'Calls in flight at most, over all runs and worker processes together.' })
  maxConcurrency!: number;

  @Field(() => Int, { nullable: true, description: 'Calls begun in any minute at most; null: no such limit.' })
  requestsPerMinute!: number | null;

  @Field(() => Int, { nullable: true, description: 'Tokens of calls in any minute at most; null: no such limit.' })
  tokensPerMinute!: number | null;

  @Field(() => String, { nullable: true })
  defaultModel!: string | null;

  @Field(() => String, { nullable: true })
  defaultGrader!: string | null;

  @Field(() => [ModelPriceType], { description: 'The price list. The cost of a model that is not in it is unknown.' })
  prices!: ModelPriceType[];

  @Field(() => Boolean, { description: 'A simulated provider: its replies and verdicts are made up.' })
  simulated!: boolean;

  @Field(() => DateTime)
  createdAt!: Date;
}

@InputType()
export class CreateModelEndpointInput {
  @Field(() => String)
  name!: string;

  @Field(() => String, { description: 'For example https://api.openai.com/v1' })
  baseUrl!: string;

  @Field(() => String, { nullable: true })
  apiKey?: string | null;

  @Field(() => Int, { nullable: true, description: 'Calls in flight at most; 16 by default.' })
  maxConcurrency?: number | null;

  @Field(() => Int, { nullable: true, description: 'Calls begun in any minute at most; no limit by default.' })
  requestsPerMinute?: number | null;

  @Field(() => Int, { nullable: true, description: 'Tokens in any minute at most; no limit by default.' })
  tokensPerMinute?: number | null;

  @Field(() => String, { nullable: true, description: 'The model under test where a run names none.' })
  defaultModel?: string | null;

  @Field(() => String, { nullable: true, description: 'The grader where a run names none.' })
  defaultGrader?: string | null;

  @Field(() => Boolean, { nullable: true })
  simulated?: boolean;

  @Field(() => [ModelPriceInput], { nullable: true, description: 'None by default: then costs are unknown.' })
  prices?: ModelPriceInput[] | null;
}

@InputType()
export class UpdateModelEndpointInput {
  @Field(() => ID)
  endpointId!: string;

  @Field(() => String, { nullable: true })
  name?: string;

  @Field(() => String, { nullable: true, description: 'Another host needs apiKey again.' })
  baseUrl?: string;

  @Field(() => String, { nullable: true })
  apiKey?: string | null;

  @Field(() => Int, { nullable: true })
  maxConcurrency?: number | null;

  @Field(() => Int, { nullable: true, description: 'Null takes the limit away.' })
  requestsPerMinute?: number | null;

  @Field(() => Int, { nullable: true, description: 'Null takes the limit away.' })
  tokensPerMinute?: number | null;

  @Field(() => String, { nullable: true })
  defaultModel?: string | null;

  @Field(() => String, { nullable: true })
  defaultGrader?: string | null;

  @Field(() => [ModelPriceInput], {
    nullable: true,
    description: 'The whole list, in place of the one before. A run keeps the prices of its start.',
  })
  prices?: ModelPriceInput[] | null;
}

@InputType()
export class DeleteModelEndpointInput {
  @Field(() => ID)
  endpointId!: string;
}

@ObjectType()
export class ModelEndpointPayload {
  @Field(() => ModelEndpointType, { nullable: true })
  modelEndpoint!: ModelEndpointType | null;

  @Field(() => [UserError])
  userErrors!: UserError[];
}

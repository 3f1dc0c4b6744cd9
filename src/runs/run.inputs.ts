import { ArgsType, Field, Float, ID, InputType, Int, ObjectType, registerEnumType } from 'type-graphql';
import { RunConversationStatus, RunStatus } from '../platform/database.js';
import { PageArgs } from '../platform/relay/connection.js';
import { DateTime } from '../platform/relay/scalars.js';
import { UserError } from '../platform/relay/userError.type.js';
import { RunType } from './run.types.js';
import { ScoringInputType } from './scoring.types.js';

export enum SampleMethodEnum {
  ALL = 'ALL',
  FIRST = 'FIRST',
  PYTHON_RANDOM = 'PYTHON_RANDOM',
  PANDAS = 'PANDAS',
}
registerEnumType(SampleMethodEnum, {
  name: 'SampleMethod',
  description: 'PYTHON_RANDOM equals random.Random(seed).sample, PANDAS equals DataFrame.sample(random_state=seed).',
});

export enum RunOrder {
  CREATED_AT_DESC = 'CREATED_AT_DESC',
  CREATED_AT_ASC = 'CREATED_AT_ASC',
  NAME_ASC = 'NAME_ASC',
}
registerEnumType(RunOrder, { name: 'RunOrder' });

export enum RunConversationOrder {
  ORDINAL_ASC = 'ORDINAL_ASC',
  SCORE_ASC = 'SCORE_ASC',
  SCORE_DESC = 'SCORE_DESC',
}
registerEnumType(RunConversationOrder, {
  name: 'RunConversationOrder',
  description: 'By score, conversations without a score come last.',
});

@InputType('SampleInput')
export class SampleInputType {
  @Field(() => SampleMethodEnum, { nullable: true, description: 'ALL by default; with a size PYTHON_RANDOM.' })
  method?: SampleMethodEnum | null;

  @Field(() => Int, { nullable: true })
  size?: number | null;

  @Field(() => Float, { nullable: true, description: 'A whole number; 0 by default.' })
  seed?: number | null;

  @Field(() => [String], { nullable: true, description: 'Exactly these conversations, in this order.' })
  promptIds?: string[] | null;
}

@InputType('ModelInput')
export class ModelInputType {
  @Field(() => ID, { nullable: true, description: "By default the team's first." })
  endpointId?: string | null;

  @Field(() => String, { nullable: true, description: "By default the endpoint's." })
  model?: string | null;

  @Field(() => Float, {
    nullable: true,
    description: "0.3 for the model under test and 0 for the grader unless given; null: the provider's default.",
  })
  temperature?: number | null;

  @Field(() => String, { nullable: true, description: 'For example low; sent only when given.' })
  reasoningEffort?: string | null;

  @Field(() => Int, { nullable: true })
  maxTokens?: number | null;

  @Field(() => String, { nullable: true, description: 'None by default.' })
  systemMessage?: string | null;
}

@InputType('GraderInput')
export class GraderInputType extends ModelInputType {
  @Field(() => ID, { nullable: true, description: 'A grader template of the team; by default the built-in one.' })
  templateId?: string | null;
}

@InputType('BudgetInput', {
  description:
    'Hard limits: the run pauses before a call that could pass one. Set maxTokens of both models as well, so that ' +
    'every reply has a bound.',
})
export class BudgetInputType {
  @Field(() => Float, { nullable: true, description: 'Needs a price for both models.' })
  maxCostUsd?: number | null;

  @Field(() => Int, { nullable: true, description: 'Requests to both models, failed ones included.' })
  maxCalls?: number | null;

  @Field(() => Float, { nullable: true, description: 'Prompts and completions of both models. A whole number.' })
  maxTokens?: number | null;
}

@InputType()
export class StartRunInput {
  @Field(() => String, { nullable: true, description: 'The same key and input again returns the first run.' })
  idempotencyKey?: string | null;

  @Field(() => String, { nullable: true })
  name?: string | null;

  @Field(() => ID)
  datasetId!: string;

  @Field(() => SampleInputType, { nullable: true, description: 'All conversations by default.' })
  sample?: SampleInputType | null;

  @Field(() => Int, { nullable: true, description: '1 by default.' })
  repeats?: number | null;

  @Field(() => ModelInputType, { nullable: true })
  modelUnderTest?: ModelInputType | null;

  @Field(() => GraderInputType, { nullable: true })
  grader?: GraderInputType | null;

  @Field(() => String, {
    nullable: true,
    description: 'healthbench (default), healthbench-length-adjusted or healthbench-professional.',
  })
  scoringProfile?: string | null;

  @Field(() => BudgetInputType, { nullable: true, description: 'None by default.' })
  budget?: BudgetInputType | null;
  @Field(() => ScoringInputType, { nullable: true, description: 'What the profile leaves open.' })
  scoring?: ScoringInputType | null;
}

@InputType({
  description: 'Of the grader, what is left out stays as in the first run: its endpoint, model, parameters and prompt.',
})
export class RegradeRunInput {
  @Field(() => String, { nullable: true, description: 'The same key and input again returns the first run.' })
  idempotencyKey?: string | null;

  @Field(() => ID, { description: 'A run that is over. Of a regrade, the run that it regrades is taken.' })
  runId!: string;

  @Field(() => String, { nullable: true })
  name?: string | null;

  @Field(() => GraderInputType, {
    nullable: true,
    description:
      "With another endpoint and no model, the endpoint's default grader. A templateId of null: the built-in.",
  })
  grader?: GraderInputType | null;

  @Field(() => BudgetInputType, { nullable: true, description: 'None by default, whatever the first run had.' })
  budget?: BudgetInputType | null;
}

@InputType()
export class RunIdInput {
  @Field(() => ID)
  runId!: string;
}

@InputType()
export class RetryRunInput extends RunIdInput {
  @Field(() => String, { nullable: true })
  idempotencyKey?: string | null;
}

@ObjectType()
export class StartRunPayload {
  @Field(() => RunType, { nullable: true })
  run!: RunType | null;

  @Field(() => [UserError])
  userErrors!: UserError[];
}

@ObjectType()
export class RunPayload {
  @Field(() => RunType, { nullable: true })
  run!: RunType | null;

  @Field(() => [UserError])
  userErrors!: UserError[];
}

@InputType()
export class RunFilter {
  @Field(() => ID, { nullable: true })
  datasetId?: string | null;

  @Field(() => String, { nullable: true, description: 'The model under test.' })
  model?: string | null;

  @Field(() => String, { nullable: true, description: "The grader's model." })
  grader?: string | null;

  @Field(() => [RunStatus], { nullable: true })
  status?: RunStatus[] | null;

  @Field(() => String, { nullable: true, description: 'Part of the name, in any case.' })
  name?: string | null;

  @Field(() => DateTime, { nullable: true, description: 'From this moment on.' })
  createdAfter?: Date | null;

  @Field(() => DateTime, { nullable: true, description: 'Before this moment.' })
  createdBefore?: Date | null;
}

@InputType()
export class RunConversationFilter {
  @Field(() => [RunConversationStatus], { nullable: true })
  status?: RunConversationStatus[] | null;

  @Field(() => String, { nullable: true, description: 'For example hedging.' })
  theme?: string | null;

  @Field(() => Float, { nullable: true })
  minScore?: number | null;

  @Field(() => Float, { nullable: true })
  maxScore?: number | null;
}

@ArgsType()
export class RunsArgs extends PageArgs {
  @Field(() => RunFilter, { nullable: true })
  filter?: RunFilter | null;

  @Field(() => RunOrder, { nullable: true, description: 'Newest first by default.' })
  orderBy?: RunOrder | null;
}

@ArgsType()
export class RunConversationsArgs extends PageArgs {
  @Field(() => RunConversationFilter, { nullable: true })
  filter?: RunConversationFilter | null;

  @Field(() => RunConversationOrder, { nullable: true })
  orderBy?: RunConversationOrder | null;
}

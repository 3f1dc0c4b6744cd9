import { Field, Int, ObjectType } from 'type-graphql';
import { RunType } from '../runs/run.types.js';
import type { Comparison } from './comparison.js';
import { ComparisonWarningType, RunDifference } from './comparison.types.js';

@ObjectType('RunComparison', { description: 'Two runs side by side, over the conversations that both have.' })
export class RunComparisonType {
  /** The numbers; computed when a field asks for them. */
  comparison!: Comparison;

  @Field(() => Boolean, {
    description: 'Whether the scores of the two runs may be put side by side: no SCOPE and no BREAKING difference.',
  })
  comparable!: boolean;

  @Field(() => [RunDifference], { description: 'The gravest first.' })
  differences!: RunDifference[];

  @Field(() => [ComparisonWarningType], { description: 'What a reader must know before quoting a number.' })
  warnings!: ComparisonWarningType[];

  @Field(() => Boolean, { description: 'One regrades the other, or both a third: they differ in the grader only.' })
  sameReplies!: boolean;

  @Field(() => RunType)
  baseline!: RunType;

  @Field(() => RunType)
  candidate!: RunType;

  @Field(() => Int, { description: 'Conversations that both runs have.' })
  sharedConversations!: number;

  @Field(() => Int, { description: 'Those of them that have a score in both: what the numbers are over.' })
  scoredConversations!: number;
}

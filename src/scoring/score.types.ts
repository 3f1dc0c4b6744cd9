import { Field, Float, Int, ObjectType, registerEnumType } from 'type-graphql';

export enum TagGroupEnum {
  THEME = 'THEME',
  PHYSICIAN_CATEGORY = 'PHYSICIAN_CATEGORY',
  AXIS = 'AXIS',
  LEVEL = 'LEVEL',
  CLUSTER = 'CLUSTER',
  OTHER = 'OTHER',
}
registerEnumType(TagGroupEnum, { name: 'TagGroup', description: 'The kinds of tags that HealthBench uses.' });

@ObjectType({ simpleResolvers: true })
export class Interval {
  @Field(() => Float)
  low!: number;

  @Field(() => Float)
  high!: number;

  @Field(() => Float, { description: '0.95' })
  confidence!: number;

  @Field(() => String, { description: 'CLUSTERED_BOOTSTRAP for a completed run, NORMAL while it is going.' })
  method!: string;
}

@ObjectType('RunScore', {
  simpleResolvers: true,
  description: 'Over the conversations in which every criterion has a verdict. Never read it without its coverage.',
})
export class RunScoreType {
  @Field(() => Float, { description: "The run's score: the mean of the conversations' scores, clipped to 0..1." })
  value!: number;

  @Field(() => Float, { description: 'The same before clipping; may be negative.' })
  unclippedMean!: number;

  @Field(() => Float)
  median!: number;

  @Field(() => Float, {
    nullable: true,
    description:
      'Standard deviation of 1,000 clipped bootstrap means, as the reference reports it; null until completed.',
  })
  bootstrapStd!: number | null;

  @Field(() => Interval, { nullable: true, description: 'Null when there are too few conversations for one.' })
  interval!: Interval | null;

  @Field(() => Int, { description: 'Scored conversations.' })
  n!: number;

  @Field(() => Float, { description: 'Scored / selected conversations, 0..1.' })
  coverage!: number;

  @Field(() => Float, { description: 'Verdicts / criteria, 0..1.' })
  criteriaCoverage!: number;

  @Field(() => Int, { description: 'Conversations with the full score.' })
  perfect!: number;

  @Field(() => Int, { description: 'Conversations in which penalties outweigh what was earned.' })
  belowZero!: number;

  @Field(() => String, { description: 'The model that graded.' })
  grader!: string;

  @Field(() => String)
  graderPromptSha256!: string;

  @Field(() => String)
  scoringProfile!: string;

  @Field(() => Boolean, { description: 'False while the run may still change it.' })
  final!: boolean;
}

@ObjectType({ simpleResolvers: true })
export class TagScore {
  @Field(() => String)
  tag!: string;

  @Field(() => TagGroupEnum)
  group!: TagGroupEnum;

  @Field(() => String, { description: 'For people.' })
  label!: string;

  @Field(() => Float, {
    description: 'Mean over the conversations in which the tag has positive points, clipped to 0..1.',
  })
  value!: number;

  @Field(() => Float)
  unclippedMean!: number;

  @Field(() => Int, { description: 'Conversations that count for the tag.' })
  n!: number;
}

@ObjectType({
  simpleResolvers: true,
  description: 'Conversations whose score is in [from, to); the last bin includes 1.',
})
export class HistogramBin {
  @Field(() => Float, { nullable: true, description: 'Null: everything below `to`.' })
  from!: number | null;

  @Field(() => Float)
  to!: number;

  @Field(() => Int)
  count!: number;
}

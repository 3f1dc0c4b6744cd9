import { Field, Float, Int, ObjectType, registerEnumType } from 'type-graphql';
import { HeadlineEnum, HitRate, LengthRuleType } from '../runs/scoring.types.js';
import { RepeatStatisticsType } from './repeats.types.js';

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

@ObjectType({
  simpleResolvers: true,
  description: 'The score with each conversation adjusted for the length of its reply before the mean is clipped.',
})
export class LengthAdjustedScore {
  @Field(() => Float, { description: 'Mean of the adjusted scores, clipped to 0..1.' })
  value!: number;

  @Field(() => Float, { description: 'The same before clipping; may be below 0 or above 1.' })
  unclippedMean!: number;

  @Field(() => Float, { nullable: true })
  bootstrapStd!: number | null;

  @Field(() => Float, { nullable: true })
  standardError!: number | null;

  @Field(() => Interval, { nullable: true })
  interval!: Interval | null;

  @Field(() => LengthRuleType)
  rule!: LengthRuleType;
}

@ObjectType('RunScore', {
  simpleResolvers: true,
  description: 'Over the conversations in which every criterion has a verdict. Never read it without its coverage.',
})
export class RunScoreType {
  @Field(() => Float, {
    description: "The mean of the conversations' scores, clipped to 0..1; never adjusted for length.",
  })
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

  @Field(() => Float, {
    nullable: true,
    description:
      'Analytic, of the unclipped mean, clustered by conversation: without repeats the population deviation / √n. ' +
      'Null with a single conversation.',
  })
  standardError!: number | null;

  @Field(() => Interval, {
    nullable: true,
    description: 'Of `value`; conversations, not repeats, are resampled. Null with a single conversation.',
  })
  interval!: Interval | null;

  @Field(() => Int, { description: 'Scored conversations, repeats included.' })
  n!: number;

  @Field(() => Int, { description: 'Distinct conversations among them.' })
  conversations!: number;

  @Field(() => Float, { description: 'Scored / selected conversations, 0..1.' })
  coverage!: number;

  @Field(() => Float, { description: 'Verdicts / criteria, 0..1.' })
  criteriaCoverage!: number;

  @Field(() => Float, {
    description: 'The score over all selected conversations if every missing verdict were at its worst.',
  })
  lowerBound!: number;

  @Field(() => Float, { description: 'The same with every missing verdict at its best.' })
  upperBound!: number;

  @Field(() => Int, { description: 'Conversations with the full score.' })
  perfect!: number;

  @Field(() => Int, { description: 'Conversations in which penalties outweigh what was earned.' })
  belowZero!: number;

  @Field(() => Float, { nullable: true, description: 'The length-adjusted score, clipped to 0..1.' })
  lengthAdjusted!: number | null;

  @Field(() => LengthAdjustedScore, { nullable: true, description: 'The same with what it stands on.' })
  lengthAdjustment!: LengthAdjustedScore | null;

  @Field(() => String, { nullable: true, description: 'Why `lengthAdjusted` is null.' })
  lengthAdjustedUnavailableReason!: string | null;

  @Field(() => HeadlineEnum, { description: 'Which of the two the scoring profile puts first.' })
  headline!: HeadlineEnum;

  @Field(() => RepeatStatisticsType, { nullable: true })
  repeats!: RepeatStatisticsType | null;

  @Field(() => String, { nullable: true, description: 'Why `repeats` is null.' })
  repeatsUnavailableReason!: string | null;

  @Field(() => Float, {
    nullable: true,
    description:
      'The smallest true difference to a run over as many other conversations that would show (95 % confidence, 80 % ' +
      'power). Two runs over the same conversations show smaller ones: compareRuns.',
  })
  smallestDifference!: number | null;

  @Field(() => String, { nullable: true, description: 'Why `smallestDifference` and `conversationsNeeded` are null.' })
  smallestDifferenceUnavailableReason!: string | null;

  @Field(() => String, { description: 'The model that graded.' })
  grader!: string;

  @Field(() => String, { nullable: true, description: 'Null: the run was imported, and nobody said.' })
  graderPromptSha256!: string | null;

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
    nullable: true,
    description:
      'Mean over the conversations in which the tag has positive points, clipped to 0..1; never adjusted for length.',
  })
  value!: number | null;

  @Field(() => Float, { nullable: true })
  unclippedMean!: number | null;

  @Field(() => String, { nullable: true, description: 'Why `value` is null.' })
  unavailableReason!: string | null;

  @Field(() => Int, { description: 'Conversations that count for the tag.' })
  n!: number;

  @Field(() => Float, { nullable: true, description: 'Null below two conversations.' })
  standardError!: number | null;

  @Field(() => Interval, { nullable: true, description: 'Null below two conversations.' })
  interval!: Interval | null;

  @Field(() => HitRate, { description: 'Criteria with positive points: met of graded.' })
  positiveCriteria!: HitRate;

  @Field(() => HitRate, { description: 'Penalties: triggered of graded.' })
  negativeCriteria!: HitRate;
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

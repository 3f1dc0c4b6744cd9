import { Field, Float, Int, ObjectType } from 'type-graphql';

@ObjectType({ simpleResolvers: true, description: 'The score of one repeat by itself.' })
export class RepeatScore {
  @Field(() => Int, { description: 'From 1.' })
  repeat!: number;

  @Field(() => Float)
  value!: number;

  @Field(() => Float)
  unclippedMean!: number;

  @Field(() => Int, { description: 'Scored conversations of this repeat.' })
  n!: number;
}

@ObjectType({
  simpleResolvers: true,
  description: 'Mean over conversations of the lowest score among k of its repeats, over all choices of k.',
})
export class WorstAtK {
  @Field(() => Int)
  k!: number;

  @Field(() => Float)
  value!: number;

  @Field(() => Float)
  unclippedMean!: number;
}

@ObjectType({
  simpleResolvers: true,
  description: 'Pairs of repeats whose verdicts on the same criterion differ: of replies and grader together.',
})
export class VerdictFlipRate {
  @Field(() => Float)
  differing!: number;

  @Field(() => Float)
  pairs!: number;

  @Field(() => Float, { nullable: true, description: 'Null without pairs.' })
  rate!: number | null;
}

@ObjectType('RepeatStatistics', { simpleResolvers: true, description: 'What the repeats of a run say about chance.' })
export class RepeatStatisticsType {
  @Field(() => [RepeatScore])
  perRepeat!: RepeatScore[];

  @Field(() => Float, {
    nullable: true,
    description: "Sample deviation of the repeats' unclipped means: noise between whole runs. Null below two.",
  })
  spread!: number | null;

  @Field(() => Int, { description: 'Conversations scored in every repeat: those of `worstAtK`.' })
  conversations!: number;

  @Field(() => [WorstAtK], { description: 'Empty when no conversation is scored in every repeat.' })
  worstAtK!: WorstAtK[];

  @Field(() => VerdictFlipRate)
  flips!: VerdictFlipRate;
}

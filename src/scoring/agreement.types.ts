import { Field, Float, Int, ObjectType } from 'type-graphql';
import type { Agreement } from '../healthbench/agreement.js';
import { TagGroupEnum } from './score.types.js';

@ObjectType('PairwiseF1', {
  simpleResolvers: true,
  description:
    "F1 over pairs of verdicts, as HealthBench's meta-evaluation defines it; the same whichever grader is judged by the other.",
})
export class PairwiseF1Type {
  @Field(() => Float, { nullable: true, description: 'Of the verdict “met”, 0..1.' })
  met!: number | null;

  @Field(() => Float, { nullable: true, description: 'Of the verdict “not met”, 0..1.' })
  notMet!: number | null;

  @Field(() => Float, { nullable: true, description: 'Mean of both: the number that the meta-evaluation reports.' })
  balanced!: number | null;

  @Field(() => String, { nullable: true, description: 'Why one of them is null.' })
  unavailableReason!: string | null;
}

@ObjectType({ description: 'How two graders decided on the same criteria of the same replies.' })
export class GraderAgreement {
  /** By tag, as the field `tags` shows it. */
  byTag!: TagAgreement[];

  @Field(() => String, { description: 'The model that graded the baseline, or the first run.' })
  baselineGrader!: string;

  @Field(() => String)
  candidateGrader!: string;

  @Field(() => Int, { description: 'Criteria with both verdicts.' })
  n!: number;

  @Field(() => Float, { nullable: true, description: 'Share of equal verdicts, 0..1; null without verdicts.' })
  rate!: number | null;

  @Field(() => Float, { nullable: true, description: "Cohen's kappa: 1 full agreement, 0 no more than chance gives." })
  kappa!: number | null;

  @Field(() => String, { nullable: true })
  kappaUnavailableReason!: string | null;

  @Field(() => PairwiseF1Type)
  pairwiseF1!: PairwiseF1Type;

  @Field(() => Int)
  bothMet!: number;

  @Field(() => Int)
  onlyBaselineMet!: number;

  @Field(() => Int)
  onlyCandidateMet!: number;

  @Field(() => Int)
  neitherMet!: number;
}

@ObjectType({ simpleResolvers: true })
export class TagAgreement {
  @Field(() => String)
  tag!: string;

  @Field(() => TagGroupEnum)
  group!: TagGroupEnum;

  @Field(() => String, { description: 'For people.' })
  label!: string;

  @Field(() => Int)
  n!: number;

  @Field(() => Float, { nullable: true })
  rate!: number | null;

  @Field(() => Float, { nullable: true })
  kappa!: number | null;

  @Field(() => String, { nullable: true })
  kappaUnavailableReason!: string | null;

  @Field(() => PairwiseF1Type)
  pairwiseF1!: PairwiseF1Type;
}

/** The counts in the words of a comparison. */
export function shownAgreement({ onlyFirstMet, onlySecondMet, ...rest }: Agreement) {
  return { ...rest, onlyBaselineMet: onlyFirstMet, onlyCandidateMet: onlySecondMet };
}

import { Field, Float, Int, ObjectType } from 'type-graphql';
import type { Agreement } from '../healthbench/agreement.js';
import { TagGroupEnum } from './score.types.js';

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
}

/** The counts in the words of a comparison. */
export function shownAgreement({ onlyFirstMet, onlySecondMet, ...rest }: Agreement) {
  return { ...rest, onlyBaselineMet: onlyFirstMet, onlyCandidateMet: onlySecondMet };
}

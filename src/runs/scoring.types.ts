import { Field, Float, InputType, Int, ObjectType, registerEnumType } from 'type-graphql';
import { type Scoring, scoringProfile } from '../healthbench/scoringProfile.js';

export enum LengthVariantEnum {
  MAIN = 'MAIN',
  HARD = 'HARD',
  CONSENSUS = 'CONSENSUS',
  PROFESSIONAL = 'PROFESSIONAL',
}
registerEnumType(LengthVariantEnum, {
  name: 'LengthVariant',
  description: 'Whose published constants a length adjustment uses.',
});

export enum HeadlineEnum {
  RAW = 'RAW',
  LENGTH_ADJUSTED = 'LENGTH_ADJUSTED',
}
registerEnumType(HeadlineEnum, {
  name: 'Headline',
  description: 'RAW: RunScore.value is the number to quote. LENGTH_ADJUSTED: RunScore.lengthAdjusted is.',
});

@InputType('ScoringInput')
export class ScoringInputType {
  @Field(() => LengthVariantEnum, {
    nullable: true,
    description: "By default the dataset's own, if it is an official file; must then agree with it.",
  })
  lengthVariant?: LengthVariantEnum | null;

  @Field(() => Float, { nullable: true, description: 'A constant of your own, in code points; with the next one.' })
  lengthCentre?: number | null;

  @Field(() => Float, {
    nullable: true,
    description: 'A constant of your own: what 500 code points more cost, 0..1; with the one before.',
  })
  lengthPenaltyPer500?: number | null;

  @Field(() => Boolean, {
    nullable: true,
    description: 'true accepts a run that leaves the preset of its profile; it then carries the warning OFF_PRESET.',
  })
  notComparable?: boolean | null;
}

@ObjectType('LengthRule', {
  simpleResolvers: true,
  description: 'score - penaltyPer500 · (length - centre) / 500, per conversation.',
})
export class LengthRuleType {
  @Field(() => String, { description: 'MAIN, HARD, CONSENSUS, PROFESSIONAL, or CUSTOM.' })
  variant!: string;

  @Field(() => Float, { description: 'Code points.' })
  centre!: number;

  @Field(() => Float)
  penaltyPer500!: number;
}

@ObjectType('RunScoring', { simpleResolvers: true, description: 'How verdicts become scores, frozen with the run.' })
export class RunScoringType {
  @Field(() => String)
  profile!: string;

  @Field(() => Int, { description: "Of the profile's rules, when the run was started." })
  version!: number;

  @Field(() => HeadlineEnum, { description: 'Which of the two numbers the profile puts first.' })
  headline!: HeadlineEnum;

  @Field(() => LengthRuleType, {
    nullable: true,
    description: 'Null: no published constants belong to the dataset, and none were given.',
  })
  lengthRule!: LengthRuleType | null;

  @Field(() => Boolean, { description: 'The caller accepted deviations from the preset of the profile.' })
  notComparable!: boolean;

  @Field(() => [String], { description: 'From the preset of the profile, in words.' })
  deviations!: string[];
}

@ObjectType({ simpleResolvers: true, description: 'Met of graded; the rate is null when nothing was graded.' })
export class HitRate {
  @Field(() => Int)
  met!: number;

  @Field(() => Int)
  graded!: number;

  @Field(() => Float, { nullable: true })
  rate!: number | null;

  @Field(() => String, { nullable: true, description: 'Why `rate` is null.' })
  rateUnavailableReason!: string | null;
}

/** The frozen scoring as the API shows it. */
export function shownScoring(scoring: Scoring): RunScoringType {
  return { ...scoring, headline: (scoringProfile(scoring.profile)?.headline ?? 'RAW') as HeadlineEnum };
}

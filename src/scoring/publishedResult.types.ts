import { Field, Float, Int, ObjectType, registerEnumType } from 'type-graphql';
import { HeadlineEnum, LengthVariantEnum } from '../runs/scoring.types.js';

export enum PublishedEvaluator {
  REFERENCE = 'REFERENCE',
  OPENAI_INTERNAL = 'OPENAI_INTERNAL',
  THIRD_PARTY = 'THIRD_PARTY',
}
registerEnumType(PublishedEvaluator, { name: 'PublishedEvaluator', description: 'Whose program computed it.' });

export enum PublishedTrust {
  READ = 'READ',
  STATED = 'STATED',
}
registerEnumType(PublishedTrust, {
  name: 'PublishedTrust',
  description: 'READ: seen in the published data. STATED: the source says so, and it has not been checked.',
});

@ObjectType('PublishedResult', {
  simpleResolvers: true,
  description: 'A number that somebody published, with its conditions as far as the source states them.',
})
export class PublishedResultType {
  @Field(() => String, { description: 'Stable.' })
  id!: string;

  @Field(() => String)
  model!: string;

  @Field(() => LengthVariantEnum)
  variant!: LengthVariantEnum;

  @Field(() => Float, { description: '0..1' })
  value!: number;

  @Field(() => Boolean, { description: 'The source says "about".' })
  approximate!: boolean;

  @Field(() => String, { nullable: true, description: 'Null: the source does not name it.' })
  grader!: string | null;

  @Field(() => PublishedEvaluator)
  evaluator!: PublishedEvaluator;

  @Field(() => HeadlineEnum, { description: 'Whether the number is adjusted for length.' })
  headline!: HeadlineEnum;

  @Field(() => Int, { nullable: true, description: 'Runs that were averaged; null: the source does not say.' })
  runs!: number | null;

  @Field(() => String)
  source!: string;

  @Field(() => PublishedTrust)
  trust!: PublishedTrust;
}

@ObjectType('PublishedDifference', { simpleResolvers: true, description: 'A condition that is not the same.' })
export class PublishedDifferenceType {
  @Field(() => String, { description: 'dataset, sample, coverage, models, evaluator, grader, grader prompt, …' })
  part!: string;

  @Field(() => String)
  published!: string;

  @Field(() => String)
  run!: string;
}

@ObjectType({ simpleResolvers: true, description: 'A published number beside a run.' })
export class PublishedComparison {
  @Field(() => PublishedResultType)
  result!: PublishedResultType;

  @Field(() => Boolean, { description: 'No condition differs.' })
  comparable!: boolean;

  @Field(() => [PublishedDifferenceType])
  differences!: PublishedDifferenceType[];
}

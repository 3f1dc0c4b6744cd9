import { Arg, ArgsType, Field, Float, Int, ObjectType, registerEnumType } from 'type-graphql';
import { RubricCriterionType } from '../datasets/dataset.types.js';
import { InvalidInput } from '../errors.js';
import { percentileInterval } from '../healthbench/pairedComparison.js';
import { connectionType, PageArgs } from '../platform/relay/connection.js';
import { detectableDifference, neededConversations, noDetectableDifference } from './enoughData.js';
import { Interval, TagGroupEnum } from './score.types.js';

const POWER = 'Two-sided at 5 %, with a power of 80 %.';

export enum DifferenceSeverity {
  SUBJECT = 'SUBJECT',
  CAUTION = 'CAUTION',
  SCOPE = 'SCOPE',
  UNKNOWN = 'UNKNOWN',
  BREAKING = 'BREAKING',
}
registerEnumType(DifferenceSeverity, {
  name: 'DifferenceSeverity',
  description:
    'SUBJECT: the model under test and its request, which a comparison is about. CAUTION: compare with care. ' +
    'SCOPE: the two scores cover different conversations; numbers over the shared ones are not affected. ' +
    'UNKNOWN: of an imported run it is not known, so nobody can tell. ' +
    'BREAKING: graded or scored differently, so no number tells the models apart.',
});

export enum ChangeDirection {
  GAINED = 'GAINED',
  LOST = 'LOST',
}
registerEnumType(ChangeDirection, {
  name: 'ChangeDirection',
  description: 'From baseline to candidate. GAINED: a positive criterion is met now, or a penalty is gone.',
});

@ObjectType({ simpleResolvers: true, description: 'A condition in which two runs differ.' })
export class RunDifference {
  @Field(() => String, { description: 'As in `Run.fingerprint`; also coverage and status.' })
  part!: string;

  @Field(() => String, { nullable: true })
  baseline!: string | null;

  @Field(() => String, { nullable: true })
  candidate!: string | null;

  @Field(() => Boolean, { description: 'False: the run was imported, and nobody said it.' })
  baselineKnown!: boolean;

  @Field(() => Boolean)
  candidateKnown!: boolean;

  @Field(() => DifferenceSeverity)
  severity!: DifferenceSeverity;
}

@ObjectType('ComparisonWarning', { simpleResolvers: true })
export class ComparisonWarningType {
  @Field(() => String, { description: 'For example GRADED_DIFFERENTLY or TINY_SAMPLE.' })
  code!: string;

  @Field(() => String)
  message!: string;
}

@ObjectType({
  description:
    'Candidate minus baseline over the conversations that have a score in both; above 0 the candidate is better.',
})
export class PairedDifference {
  @Field(() => Int, { description: 'Pairs: conversations times repeats with a score on both sides.' })
  n!: number;

  @Field(() => Int, { description: 'Conversations, the independent units.' })
  conversations!: number;

  @Field(() => Float, { description: "The baseline's score over these conversations alone, clipped to 0..1." })
  baselineScore!: number;

  @Field(() => Float)
  candidateScore!: number;

  @Field(() => Float, { description: 'Mean difference of the pairs, not clipped.' })
  difference!: number;

  @Field(() => Float, { nullable: true, description: 'Robust to repeats; null for a single conversation.' })
  standardError!: number | null;

  resampledMeans!: readonly number[] | null;

  @Field(() => Interval, {
    nullable: true,
    description: 'Of the difference, two-sided; null for a single conversation.',
  })
  interval(
    @Arg('confidence', () => Float, { defaultValue: 0.95, description: 'From 0.5 to 0.99.' }) confidence: number,
  ): Interval | null {
    if (!(confidence >= 0.5 && confidence <= 0.99)) throw new InvalidInput('must be from 0.5 to 0.99.', ['confidence']);
    if (this.resampledMeans === null) return null;
    return { ...percentileInterval(this.resampledMeans, confidence), confidence, method: 'CLUSTERED_BOOTSTRAP' };
  }

  @Field(() => Float, { description: 'Two-sided permutation test of whole conversations, not corrected.' })
  pValue!: number;

  @Field(() => Int, { description: 'Conversations in which the candidate is better.' })
  wins!: number;

  @Field(() => Int)
  ties!: number;

  @Field(() => Int)
  losses!: number;

  @Field(() => Float, {
    nullable: true,
    description: `The smallest true difference that so many conversations would show. ${POWER} Null where their spread is not known.`,
  })
  minimalDetectableDifference(): number | null {
    return detectableDifference(this);
  }

  @Field(() => String, { nullable: true })
  minimalDetectableDifferenceUnavailableReason(): string | null {
    return noDetectableDifference(this);
  }

  @Field(() => Int, {
    nullable: true,
    description: `Conversations that it takes to show a true difference, by default the one that was seen. ${POWER} Null where no number is enough.`,
  })
  conversationsNeeded(
    @Arg('difference', () => Float, { nullable: true, description: 'For example 0.02; its sign does not matter.' })
    difference?: number | null,
  ): number | null {
    return neededConversations(this, difference);
  }
}

@ObjectType({ description: 'The same for one tag. Its p-value belongs to a family: read adjustedPValue.' })
export class TagDifference extends PairedDifference {
  @Field(() => String)
  tag!: string;

  @Field(() => TagGroupEnum)
  group!: TagGroupEnum;

  @Field(() => String, { description: 'For people.' })
  label!: string;

  @Field(() => Float, { description: "Holm's correction over all themes and axes together." })
  adjustedPValue!: number;
}

@ObjectType({ description: 'A criterion that one run met and the other did not.' })
export class FlippedCriterion {
  baselineRow!: { runKey: string; ordinal: number };
  candidateRow!: { runKey: string; ordinal: number };

  @Field(() => RubricCriterionType)
  criterion!: RubricCriterionType;

  @Field(() => Int, { description: 'From 1.' })
  repeat!: number;

  @Field(() => Float, { description: 'What the candidate gained; below 0 what it lost.' })
  pointsMoved!: number;

  @Field(() => ChangeDirection)
  direction!: ChangeDirection;
}

export const FlippedCriterionConnection = connectionType(FlippedCriterion, 'FlippedCriterion');

@ArgsType()
export class FlipsArgs extends PageArgs {
  @Field(() => ChangeDirection, { nullable: true, description: 'Both by default.' })
  direction?: ChangeDirection | null;
}

@ObjectType('ChangedConversation', { description: 'A conversation whose score has changed; means over its repeats.' })
export class ChangedConversationType {
  baselineRow!: { runKey: string; ordinal: number };
  candidateRow!: { runKey: string; ordinal: number };

  @Field(() => Float)
  baselineScore!: number;

  @Field(() => Float)
  candidateScore!: number;

  @Field(() => Float)
  difference!: number;

  @Field(() => Int)
  repeats!: number;
}

@ObjectType({ simpleResolvers: true, description: 'How the verdicts of two runs on the same criteria compare.' })
export class VerdictChanges {
  @Field(() => Int, { description: 'Criteria with a verdict in both.' })
  compared!: number;

  @Field(() => Int)
  unchanged!: number;

  @Field(() => Int, { description: 'Flips to the better.' })
  gained!: number;

  @Field(() => Int, { description: 'Flips to the worse.' })
  lost!: number;

  @Field(() => Float)
  pointsGained!: number;

  @Field(() => Float, { description: 'Not negative.' })
  pointsLost!: number;
}

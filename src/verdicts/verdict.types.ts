import { ArgsType, Field, Float, InputType, Int, ObjectType, registerEnumType } from 'type-graphql';
import { criterionType, RubricCriterionType } from '../datasets/dataset.types.js';
import { type RubricCriterion, RunStatus } from '../platform/database.js';
import { connectionType, PageArgs } from '../platform/relay/connection.js';
import { globalId } from '../platform/relay/globalId.js';
import { Node } from '../platform/relay/node.type.js';
import { DateTime } from '../platform/relay/scalars.js';
import { RunProgressType } from '../runs/run.types.js';
import type { CallTokens } from '../runs/usage.types.js';
import type { VerdictRow } from './verdict.queries.js';

@ObjectType('CriterionVerdict', {
  implements: Node,
  simpleResolvers: true,
  description: "The grader's decision on one criterion of one reply. Never changed once it is there.",
})
export class CriterionVerdictType extends Node {
  runKey!: string;
  ordinal!: number;
  tokens!: CallTokens;

  @Field(() => Int, { description: '1, 2, 3 … within the run, in commit order, without gaps.' })
  sequence!: number;

  @Field(() => RubricCriterionType)
  criterion!: RubricCriterionType;

  @Field(() => Float, { description: "The criterion's points." })
  points!: number;

  @Field(() => Boolean, { description: 'For a negative criterion: whether the undesirable thing occurred.' })
  criteriaMet!: boolean;

  @Field(() => String)
  explanation!: string;

  @Field(() => Int, { description: 'Calls that it took, failed ones included; 0 in an imported run.' })
  attempts!: number;

  @Field(() => Int, {
    nullable: true,
    description: 'Of the call that succeeded, waiting not included. Null in an imported run.',
  })
  latencyMs!: number | null;

  @Field(() => DateTime, { description: 'In an imported run, when it was imported.' })
  gradedAt!: Date;
}

export const CriterionVerdictConnection = connectionType(CriterionVerdictType, 'CriterionVerdict');

export enum PointsSign {
  POSITIVE = 'POSITIVE',
  NEGATIVE = 'NEGATIVE',
}
registerEnumType(PointsSign, { name: 'PointsSign' });

@InputType()
export class VerdictFilter {
  @Field(() => Boolean, { nullable: true })
  met?: boolean | null;

  @Field(() => PointsSign, { nullable: true })
  points?: PointsSign | null;

  @Field(() => String, { nullable: true, description: 'For example accuracy.' })
  axis?: string | null;

  @Field(() => String, { nullable: true, description: 'Any tag of the criterion, for example level:example.' })
  tag?: string | null;
}

@ArgsType()
export class VerdictsArgs extends PageArgs {
  @Field(() => VerdictFilter, { nullable: true })
  filter?: VerdictFilter | null;
}

@ObjectType({
  simpleResolvers: true,
  description: 'A criterion that ended without a verdict. Never the same as not met.',
})
export class Ungraded {
  @Field(() => String)
  reason!: string;

  @Field(() => String)
  message!: string;

  @Field(() => Int)
  attempts!: number;

  @Field(() => DateTime)
  at!: Date;
}

@ObjectType({
  simpleResolvers: true,
  description: 'What became of one criterion: a verdict, ungraded, or (both null) not yet.',
})
export class CriterionResult {
  runKey!: string;
  ordinal!: number;

  @Field(() => RubricCriterionType)
  criterion!: RubricCriterionType;

  @Field(() => CriterionVerdictType, { nullable: true })
  verdict!: CriterionVerdictType | null;

  @Field(() => Ungraded, { nullable: true })
  ungraded!: Ungraded | null;

  @Field(() => Float, { description: 'What an unmet positive or a triggered negative criterion cost; 0 otherwise.' })
  pointsLost!: number;
}

@ObjectType({
  simpleResolvers: true,
  description: 'News of a run: the verdicts after the last ones, and how far it is.',
})
export class VerdictBatch {
  @Field(() => [CriterionVerdictType])
  verdicts!: CriterionVerdictType[];

  @Field(() => Int, { description: 'Sequence number of the newest verdict sent: subscribe again with it as `after`.' })
  cursor!: number;

  @Field(() => RunProgressType)
  progress!: RunProgressType;

  @Field(() => RunStatus)
  runStatus!: RunStatus;
}

/** The row as the API shows it. */
export function verdictType(row: VerdictRow): CriterionVerdictType {
  const { runId, sequence, ordinal, criterionNo, criteriaMet, explanation, attempts, latencyMs, gradedAt } = row;
  const { promptTokens, completionTokens, cachedTokens, reasoningTokens } = row;
  return Object.assign(new CriterionVerdictType(), {
    id: globalId('CriterionVerdict', runId, ordinal, criterionNo),
    runKey: runId,
    ordinal,
    tokens: { promptTokens, completionTokens, cachedTokens, reasoningTokens },
    sequence,
    criterion: criterionType({ ...row, no: criterionNo } as unknown as RubricCriterion),
    points: row.points,
    criteriaMet,
    explanation,
    attempts,
    latencyMs,
    gradedAt,
  });
}

import { ArgsType, Field, InputType, Int, ObjectType, registerEnumType } from 'type-graphql';
import type { FailedCall } from '../platform/database.js';
import { connectionType, PageArgs } from '../platform/relay/connection.js';
import { DateTime } from '../platform/relay/scalars.js';
import type { CallTokens } from '../runs/usage.types.js';

export enum AskedModel {
  MODEL_UNDER_TEST = 'MODEL_UNDER_TEST',
  GRADER = 'GRADER',
}
registerEnumType(AskedModel, { name: 'AskedModel' });

export enum ErrorClassEnum {
  RETRY_LATER = 'RETRY_LATER',
  CHANGE_REQUEST = 'CHANGE_REQUEST',
  FAIL_UNIT = 'FAIL_UNIT',
  STOP_RUN = 'STOP_RUN',
}
registerEnumType(ErrorClassEnum, {
  name: 'ErrorClass',
  description:
    'RETRY_LATER: asked again within bounds. CHANGE_REQUEST: sent again with one thing changed. FAIL_UNIT: this ' +
    'reply or criterion cannot be had. STOP_RUN: every other call would fail too, so the run waits for a person.',
});

@ObjectType('FailedCall', {
  simpleResolvers: true,
  description: 'A call that gave nothing usable: an error, or a reply that was rejected. Never removed by a retry.',
})
export class FailedCallType {
  runKey!: string;
  tokens!: CallTokens;
  rawText!: string;

  @Field(() => Int, { description: 'The conversation: its position in the run.' })
  ordinal!: number;

  @Field(() => AskedModel)
  asked!: AskedModel;

  @Field(() => Int, { nullable: true, description: 'The criterion that was graded; null: the model was asked.' })
  criterionNo!: number | null;

  @Field(() => DateTime, { description: 'When it ended.' })
  at!: Date;

  @Field(() => Int, { description: 'Waiting not included.' })
  latencyMs!: number;

  @Field(() => ErrorClassEnum, { nullable: true, description: 'What was done about it. Null in old runs.' })
  errorClass!: ErrorClassEnum | null;

  @Field(() => String, { description: 'A word: rate_limited, timeout, unparseable, drop_temperature, …' })
  reason!: string;

  @Field(() => Int, { nullable: true, description: 'Of HTTP; null when no reply arrived.' })
  status!: number | null;

  @Field(() => String, { description: 'In the words of the provider, without key material.' })
  message!: string;
}

export const FailedCallConnection = connectionType(FailedCallType, 'FailedCall');

@InputType('FailedCallFilter')
export class FailedCallFilterInput {
  @Field(() => AskedModel, { nullable: true })
  asked?: AskedModel | null;

  @Field(() => ErrorClassEnum, { nullable: true })
  errorClass?: ErrorClassEnum | null;

  @Field(() => String, { nullable: true })
  reason?: string | null;

  @Field(() => Int, { nullable: true, description: 'Of HTTP.' })
  status?: number | null;

  @Field(() => Int, { nullable: true, description: 'Of one conversation.' })
  ordinal?: number | null;

  @Field(() => Int, { nullable: true, description: 'Of one criterion; together with ordinal.' })
  criterionNo?: number | null;
}

@ArgsType()
export class FailedCallsArgs extends PageArgs {
  @Field(() => FailedCallFilterInput, { nullable: true })
  filter?: FailedCallFilterInput | null;
}

/** The row as the API shows it. */
export function failedCallType(row: FailedCall): FailedCallType {
  const { runId, ordinal, criterionNo, at, latencyMs, errorClass, reason, status, message, raw } = row;
  const { promptTokens, completionTokens, cachedTokens, reasoningTokens } = row;
  return Object.assign(new FailedCallType(), {
    runKey: runId,
    tokens: { promptTokens, completionTokens, cachedTokens, reasoningTokens },
    rawText: raw,
    ordinal,
    asked: criterionNo === null ? AskedModel.MODEL_UNDER_TEST : AskedModel.GRADER,
    criterionNo,
    at,
    latencyMs,
    errorClass: errorClass as ErrorClassEnum | null,
    reason,
    status,
    message,
  });
}

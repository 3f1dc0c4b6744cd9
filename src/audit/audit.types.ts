import { ArgsType, Field, ID, InputType, ObjectType, registerEnumType } from 'type-graphql';
import { ActorKind, type AuditEvent, AuditOutcome } from '../platform/database.js';
import { connectionType, PageArgs } from '../platform/relay/connection.js';
import { globalId } from '../platform/relay/globalId.js';
import { DateTime } from '../platform/relay/scalars.js';

registerEnumType(AuditOutcome, {
  name: 'AuditOutcome',
  description: 'DONE, REFUSED by a rule (nothing was changed), or FAILED by a fault.',
});
registerEnumType(ActorKind, {
  name: 'ActorKind',
  description:
    'An API KEY, a PERSON who signed in, an export LINK, the OPERATOR, or the SYSTEM as the team has told it to.',
});

@ObjectType({ simpleResolvers: true })
export class AuditDetail {
  @Field(() => String, { description: 'The path in the input, for example sample.size.' })
  name!: string;

  @Field(() => String, { nullable: true, description: 'Texts are withheld.' })
  value!: string | null;
}

@ObjectType('AuditEvent', { simpleResolvers: true, description: 'Who did what to what, when and from where.' })
export class AuditEventType {
  @Field(() => ID)
  id!: string;

  @Field(() => DateTime)
  at!: Date;

  @Field(() => String, { description: 'The name of the mutation, or of the export.' })
  action!: string;

  @Field(() => AuditOutcome)
  outcome!: AuditOutcome;

  @Field(() => String, { nullable: true, description: 'Of the error, unless DONE.' })
  code!: string | null;

  @Field(() => ActorKind)
  actorKind!: ActorKind;

  @Field(() => String, { nullable: true, description: 'The name of the key or of the person, as it was then.' })
  actorName!: string | null;

  @Field(() => String, { nullable: true, description: 'Their role then.' })
  actorRole!: string | null;

  @Field(() => ID, { nullable: true, description: 'Of the key that was used.' })
  apiKeyId!: string | null;

  @Field(() => String, { nullable: true, description: 'The IP address of the request.' })
  address!: string | null;

  @Field(() => String, { nullable: true })
  requestId!: string | null;

  @Field(() => String, { nullable: true, description: 'For example Run.' })
  subjectType!: string | null;

  @Field(() => ID, { nullable: true, description: 'It need not exist any more.' })
  subjectId!: string | null;

  @Field(() => String, { nullable: true, description: 'Its name then.' })
  subjectName!: string | null;

  @Field(() => [AuditDetail])
  details!: AuditDetail[];
}

export const AuditEventConnection = connectionType(AuditEventType, 'AuditEvent');

@InputType()
export class AuditEventFilter {
  @Field(() => String, { nullable: true, description: 'For example deleteRun.' })
  action?: string | null;

  @Field(() => AuditOutcome, { nullable: true })
  outcome?: AuditOutcome | null;

  @Field(() => ID, { nullable: true })
  apiKeyId?: string | null;

  @Field(() => ID, { nullable: true, description: 'Also of what has been deleted.' })
  subjectId?: string | null;

  @Field(() => String, { nullable: true, description: 'The name of a key or person, as it was then.' })
  actor?: string | null;

  @Field(() => DateTime, { nullable: true })
  since?: Date | null;

  @Field(() => DateTime, { nullable: true, description: 'Not included.' })
  until?: Date | null;
}

@ArgsType()
export class AuditEventsArgs extends PageArgs {
  @Field(() => AuditEventFilter, { nullable: true })
  filter?: AuditEventFilter | null;
}

/** The row with global ids, as the API and the export show it. */
export function shownEvent(row: AuditEvent) {
  const { teamId, keyId, subjectKey, details, ...shown } = row;
  return {
    ...shown,
    apiKeyId: keyId === null ? null : globalId('ApiKey', keyId),
    subjectId: row.subjectType === null || subjectKey === null ? null : globalId(row.subjectType, subjectKey),
    details: details as Record<string, string | number | boolean | null>,
  };
}

/** The row as the API shows it. */
export function auditEventType(row: AuditEvent): AuditEventType {
  const shown = shownEvent(row);
  const details = Object.entries(shown.details).map(([name, value]) => ({
    name,
    value: value === null ? null : String(value),
  }));
  return Object.assign(new AuditEventType(), shown, { id: globalId('AuditEvent', row.id), details });
}

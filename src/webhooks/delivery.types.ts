import { Field, ID, InputType, Int, ObjectType, registerEnumType } from 'type-graphql';
import { type WebhookDelivery, WebhookDeliveryStatus, WebhookEvent } from '../platform/database.js';
import { connectionType } from '../platform/relay/connection.js';
import { globalId } from '../platform/relay/globalId.js';
import { DateTime } from '../platform/relay/scalars.js';
import { UserError } from '../platform/relay/userError.type.js';

registerEnumType(WebhookDeliveryStatus, {
  name: 'WebhookDeliveryStatus',
  valuesConfig: {
    PENDING: { description: 'Not tried yet, or to be tried again.' },
    SUCCEEDED: { description: 'The receiver has answered with 2xx.' },
    FAILED: { description: 'Given up: redeliverWebhook sends it again.' },
  },
});

@ObjectType('WebhookDelivery', { description: 'One event on its way to one webhook, and afterwards the record of it.' })
export class WebhookDeliveryType {
  /** Of the run's row; null: of no run. */
  runKey!: string | null;

  @Field(() => ID)
  id!: string;

  @Field(() => String, { description: 'Header webhook-id: the same at each attempt and when it is sent anew.' })
  messageId!: string;

  @Field(() => WebhookEvent)
  event!: WebhookEvent;

  @Field(() => WebhookDeliveryStatus)
  status!: WebhookDeliveryStatus;

  @Field(() => Int, { description: 'That have ended.' })
  attempts!: number;

  @Field(() => DateTime, { nullable: true, description: 'Null unless PENDING.' })
  nextAttemptAt!: Date | null;

  @Field(() => DateTime, { nullable: true })
  lastAttemptAt!: Date | null;

  @Field(() => Int, { nullable: true, description: 'HTTP status of the last attempt; null: no answer came.' })
  responseStatus!: number | null;

  @Field(() => Int, { nullable: true, description: 'Of the last attempt, until the answer.' })
  durationMs!: number | null;

  @Field(() => String, { nullable: true, description: 'Why the last attempt failed, or why it was given up.' })
  error!: string | null;

  @Field(() => String, { description: 'The JSON that is sent and signed.' })
  body!: string;

  @Field(() => DateTime)
  createdAt!: Date;
}

/** The row as the API shows it. */
export function deliveryType(row: WebhookDelivery): WebhookDeliveryType {
  const { teamId, webhookId, runId, ...shown } = row;
  return Object.assign(new WebhookDeliveryType(), shown, { runKey: runId, id: globalId('WebhookDelivery', row.id) });
}

export const WebhookDeliveryConnection = connectionType(WebhookDeliveryType, 'WebhookDelivery');

@InputType()
export class RedeliverWebhookInput {
  @Field(() => ID)
  deliveryId!: string;
}

@ObjectType()
export class WebhookDeliveryPayload {
  @Field(() => WebhookDeliveryType, { nullable: true })
  delivery!: WebhookDeliveryType | null;

  @Field(() => [UserError])
  userErrors!: UserError[];
}

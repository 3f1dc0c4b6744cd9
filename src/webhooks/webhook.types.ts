import { Field, ID, InputType, ObjectType, registerEnumType } from 'type-graphql';
import { type Webhook, WebhookEvent } from '../platform/database.js';
import { globalId } from '../platform/relay/globalId.js';
import { DateTime } from '../platform/relay/scalars.js';
import { UserError } from '../platform/relay/userError.type.js';

registerEnumType(WebhookEvent, {
  name: 'WebhookEvent',
  valuesConfig: {
    RUN_PAUSED: { description: 'By a person, or because a provider refuses every call.' },
    RUN_BUDGET_REACHED: { description: 'It is paused because its budget is spent; not told as RUN_PAUSED as well.' },
    TEST: { description: 'What testWebhook sends; nobody need subscribe to it.' },
  },
});

@ObjectType('Webhook', {
  description: 'Where the team wants to be told of its runs. For admins: a URL may be a secret.',
})
export class WebhookType {
  /** The row's id. */
  key!: string;

  @Field(() => ID)
  id!: string;

  @Field(() => String)
  name!: string;

  @Field(() => String)
  url!: string;

  @Field(() => [WebhookEvent])
  events!: WebhookEvent[];

  @Field(() => Boolean, { description: 'While it is off nothing is sent, and what happens then is not sent later.' })
  enabled!: boolean;

  @Field(() => String, { nullable: true, description: 'Why the service has switched it off itself.' })
  disabledReason!: string | null;

  @Field(() => DateTime, {
    nullable: true,
    description: 'Until then messages carry a second signature, with the secret before the present one.',
  })
  previousSecretExpiresAt!: Date | null;

  @Field(() => DateTime)
  createdAt!: Date;
}

/** The row without its secrets. */
export function webhookType(row: Webhook): WebhookType {
  const { teamId, secretsCiphertext, secretKeyId, ...shown } = row;
  const until = row.previousSecretExpiresAt;
  return Object.assign(new WebhookType(), shown, {
    key: row.id,
    id: globalId('Webhook', row.id),
    previousSecretExpiresAt: until !== null && until > new Date() ? until : null,
  });
}

@InputType()
export class CreateWebhookInput {
  @Field(() => String)
  name!: string;

  @Field(() => String, { description: 'Gets a POST of JSON for each event.' })
  url!: string;

  @Field(() => [WebhookEvent], { nullable: true, description: 'All by default.' })
  events?: WebhookEvent[] | null;
}

@InputType()
export class UpdateWebhookInput {
  @Field(() => ID)
  webhookId!: string;

  @Field(() => String, { nullable: true })
  name?: string | null;

  @Field(() => String, { nullable: true })
  url?: string | null;

  @Field(() => [WebhookEvent], { nullable: true, description: 'The whole list, in place of the one before.' })
  events?: WebhookEvent[] | null;

  @Field(() => Boolean, { nullable: true })
  enabled?: boolean | null;
}

@InputType()
class WebhookIdInput {
  @Field(() => ID)
  webhookId!: string;
}

@InputType()
export class DeleteWebhookInput extends WebhookIdInput {}

@InputType()
export class RotateWebhookSecretInput extends WebhookIdInput {}

@InputType()
export class TestWebhookInput extends WebhookIdInput {}

@ObjectType()
export class WebhookPayload {
  @Field(() => WebhookType, { nullable: true })
  webhook!: WebhookType | null;

  @Field(() => [UserError])
  userErrors!: UserError[];
}

@ObjectType()
export class WebhookSecretPayload {
  @Field(() => WebhookType, { nullable: true })
  webhook!: WebhookType | null;

  @Field(() => String, { nullable: true, description: 'Signs the messages (whsec_…). Shown only here and now.' })
  secret!: string | null;

  @Field(() => [UserError])
  userErrors!: UserError[];
}

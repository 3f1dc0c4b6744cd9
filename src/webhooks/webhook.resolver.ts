import { Arg, Args, Ctx, FieldResolver, ID, Mutation, Query, Resolver, Root } from 'type-graphql';
import { WebhookDeliveryStatus } from '../platform/database.js';
import { PageArgs } from '../platform/relay/connection.js';
import { requireUuid, uuidOf } from '../platform/relay/globalId.js';
import { type Connection, mapConnection, Page } from '../platform/relay/page.js';
import { withUserErrors } from '../platform/relay/userError.type.js';
import { Access } from '../tenancy/access.js';
import type { RequestContext } from '../tenancy/requestContext.js';
import { deliveryType, WebhookDeliveryConnection, type WebhookDeliveryType } from './delivery.types.js';
import {
  createWebhook,
  deleteWebhook,
  rotateWebhookSecret,
  updateWebhook,
  type WebhookInput,
  type WithSecret,
} from './webhook.js';
import { listDeliveries, listWebhooks } from './webhook.queries.js';
import {
  CreateWebhookInput,
  DeleteWebhookInput,
  RotateWebhookSecretInput,
  UpdateWebhookInput,
  WebhookPayload,
  WebhookSecretPayload,
  WebhookType,
  webhookType,
} from './webhook.types.js';

const idOf = (input: { webhookId: string }): string => requireUuid('Webhook', input.webhookId, 'webhookId');

const payload = (run: () => Promise<Parameters<typeof webhookType>[0]>): Promise<WebhookPayload> =>
  withUserErrors<Omit<WebhookPayload, 'userErrors'>>({ webhook: null }, async () => ({
    webhook: webhookType(await run()),
  }));

const secretPayload = (run: () => Promise<WithSecret>): Promise<WebhookSecretPayload> =>
  withUserErrors<Omit<WebhookSecretPayload, 'userErrors'>>({ webhook: null, secret: null }, async () => {
    const { webhook, secret } = await run();
    return { webhook: webhookType(webhook), secret };
  });

@Resolver(() => WebhookType)
export class WebhookResolver {
  @Access('ADMIN')
  @Query(() => [WebhookType], { description: 'The webhooks of the team, oldest first.' })
  async webhooks(@Ctx() { db, teamId }: RequestContext): Promise<WebhookType[]> {
    return (await listWebhooks(db, teamId)).map(webhookType);
  }

  @Access('ADMIN')
  @Query(() => WebhookType, { nullable: true })
  async webhook(@Arg('id', () => ID) id: string, @Ctx() { db, teamId }: RequestContext): Promise<WebhookType | null> {
    const key = uuidOf('Webhook', id);
    const row = key === null ? null : await db.webhook.findFirst({ where: { id: key, teamId } });
    return row && webhookType(row);
  }

  @FieldResolver(() => WebhookDeliveryConnection, {
    description: 'What was sent or is to be sent, newest first; kept for 30 days.',
  })
  async deliveries(
    @Root() webhook: WebhookType,
    @Args(() => PageArgs) args: PageArgs,
    @Arg('status', () => WebhookDeliveryStatus, { nullable: true }) status: WebhookDeliveryStatus | null,
    @Ctx() { db, teamId }: RequestContext,
  ): Promise<Connection<WebhookDeliveryType>> {
    const page = new Page(args, ['webhook deliveries', webhook.key, status]);
    const key = { teamId, webhookId: webhook.key };
    return mapConnection(await listDeliveries(db, key, page, status ?? null), deliveryType);
  }

  @Access('ADMIN')
  @Mutation(() => WebhookSecretPayload, {
    description: 'Its messages are signed with the secret, which is shown once.',
  })
  createWebhook(
    @Arg('input', () => CreateWebhookInput) input: CreateWebhookInput,
    @Ctx() { db, teamId, services }: RequestContext,
  ): Promise<WebhookSecretPayload> {
    return secretPayload(() => createWebhook(db, services.secrets, teamId, input));
  }

  @Access('ADMIN')
  @Mutation(() => WebhookPayload, { description: 'Changes what is given.' })
  updateWebhook(
    @Arg('input', () => UpdateWebhookInput) input: UpdateWebhookInput,
    @Ctx() { db, teamId }: RequestContext,
  ): Promise<WebhookPayload> {
    return payload(() => {
      const { webhookId: _id, ...changes } = input;
      const given = Object.fromEntries(Object.entries(changes).filter(([, value]) => value != null));
      return updateWebhook(db, teamId, idOf(input), given as Partial<WebhookInput>);
    });
  }

  @Access('ADMIN')
  @Mutation(() => WebhookSecretPayload, { description: 'For 24 hours messages are signed with both secrets.' })
  rotateWebhookSecret(
    @Arg('input', () => RotateWebhookSecretInput) input: RotateWebhookSecretInput,
    @Ctx() { db, teamId, services }: RequestContext,
  ): Promise<WebhookSecretPayload> {
    return secretPayload(() => rotateWebhookSecret(db, services.secrets, teamId, idOf(input)));
  }

  @Access('ADMIN')
  @Mutation(() => WebhookPayload, { description: 'With the record of its deliveries; nothing more is sent.' })
  deleteWebhook(
    @Arg('input', () => DeleteWebhookInput) input: DeleteWebhookInput,
    @Ctx() { db, teamId }: RequestContext,
  ): Promise<WebhookPayload> {
    return payload(() => deleteWebhook(db, teamId, idOf(input)));
  }
}

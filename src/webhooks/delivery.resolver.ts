import { Arg, Ctx, FieldResolver, Mutation, Resolver, Root } from 'type-graphql';
import type { WebhookDelivery } from '../platform/database.js';
import { requireUuid } from '../platform/relay/globalId.js';
import { withUserErrors } from '../platform/relay/userError.type.js';
import { loadRuns, type RunRow } from '../runs/run.queries.js';
import { RunType, runType } from '../runs/run.types.js';
import { Access } from '../tenancy/access.js';
import type { RequestContext } from '../tenancy/requestContext.js';
import { redeliverWebhook, testWebhook } from './delivery.js';
import { deliveryType, RedeliverWebhookInput, WebhookDeliveryPayload, WebhookDeliveryType } from './delivery.types.js';
import { TestWebhookInput } from './webhook.types.js';

const payload = (run: () => Promise<WebhookDelivery>): Promise<WebhookDeliveryPayload> =>
  withUserErrors<Omit<WebhookDeliveryPayload, 'userErrors'>>({ delivery: null }, async () => ({
    delivery: deliveryType(await run()),
  }));

@Resolver(() => WebhookDeliveryType)
export class WebhookDeliveryResolver {
  @FieldResolver(() => RunType, { nullable: true, description: 'Null for a test.' })
  async run(@Root() { runKey }: WebhookDeliveryType, @Ctx() context: RequestContext): Promise<RunType | null> {
    if (runKey === null) return null;
    const row = await context.load<string, RunRow>('run', runKey, (keys) => loadRuns(context.db, context.teamId, keys));
    return row && runType(row);
  }

  @Access('ADMIN')
  @Mutation(() => WebhookDeliveryPayload, {
    description: 'Sends an event webhook.test, once. The delivery says how it went when it is not PENDING any more.',
  })
  testWebhook(
    @Arg('input', () => TestWebhookInput) input: TestWebhookInput,
    @Ctx() { db, teamId, services }: RequestContext,
  ): Promise<WebhookDeliveryPayload> {
    const id = () => requireUuid('Webhook', input.webhookId, 'webhookId');
    return payload(async () => testWebhook(db, services.queue, teamId, id()));
  }

  @Access('ADMIN')
  @Mutation(() => WebhookDeliveryPayload, {
    description: 'Sends the same message again, as a new delivery. One that is still being tried is given up for it.',
  })
  redeliverWebhook(
    @Arg('input', () => RedeliverWebhookInput) input: RedeliverWebhookInput,
    @Ctx() { db, teamId, services }: RequestContext,
  ): Promise<WebhookDeliveryPayload> {
    const id = () => requireUuid('WebhookDelivery', input.deliveryId, 'deliveryId');
    return payload(async () => redeliverWebhook(db, services.queue, teamId, id()));
  }
}

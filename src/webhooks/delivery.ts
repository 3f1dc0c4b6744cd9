import { randomUUID } from 'node:crypto';
import { Conflict, NotFound } from '../errors.js';
import { deliverWebhook } from '../jobs.js';
import type { Queryable, WebhookDelivery } from '../platform/database.js';
import type { JobQueue } from '../platform/queue.js';
import { globalId } from '../platform/relay/globalId.js';
import { eventTypes } from './events.js';
import { findWebhook } from './webhook.js';

/** The record of what was sent is kept for so long. */
export const KEPT_DAYS = 30;

export type NewDelivery = Pick<WebhookDelivery, 'teamId' | 'webhookId' | 'runId' | 'event' | 'messageId' | 'body'>;

/** Adds deliveries and sends the job of each one's first attempt. */
export async function sendDeliveries(
  tx: Queryable,
  queue: Pick<JobQueue, 'send'>,
  list: NewDelivery[],
): Promise<WebhookDelivery[]> {
  const rows = await tx.webhookDelivery.createManyAndReturn({
    data: list.map((delivery) => ({ ...delivery, nextAttemptAt: new Date() })),
  });
  await queue.send(
    tx,
    deliverWebhook,
    rows.map(({ id, teamId, webhookId }) => ({ payload: { teamId, webhookId, deliveryId: id, attempt: 0 } })),
  );
  return rows;
}

/** Deletes the records of the team that are older than they are kept. */
export async function forgetDeliveries(tx: Queryable, teamId: string): Promise<void> {
  const before = new Date(Date.now() - KEPT_DAYS * 86_400_000);
  await tx.webhookDelivery.deleteMany({ where: { teamId, createdAt: { lt: before }, status: { not: 'PENDING' } } });
}

/** Sends an event that says nothing, so that somebody can see whether the webhook works; also one that is off. */
export async function testWebhook(
  tx: Queryable,
  queue: JobQueue,
  teamId: string,
  webhookId: string,
): Promise<WebhookDelivery> {
  const { name } = await findWebhook(tx, teamId, webhookId);
  const webhook = { id: globalId('Webhook', webhookId), name };
  const message = { type: eventTypes.TEST, timestamp: new Date(), data: { webhook } };
  const [delivery] = await sendDeliveries(tx, queue, [
    { teamId, webhookId, runId: null, event: 'TEST', messageId: `msg_${randomUUID()}`, body: JSON.stringify(message) },
  ]);
  return delivery as WebhookDelivery;
}

/**
 * Sends the same message again, under the same id, as a delivery of its own. One that is still being tried is given up
 * for it. Throws NotFound, or Conflict when the webhook is off.
 */
export async function redeliverWebhook(
  tx: Queryable,
  queue: JobQueue,
  teamId: string,
  deliveryId: string,
): Promise<WebhookDelivery> {
  const found = await tx.webhookDelivery.findFirst({
    where: { id: deliveryId, teamId },
    include: { webhook: { select: { enabled: true } } },
  });
  if (found === null) throw new NotFound('Webhook delivery', ['deliveryId']);
  const { webhookId, runId, event, messageId, body, webhook } = found;
  if (!webhook.enabled && event !== 'TEST') {
    throw new Conflict('The webhook is off: enable it first.', ['deliveryId']);
  }
  await tx.webhookDelivery.updateMany({
    where: { id: deliveryId, teamId, status: 'PENDING' },
    data: { status: 'FAILED', nextAttemptAt: null, error: 'Somebody has had it delivered anew.' },
  });
  const [delivery] = await sendDeliveries(tx, queue, [{ teamId, webhookId, runId, event, messageId, body }]);
  return delivery as WebhookDelivery;
}

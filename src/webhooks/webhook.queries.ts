import type { Database, Webhook, WebhookDelivery, WebhookDeliveryStatus } from '../platform/database.js';
import type { Connection, Page } from '../platform/relay/page.js';

/** The webhooks of the team, oldest first; there are few. */
export function listWebhooks(db: Database, teamId: string): Promise<Webhook[]> {
  return db.webhook.findMany({ where: { teamId }, orderBy: { id: 'asc' } });
}

/** What was sent or is to be sent to a webhook, newest first. UUIDv7 ids are in order of creation. */
export async function listDeliveries(
  db: Database,
  key: { teamId: string; webhookId: string },
  page: Page,
  status: WebhookDeliveryStatus | null,
): Promise<Connection<WebhookDelivery>> {
  const where = { ...key, ...(status === null ? {} : { status }) };
  const after = page.after?.[0];
  const rows = await db.webhookDelivery.findMany({
    where: { AND: [where, after === undefined ? {} : { id: { lt: String(after) } }] },
    orderBy: { id: 'desc' },
    take: page.limit,
  });
  return page.connection(
    rows,
    (row) => [row.id],
    () => db.webhookDelivery.count({ where }),
  );
}

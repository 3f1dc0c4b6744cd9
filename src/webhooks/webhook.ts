import { v7 as uuidv7 } from 'uuid';
import { Conflict, InvalidInput, NotFound } from '../errors.js';
import type { Queryable, Webhook, WebhookEvent } from '../platform/database.js';
import { cleanUrl } from '../platform/outbound/cleanUrl.js';
import { cleanText } from '../platform/relay/wellFormed.js';
import type { SecretBox } from '../platform/secretBox.js';
import { eventTypes } from './events.js';
import { newSecret, OVERLAP_HOURS, openSecrets, sealSecrets } from './webhookSecrets.js';

/** Of one team. */
export const MOST_WEBHOOKS = 20;

export interface WebhookInput {
  name: string;
  url: string;
  /** Null: all. */
  events?: WebhookEvent[] | null;
  enabled?: boolean;
}

/** A webhook with the secret that is shown this once. */
export interface WithSecret {
  webhook: Webhook;
  secret: string;
}

/** Adds a webhook to the team. Throws InvalidInput, or Conflict when it has as many as it may. */
export async function createWebhook(
  tx: Queryable,
  secrets: SecretBox,
  teamId: string,
  input: WebhookInput,
): Promise<WithSecret> {
  const data = { ...cleanInput(input), events: cleanEvents(input.events) };
  // Two at a time count one after the other.
  await tx.$queryRaw`SELECT 1 FROM team WHERE id = ${teamId}::uuid FOR NO KEY UPDATE`;
  if ((await tx.webhook.count({ where: { teamId } })) >= MOST_WEBHOOKS) {
    throw new Conflict(`A team has at most ${MOST_WEBHOOKS} webhooks: delete one first.`);
  }
  const [id, secret] = [uuidv7(), newSecret()];
  const webhook = await tx.webhook.create({
    data: { id, teamId, name: input.name, url: input.url, ...data, ...sealSecrets(secrets, id, [secret]) },
  });
  return { webhook, secret };
}

/** Changes what is given. Enabled again, it forgets why it was switched off. Throws InvalidInput or NotFound. */
export async function updateWebhook(
  tx: Queryable,
  teamId: string,
  id: string,
  input: Partial<WebhookInput>,
): Promise<Webhook> {
  await findWebhook(tx, teamId, id);
  const events = input.events === undefined ? {} : { events: cleanEvents(input.events) };
  const switched = input.enabled === undefined ? {} : { disabledReason: null };
  return tx.webhook.update({
    where: { teamId_id: { teamId, id } },
    data: { ...cleanInput(input), ...events, ...switched },
  });
}

/** Gives it another secret; what is sent is signed with both for some time. Throws NotFound. */
export async function rotateWebhookSecret(
  tx: Queryable,
  secrets: SecretBox,
  teamId: string,
  id: string,
): Promise<WithSecret> {
  const now = new Date();
  await tx.$queryRaw`SELECT 1 FROM webhook WHERE id = ${id}::uuid AND team_id = ${teamId}::uuid FOR UPDATE`;
  const [previous] = openSecrets(secrets, await findWebhook(tx, teamId, id), now);
  const secret = newSecret();
  const webhook = await tx.webhook.update({
    where: { teamId_id: { teamId, id } },
    data: {
      ...sealSecrets(secrets, id, [secret, previous as string]),
      previousSecretExpiresAt: new Date(now.getTime() + OVERLAP_HOURS * 3_600_000),
    },
  });
  return { webhook, secret };
}

/** Deletes it with the record of its deliveries; what waits is not sent any more. Throws NotFound. */
export async function deleteWebhook(tx: Queryable, teamId: string, id: string): Promise<Webhook> {
  await findWebhook(tx, teamId, id);
  return tx.webhook.delete({ where: { teamId_id: { teamId, id } } });
}

/** Throws NotFound for one that is missing or another team's. */
export async function findWebhook(db: Queryable, teamId: string, id: string): Promise<Webhook> {
  const webhook = await db.webhook.findFirst({ where: { id, teamId } });
  if (webhook === null) throw new NotFound('Webhook', ['webhookId']);
  return webhook;
}

function cleanInput({ name, url, enabled }: Partial<WebhookInput>) {
  return {
    ...(name === undefined ? {} : { name: cleanText(name, ['name']) }),
    ...(url === undefined ? {} : { url: cleanWebhookUrl(url) }),
    ...(enabled === undefined ? {} : { enabled }),
  };
}

function cleanWebhookUrl(text: string): string {
  const url = cleanUrl(text, ['url'], 'https://ci.example.org/assay', 'check the signature instead');
  if (url.hash !== '') throw new InvalidInput('must not hold a fragment.', ['url']);
  return cleanText(url.href, ['url'], 2_000);
}

const subscribable = (Object.keys(eventTypes) as WebhookEvent[]).filter((event) => event !== 'TEST');

function cleanEvents(events: WebhookEvent[] | null | undefined): WebhookEvent[] {
  if (events == null) return subscribable;
  const chosen = subscribable.filter((event) => events.includes(event));
  if (chosen.length === 0) throw new InvalidInput('must name an event; without it, all are sent.', ['events']);
  return chosen;
}

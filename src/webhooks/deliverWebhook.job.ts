import { serviceOrigin, writeAuditEvent } from '../audit/auditEvent.js';
import { type DeliveryJob, deliverWebhook } from '../jobs.js';
import type { Database, Prisma, Queryable, Webhook, WebhookDelivery } from '../platform/database.js';
import type { JobHandler } from '../platform/jobWorker.js';
import type { JobQueue } from '../platform/queue.js';
import type { SecretBox } from '../platform/secretBox.js';
import { VERSION } from '../version.js';
import { type Answer, postMessage } from './postMessage.js';
import { openSecrets, signedHeaders } from './webhookSecrets.js';

const [SECOND, MINUTE, HOUR] = [1_000, 60_000, 3_600_000];

export interface DeliveryOptions {
  /** An attempt without an answer counts as failed after this time. */
  timeoutMs: number;
  /** What is waited before each further attempt, give or take a tenth; with the last attempt it is given up. */
  waitsMs: readonly number[];
  /** No receiver is waited for longer, whatever it asks for. */
  longestWaitMs: number;
}

const standard: DeliveryOptions = {
  timeoutMs: 15 * SECOND,
  waitsMs: [5 * SECOND, MINUTE, 5 * MINUTE, 30 * MINUTE, 2 * HOUR, 5 * HOUR, 10 * HOUR, 14 * HOUR],
  longestWaitMs: 24 * HOUR,
};
/** At one webhook at once, in one process: a receiver that hangs keeps no other waiting. */
export const SLOTS_PER_WEBHOOK = 2;

type Services = { db: Database; queue: JobQueue; secrets: SecretBox };
type Found = WebhookDelivery & { webhook: Webhook };

/**
 * Makes one attempt at a delivery. How it ended and the job of the next attempt are committed together; a worker that
 * is killed before that leaves the job to others, who send the same message once more.
 */
export const deliverWebhookHandler = (
  services: Services,
  options: Partial<DeliveryOptions> = {},
): JobHandler<DeliveryJob> => ({
  async run(job, { abort }) {
    const { db, secrets } = services;
    const { timeoutMs, ...retry } = { ...standard, ...options };
    const delivery = await findDue(db, job);
    if (delivery === null) return;
    const { webhook, messageId, body } = delivery;
    if (!webhook.enabled && delivery.event !== 'TEST') return giveUp(db, job, 'The webhook is off.');
    const at = new Date();
    const signed = signedHeaders(openSecrets(secrets, webhook, at), { id: messageId, at, body });
    const headers = { 'content-type': 'application/json', 'user-agent': `assay/${VERSION}`, ...signed };
    let answer: Answer;
    try {
      answer = await postMessage(webhook.url, headers, body, { timeoutMs, abort });
    } catch (error) {
      if (abort.aborted) return 'unfinished';
      throw error;
    }
    await settle(services, job, delivery, answer, at, nextWait(delivery, answer, retry));
  },
  giveUp: (job) => giveUp(services.db, job, 'The service itself failed several times at this delivery.'),
});

/** The delivery, if this is the attempt that it waits for. */
function findDue(db: Queryable, job: DeliveryJob): Promise<Found | null> {
  return db.webhookDelivery.findFirst({ where: waiting(job), include: { webhook: true } });
}

const waiting = ({ teamId, deliveryId, attempt }: DeliveryJob): Prisma.WebhookDeliveryWhereInput => ({
  id: deliveryId,
  teamId,
  status: 'PENDING',
  attempts: attempt,
});

async function giveUp(db: Queryable, job: DeliveryJob, error: string): Promise<void> {
  await db.webhookDelivery.updateMany({ where: waiting(job), data: { status: 'FAILED', nextAttemptAt: null, error } });
}

/** The receiver says that it is gone for good. */
const GONE = 410;

/** How long to wait before another attempt, in ms; null: there is none. A test is made once. */
function nextWait(
  { attempts, event }: WebhookDelivery,
  { status, error, retryAfterMs }: Answer,
  { waitsMs, longestWaitMs }: Pick<DeliveryOptions, 'waitsMs' | 'longestWaitMs'>,
): number | null {
  const wait = waitsMs[attempts];
  if (error === null || status === GONE || event === 'TEST' || wait === undefined) return null;
  const spread = wait * (0.9 + 0.2 * Math.random());
  return Math.min(Math.max(spread, retryAfterMs ?? 0), longestWaitMs);
}

async function settle(
  { db, queue }: Services,
  job: DeliveryJob,
  delivery: Found,
  answer: Answer,
  at: Date,
  waitMs: number | null,
): Promise<void> {
  const { status: responseStatus, durationMs, error } = answer;
  const next = waitMs === null ? null : new Date(Date.now() + waitMs);
  const ended = error === null ? 'SUCCEEDED' : 'FAILED';
  await db.$transaction(async (tx) => {
    const { count } = await tx.webhookDelivery.updateMany({
      where: waiting(job),
      data: {
        status: next === null ? ended : 'PENDING',
        attempts: job.attempt + 1,
        nextAttemptAt: next,
        lastAttemptAt: at,
        responseStatus,
        durationMs,
        error,
      },
    });
    // Somebody else has made this attempt too, or it was given up meanwhile.
    if (count === 0) return;
    if (next !== null) {
      const payload = { ...job, attempt: job.attempt + 1 };
      await queue.send(tx, deliverWebhook, [{ payload, startAfter: next }]);
    }
    if (responseStatus === GONE)
      await switchOff(tx, delivery.webhook, 'The receiver answered that it is gone (HTTP 410).');
  });
}

async function switchOff(tx: Queryable, { id, teamId, name }: Webhook, disabledReason: string): Promise<void> {
  const { count } = await tx.webhook.updateMany({
    where: { id, teamId, enabled: true },
    data: { enabled: false, disabledReason },
  });
  if (count === 0) return;
  await writeAuditEvent(tx, teamId, serviceOrigin('webhooks'), {
    action: 'updateWebhook',
    outcome: 'DONE',
    subject: { type: 'Webhook', key: id, name },
    details: { enabled: false, responseStatus: GONE },
  });
}

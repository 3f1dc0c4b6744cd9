import type { StatusChangeJob } from '../jobs.js';
import type { Database } from '../platform/database.js';
import type { JobHandler } from '../platform/jobWorker.js';
import type { JobQueue } from '../platform/queue.js';
import { forgetDeliveries, sendDeliveries } from './delivery.js';
import { eventOf } from './events.js';
import { runMessage } from './runMessage.js';

/**
 * Makes a delivery of a change for every webhook that wants to know of it, and forgets the change: all in one
 * transaction, so that however often this is run there is one delivery for each.
 */
export const announceRunHandler = (services: {
  db: Database;
  queue: JobQueue;
  publicUrl: string | null;
}): JobHandler<StatusChangeJob> => ({
  async run({ teamId, runId, changeId }) {
    const { db, queue, publicUrl } = services;
    const change = await db.runStatusChange.findFirst({ where: { id: changeId, teamId } });
    if (change === null) return;
    const event = eventOf(change);
    const wanted = { teamId, enabled: true, events: { has: event } };
    const message = (await db.webhook.count({ where: wanted })) === 0 ? null : await runMessage(db, change, publicUrl);
    await db.$transaction(async (tx) => {
      const { count } = await tx.runStatusChange.deleteMany({ where: { id: changeId, teamId } });
      if (count === 0 || message === null) return;
      const webhooks = await tx.webhook.findMany({ where: wanted, select: { id: true }, orderBy: { id: 'asc' } });
      const sent = { teamId, runId, event, messageId: `msg_${changeId}`, body: JSON.stringify(message) };
      await sendDeliveries(
        tx,
        queue,
        webhooks.map(({ id }) => ({ ...sent, webhookId: id })),
      );
      await forgetDeliveries(tx, teamId);
    });
  },
});

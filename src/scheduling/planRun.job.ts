import { type ConversationJob, generateReply, gradeConversation, planRun, type RunJob, scoreRun } from '../jobs.js';
import type { Database, Queryable, RunConversationStatus } from '../platform/database.js';
import type { JobHandler } from '../platform/jobWorker.js';
import type { JobQueue } from '../platform/queue.js';
import { changeRunStatus } from '../runs/runStatus.js';

/**
 * Conversations of a run that are in the queue or in work at once. Large enough to fill the slots of
 * several workers, small enough that a run of 57,000 criteria leaves room for one of 50.
 */
export const WINDOW = 192;
/** Every so many conversations the priority falls by one, so that runs take turns from their beginnings. */
const PRIORITY_STEP = 8;

interface Missing {
  ordinal: number;
  status: RunConversationStatus;
}

/**
 * What is left to do is a query and never a saved list, so this is how a run starts, goes on, is retried
 * and recovers from a crash. The queue leaves out what it holds already, so planning twice is harmless.
 */
export const planRunHandler = (services: { db: Database; queue: JobQueue }): JobHandler<RunJob> => ({
  run: ({ teamId, runId }) =>
    services.db.$transaction(async (tx) => {
      await changeRunStatus(tx, { teamId, runId, to: 'RUNNING', from: ['QUEUED'] });
      const run = await tx.run.findFirst({ where: { id: runId, teamId }, select: { status: true } });
      if (run?.status !== 'RUNNING') return;
      const missing = await tx.$queryRaw<Missing[]>`
        SELECT ordinal, status FROM run_conversation
        WHERE run_id = ${runId}::uuid AND status IN ('PENDING', 'REPLIED') ORDER BY ordinal LIMIT ${WINDOW}`;
      if (missing.length === 0) return services.queue.send(tx, scoreRun, [{ payload: { teamId, runId } }]);
      const jobs = (status: RunConversationStatus) =>
        missing.filter((row) => row.status === status).map((row) => conversationJob(teamId, runId, row.ordinal));
      await services.queue.send(tx, generateReply, jobs('PENDING'));
      await services.queue.send(tx, gradeConversation, jobs('REPLIED'));
    }),
});

/** The job of one conversation, with its place among the jobs of all runs. */
export function conversationJob(
  teamId: string,
  runId: string,
  ordinal: number,
): { payload: ConversationJob; priority: number } {
  return { payload: { teamId, runId, ordinal }, priority: -Math.floor(ordinal / PRIORITY_STEP) };
}

/**
 * Plans every run that should be going on, of all teams. Called now and then by every worker: what a crash left
 * behind is picked up here.
 */
export async function reconcile(services: { db: Database; queue: JobQueue }): Promise<void> {
  const runs = await services.db.$queryRaw<RunJob[]>`
    SELECT team_id AS "teamId", id AS "runId" FROM assay_open_runs(1000)`;
  await planAgain(services.queue, services.db, runs);
}

/** Has the runs looked at again: something of theirs has been settled. */
export function planAgain(queue: JobQueue, tx: Queryable, runs: RunJob[]): Promise<void> {
  return queue.send(
    tx,
    planRun,
    runs.map((payload) => ({ payload })),
  );
}

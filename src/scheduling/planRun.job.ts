import { type ConversationJob, generateReply, gradeConversation, planRun, type RunJob, scoreRun } from '../jobs.js';
import type { Database, Queryable, RunConversationStatus } from '../platform/database.js';
import type { JobHandler } from '../platform/jobWorker.js';
import type { JobQueue } from '../platform/queue.js';
import { changeRunStatus } from '../runs/runStatus.js';

/**
 * Conversations of a run that are in the queue or in work at once, beyond the calls in flight that its endpoints
 * allow. Small enough that a run of 57,000 criteria leaves room for one of 50.
 */
const WINDOW = 192;
/**
 * Of the conversations that a run has in the queue, every so many have a priority lower by one. So runs take
 * turns, whichever came first and however far each is.
 */
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
      const found = await tx.run.findFirst({ where: { id: runId, teamId }, select: runSelection });
      const started = found?.status === 'QUEUED';
      if (started) await changeRunStatus(tx, services.queue, { teamId, runId, to: 'RUNNING', from: ['QUEUED'] });
      else if (found?.status !== 'RUNNING') return;
      const missing = await missingConversations(tx, runId, WINDOW + 2 * (await callsAllowed(tx, found)));
      if (missing.length === 0) return services.queue.send(tx, scoreRun, [{ payload: { teamId, runId } }]);
      const jobs = (status: RunConversationStatus) =>
        missing.flatMap((row, place) => (row.status === status ? [jobAt({ teamId, runId, ...row }, place)] : []));
      await services.queue.send(tx, generateReply, jobs('PENDING'));
      await services.queue.send(tx, gradeConversation, jobs('REPLIED'));
    }),
});

const runSelection = { status: true, modelEndpointId: true, graderEndpointId: true } as const;

/** Calls in flight that the run's endpoints allow. */
async function callsAllowed(tx: Queryable, run: { modelEndpointId: string | null; graderEndpointId: string | null }) {
  const ids = [run.modelEndpointId, run.graderEndpointId].filter((id) => id !== null);
  const { _max } = await tx.modelEndpoint.aggregate({ where: { id: { in: ids } }, _max: { maxConcurrency: true } });
  return _max.maxConcurrency ?? 0;
}

function missingConversations(tx: Queryable, runId: string, limit: number): Promise<Missing[]> {
  return tx.$queryRaw<Missing[]>`
    SELECT ordinal, status::text FROM run_conversation
    WHERE run_id = ${runId}::uuid AND status IN ('PENDING', 'REPLIED') ORDER BY ordinal LIMIT ${limit}::int`;
}

/** The job of the conversation that is at `place` (from 0) among the run's missing ones. */
function jobAt({ teamId, runId, ordinal }: ConversationJob, place: number) {
  return { payload: { teamId, runId, ordinal }, priority: -Math.floor(place / PRIORITY_STEP) };
}

/** Jobs for conversations that go on to their next step: these come before what has not begun. */
export const nextSteps = (teamId: string, runId: string, ordinals: number[]): { payload: ConversationJob }[] =>
  ordinals.map((ordinal) => ({ payload: { teamId, runId, ordinal } }));

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

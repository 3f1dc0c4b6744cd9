import { storableText } from '../healthbench/storableText.js';
import type { RunJob } from '../jobs.js';
import type { Database, Queryable } from '../platform/database.js';
import type { JobQueue } from '../platform/queue.js';
import { changeRunStatus, type StatusChange } from '../runs/runStatus.js';

/** Who was asked: each has a breaker of its own. */
export type Role = 'model' | 'grader';

const names: Record<Role, string> = { model: 'Model under test', grader: 'Grader' };

/** So many conversations in a row that fail in the same role stop the run: the rest would fail too, and cost. */
const STREAK = 20;

/** A failure that every other call with the same endpoint (and model) would meet too. */
export interface ProviderFailure {
  teamId: string;
  /** The run that met it. */
  runId: string;
  endpointId: string;
  model: string;
  reason: string;
  message: string;
}

type Queue = Pick<JobQueue, 'send'>;

/** These say nothing about other models at the endpoint. */
const modelReasons = new Set(['model_not_found', 'rate_limited']);

/**
 * The provider refuses every call (bad key, no credit, model gone): waiting for a person costs nothing. Pauses all
 * runs of the team that call this endpoint, the reason naming the role in which they do. They may have been paused
 * or ended already. A spent budget is nobody's failure and concerns one run; its reason begins with BUDGET.
 */
export async function pauseRunsAt(
  { db, queue }: { db: Database; queue: Queue },
  failure: ProviderFailure,
): Promise<void> {
  const { teamId, runId, endpointId, model, reason, message } = failure;
  if (reason === 'budget') {
    return db.$transaction((tx) => pause(tx, queue, { teamId, runId, reason: message, budgetReached: true }));
  }
  const modelToo = modelReasons.has(reason);
  const graded = { graderEndpointId: endpointId, ...(modelToo ? { graderModel: model } : {}) };
  const generated = { modelEndpointId: endpointId, ...(modelToo ? { model } : {}) };
  await db.$transaction(async (tx) => {
    const runs = await tx.run.findMany({
      where: { teamId, status: { in: ['QUEUED', 'RUNNING'] }, OR: [generated, graded] },
      select: { id: true, modelEndpointId: true, model: true },
      orderBy: { id: 'asc' },
    });
    for (const run of runs) {
      const role = run.modelEndpointId === endpointId && (!modelToo || run.model === model) ? 'model' : 'grader';
      await pause(tx, queue, {
        teamId,
        runId: run.id,
        reason: `${names[role]}: ${message} (${reason})`,
        outsideReason: `${names[role]}: ${reason}`,
      });
    }
  });
}

/** Pauses the run when its last conversations since it was started or resumed have all failed in this role. */
export async function pauseHopelessRun(
  tx: Queryable,
  queue: Queue,
  { teamId, runId }: RunJob,
  role: Role,
): Promise<void> {
  const rows = await tx.$queryRaw<
    { ordinal: number; failed: boolean; reason: string | null; runningSince: Date | null }[]
  >`
    SELECT run.running_since AS "runningSince", rc.ordinal, rc.status = ${role === 'model' ? 'FAILED' : 'UNGRADED'}::run_conversation_status AS failed, rc.reason
    FROM run_conversation rc JOIN run ON run.id = rc.run_id
    WHERE rc.run_id = ${runId}::uuid AND rc.status IN ('FAILED', 'UNGRADED', 'SCORED')
      AND (${role === 'model'}::boolean OR rc.status <> 'FAILED')
      AND rc.settled_at >= coalesce(run.running_since, run.created_at)
    ORDER BY rc.settled_at DESC LIMIT ${STREAK}`;
  if (rows.length < STREAK || rows.some((row) => !row.failed)) return;
  if (
    role === 'grader' &&
    (await anyVerdict(
      tx,
      runId,
      rows.map((row) => row.ordinal),
    ))
  )
    return;
  const what = role === 'model' ? 'conversations got no reply' : 'conversations got no verdict';
  await pause(tx, queue, {
    teamId,
    runId,
    reason: `${names[role]}: the last ${STREAK} ${what} (${rows[0]?.reason}).`,
    // Somebody may have mended it and resumed the run since these rows were read: then they say nothing any more.
    runningSince: rows[0]?.runningSince ?? null,
  });
}

async function anyVerdict(tx: Queryable, runId: string, ordinals: number[]): Promise<boolean> {
  return (await tx.criterionVerdict.findFirst({ where: { runId, ordinal: { in: ordinals } } })) !== null;
}

async function pause(tx: Queryable, queue: Queue, why: Omit<StatusChange, 'to' | 'from'>): Promise<void> {
  const reason = storableText(why.reason ?? '');
  await changeRunStatus(tx, queue, { ...why, reason, to: 'PAUSED', from: ['QUEUED', 'RUNNING'] });
}

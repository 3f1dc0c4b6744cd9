import { Conflict, NotFound } from '../errors.js';
import { announceRun } from '../jobs.js';
import type { Queryable, Run, RunStatus } from '../platform/database.js';
import type { JobQueue } from '../platform/queue.js';
import { wakeUp } from '../platform/wakeUps.js';
import { forgetReceipts } from './writeOnce.js';

/**
 * Every state of a run and where it may go. This file is the one writer of the status.
 *
 * QUEUED     started, not yet planned; an imported run goes from here to its end in the transaction that makes it
 * RUNNING    conversations are generated and graded
 * PAUSED     by a person, or because the provider refuses every call (the reason says so)
 * CANCELLED  by a person; final
 * COMPLETED  nothing is missing and at least one conversation has a score
 * FAILED     nothing is missing and no conversation has a score
 */
export const transitions: Record<RunStatus, readonly RunStatus[]> = {
  QUEUED: ['RUNNING', 'PAUSED', 'CANCELLED', 'COMPLETED', 'FAILED'],
  RUNNING: ['PAUSED', 'CANCELLED', 'COMPLETED', 'FAILED'],
  PAUSED: ['RUNNING', 'CANCELLED'],
  COMPLETED: ['RUNNING'],
  FAILED: ['RUNNING'],
  CANCELLED: [],
};

const finals: readonly RunStatus[] = ['COMPLETED', 'FAILED', 'CANCELLED'];

/** Nothing more will happen unless somebody asks for it. Such a run, and no other, has a `finishedAt`; Postgres checks it. */
export const isFinal = (status: RunStatus): boolean => finals.includes(status);

/** What those outside are told of: work that ended, or that waits for somebody. */
const announced: readonly RunStatus[] = ['PAUSED', ...finals];

/** The key under which watchers of a run are woken: its status, its verdicts. */
export const runKey = (runId: string): string => `run:${runId}`;

/** The key for those who mind only its status: workers, which must not look after every verdict. */
export const runStatusKey = (runId: string): string => `run-status:${runId}`;

export interface StatusChange {
  teamId: string;
  runId: string;
  to: RunStatus;
  /** For people; null clears the one before. */
  reason?: string | null;
  /** In place of the reason for those outside, where that quotes a provider, who may quote a conversation. */
  outsideReason?: string;
  /** It is paused because its budget is spent. */
  budgetReached?: true;
  /** Only from these; default: all that may go to `to`. */
  from?: readonly RunStatus[];
  /** Only if it was last started or resumed then. */
  runningSince?: Date | null;
}

/**
 * Changes the status if the present one allows it, in one conditional statement, so of two callers one
 * wins. Returns the run, or null when it was in no state to go there.
 *
 * @param tx a transaction: what announces the change exists if and only if the change does
 */
export async function changeRunStatus(
  tx: Queryable,
  queue: Pick<JobQueue, 'send'>,
  change: StatusChange,
): Promise<Run | null> {
  const { teamId, runId, to } = change;
  const from = change.from ?? sources(to);
  const rows = await tx.run.updateManyAndReturn({
    where: {
      ...{ id: runId, teamId, status: { in: [...from] } },
      ...(change.runningSince === undefined ? {} : { runningSince: change.runningSince }),
    },
    data: {
      status: to,
      statusReason: change.reason ?? null,
      finishedAt: isFinal(to) ? new Date() : null,
      ...(to === 'RUNNING' ? { runningSince: new Date() } : {}),
    },
  });
  const run = rows[0];
  if (run === undefined) return null;
  if (to === 'RUNNING' && run.startedAt === null) {
    run.startedAt = new Date();
    await tx.run.update({ where: { id: runId }, data: { startedAt: run.startedAt } });
  }
  if (isFinal(to)) await forgetReceipts(tx, teamId);
  // History that comes in is no news.
  if (announced.includes(to) && run.origin === null) await announce(tx, queue, change);
  await wakeUp(tx, runKey(runId));
  await wakeUp(tx, runStatusKey(runId));
  return run;
}

async function announce(tx: Queryable, queue: Pick<JobQueue, 'send'>, change: StatusChange): Promise<void> {
  const { teamId, runId, to, budgetReached = false, outsideReason, reason = null } = change;
  const { id } = await tx.runStatusChange.create({
    data: { teamId, runId, status: to, budgetReached, reason: outsideReason ?? reason },
  });
  await queue.send(tx, announceRun, [{ payload: { teamId, runId, changeId: id } }]);
}

/** As changeRunStatus, for a person: throws NotFound, or Conflict that names the present status. */
export async function requireRunStatus(
  tx: Queryable,
  queue: Pick<JobQueue, 'send'>,
  change: StatusChange,
): Promise<Run> {
  const run = await changeRunStatus(tx, queue, change);
  if (run !== null) return run;
  const present = await tx.run.findFirst({ where: { id: change.runId, teamId: change.teamId } });
  if (present === null) throw new NotFound('Run', ['runId']);
  const from = (change.from ?? sources(change.to)).join(', ');
  throw new Conflict(`The run is ${present.status}; this is possible only while it is ${from}.`, ['runId']);
}

function sources(to: RunStatus): RunStatus[] {
  return (Object.keys(transitions) as RunStatus[]).filter((from) => transitions[from].includes(to));
}

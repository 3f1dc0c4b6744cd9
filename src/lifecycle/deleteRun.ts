import { NotFound } from '../errors.js';
import { type Database, isDeadlock, Prisma, type Queryable } from '../platform/database.js';
import type { JobQueue } from '../platform/queue.js';
import { wakeUp } from '../platform/wakeUps.js';
import { changeRunStatus, runKey, runStatusKey } from '../runs/runStatus.js';
import { countRows, ofRuns, type RowCounts, teamTables } from './teamTables.js';

export interface RunKey {
  teamId: string;
  runId: string;
}

/** Workers that have heard of the cancellation need milliseconds; one that was killed is found out in this time. */
const QUIET_MS = 20_000;
const LOOK_MS = 50;

/**
 * Deletes a run with all that hangs on it and returns how many rows of each kind that were. A run that goes on is
 * cancelled first, and its workers get time to stop. Regrades of it stay, as they have replies of their own, and know
 * whose they were: they never ask for replies. Throws NotFound.
 *
 * @param record called in the transaction that deletes
 */
export async function deleteRun(
  services: { db: Database; queue: JobQueue },
  key: RunKey,
  record: (tx: Queryable, run: { name: string }, deleted: RowCounts) => Promise<void>,
): Promise<RowCounts> {
  const { db, queue } = services;
  const { teamId, runId } = key;
  await db.$transaction((tx) =>
    changeRunStatus(tx, queue, { ...key, to: 'CANCELLED', reason: 'It is being deleted.' }),
  );
  await quiet(() => queue.running(db, key as unknown as Record<string, string>));
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await db.$transaction(async (tx) => {
        const run = await tx.run.findFirst({ where: { id: runId, teamId }, select: { name: true } });
        if (run === null) throw new NotFound('Run', ['runId']);
        const deleted = await deleteRunRows(tx, key);
        await record(tx, run, deleted);
        return deleted;
      });
    } catch (error) {
      // A worker that was late held what this needed.
      if (!isDeadlock(error) || attempt === 5) throw error;
    }
  }
}

/** Waits until nothing is being worked on any more, but no longer than a lease lasts. */
export async function quiet(running: () => Promise<number>): Promise<void> {
  const deadline = Date.now() + QUIET_MS;
  while (Date.now() < deadline && (await running()) > 0) await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
}

/** Deletes the rows of one run; its foreign keys take along what hangs on it. */
async function deleteRunRows(tx: Queryable, { teamId, runId }: RunKey): Promise<RowCounts> {
  // First what a worker holds while it waits for the run: in this order neither waits for the other for ever.
  await tx.$queryRaw`SELECT 1 FROM run_conversation WHERE run_id = ${runId}::uuid FOR UPDATE`;
  const deleted = await countRows(
    tx,
    ofRuns(await teamTables(tx)),
    Prisma.sql`run_id = ${runId}::uuid AND team_id = ${teamId}::uuid`,
  );
  await tx.run.delete({ where: { teamId_id: { teamId, id: runId } } });
  await wakeUp(tx, runKey(runId));
  await wakeUp(tx, runStatusKey(runId));
  return { run: 1, ...deleted };
}

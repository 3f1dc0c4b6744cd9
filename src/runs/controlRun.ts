import { Conflict, InvalidInput } from '../errors.js';
import { planRun } from '../jobs.js';
import type { Database, Queryable, Run } from '../platform/database.js';
import type { JobQueue } from '../platform/queue.js';
import { claimIdempotencyKey, firstResult, keepIdempotentResult } from '../tenancy/idempotency.js';
import { requireDetails } from './requireDetails.js';
import { requireRunStatus } from './runStatus.js';
import { reopenUnscored } from './settleConversation.js';

interface RunKey {
  teamId: string;
  runId: string;
}

/** Starts no new call; what is in flight is finished and kept. */
export function pauseRun(db: Database, queue: JobQueue, key: RunKey): Promise<Run> {
  return db.$transaction((tx) => requireRunStatus(tx, queue, { ...key, to: 'PAUSED' }));
}

/** Goes on with what is missing. */
export function resumeRun(db: Database, queue: JobQueue, key: RunKey): Promise<Run> {
  return db.$transaction(async (tx) => {
    const run = await requireRunStatus(tx, queue, { ...key, to: 'RUNNING', from: ['PAUSED'] });
    await queue.send(tx, planRun, [{ payload: key }]);
    return run;
  });
}

/** Ends the run for good and aborts what is in flight; what has arrived is kept. */
export function cancelRun(db: Database, queue: JobQueue, key: RunKey): Promise<Run> {
  return db.$transaction((tx) => requireRunStatus(tx, queue, { ...key, to: 'CANCELLED' }));
}

/**
 * Tries again what failed or stayed ungraded, in the same run; the calls of before stay on record. Throws
 * InvalidInput when there is nothing, Conflict when an endpoint of the run has been deleted.
 */
export function retryRun(
  db: Database,
  queue: JobQueue,
  key: RunKey & { idempotencyKey?: string | null },
): Promise<Run> {
  return db.$transaction(async (tx) => {
    const { teamId, runId, idempotencyKey } = key;
    const idempotent = { teamId, operation: 'retryRun', key: idempotencyKey, input: { runId } };
    const first = await claimIdempotencyKey(tx, idempotent);
    if (first !== null) return firstResult(await tx.run.findFirst({ where: { id: first, teamId } }));
    await refuseImported(tx, key);
    const run = await requireRunStatus(tx, queue, { teamId, runId, to: 'RUNNING', from: ['COMPLETED', 'FAILED'] });
    requireDetails(run, ['runId'], 'start a new run');
    if ((await reopenUnscored(tx, runId)) === 0) {
      throw new InvalidInput('Nothing in this run is ungraded or failed: there is nothing to try again.', ['runId']);
    }
    await requireEndpoints(tx, run);
    await queue.send(tx, planRun, [{ payload: { teamId, runId } }]);
    await keepIdempotentResult(tx, idempotent, runId);
    return run;
  });
}

/** Nothing is configured that could be called for it. */
async function refuseImported(tx: Queryable, { teamId, runId }: RunKey): Promise<void> {
  const run = await tx.run.findFirst({ where: { id: runId, teamId }, select: { origin: true } });
  if (run === null || run.origin === null) return;
  throw new Conflict(
    'The run was imported: no model is called for it. regradeRun grades its replies with a grader of yours, in a new run.',
    ['runId'],
  );
}

/** A run that is over keeps nobody from deleting its endpoints; from here on it does. */
async function requireEndpoints(tx: Queryable, { teamId, modelEndpointId, graderEndpointId }: Run): Promise<void> {
  const gone = await tx.$queryRaw<{ name: string; deleted: boolean }[]>`
    SELECT name, deleted_at IS NOT NULL AS deleted FROM model_endpoint
    WHERE team_id = ${teamId}::uuid AND id = ANY(${[modelEndpointId, graderEndpointId]}::uuid[]) FOR SHARE`;
  const deleted = gone.find((endpoint) => endpoint.deleted);
  if (deleted === undefined) return;
  throw new Conflict(`The endpoint “${deleted.name}” of this run has been deleted: start a new run.`, ['runId']);
}

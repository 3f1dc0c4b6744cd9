import { storableText } from '../healthbench/storableText.js';
import type { Queryable } from '../platform/database.js';
import { graderUsageAdded } from '../runs/countUsage.js';
import { type CallUsage, sumUsage } from '../runs/usage.js';
import { type FailedAttempts, storeFailedCalls } from '../scheduling/failedCalls.js';

/** What calls for one verdict came to that gave none. */
export interface GraderCalls extends FailedAttempts {
  criterionNo: number;
  usage: CallUsage;
}

/** A criterion that ended without a verdict, with the reason. */
export interface NewUngraded extends GraderCalls {
  reason: string;
  message: string;
}

/**
 * Holds the run's log until the transaction ends, so that what is decided for want of a verdict stays true: no verdict
 * comes in between, and one that is on its way looks again at what has been decided.
 */
export async function holdLog(tx: Queryable, runId: string): Promise<void> {
  await tx.$executeRaw`UPDATE verdict_log SET epoch = epoch + 1 WHERE run_id = ${runId}::uuid`;
}

/**
 * Notes of criteria of one run that they ended without a verdict; a later try overwrites the note, a verdict removes
 * it. Their calls are not counted here.
 *
 * @param tx a transaction: the log is held until it ends
 */
export async function recordUngraded(tx: Queryable, runId: string, ungraded: readonly NewUngraded[]): Promise<void> {
  if (ungraded.length === 0) return;
  await holdLog(tx, runId);
  await tx.$executeRaw`
    WITH noted AS (
      INSERT INTO ungraded_criterion AS u (run_id, team_id, ordinal, criterion_no, reason, message, attempts)
      SELECT l.run_id, l.team_id, n.* FROM verdict_log l, unnest(
        ${ungraded.map((u) => u.ordinal)}::int[], ${ungraded.map((u) => u.criterionNo)}::int[],
        ${ungraded.map((u) => u.reason)}::text[], ${ungraded.map((u) => storableText(u.message))}::text[],
        ${ungraded.map((u) => u.usage.calls)}::int[]) AS n(ordinal, criterion_no, reason, message, attempts)
      WHERE l.run_id = ${runId}::uuid AND NOT EXISTS (
        SELECT 1 FROM criterion_verdict v
        WHERE v.run_id = l.run_id AND v.ordinal = n.ordinal AND v.criterion_no = n.criterion_no)
      ON CONFLICT (run_id, ordinal, criterion_no) DO UPDATE SET reason = excluded.reason,
        message = excluded.message, attempts = u.attempts + excluded.attempts, at = now()
      RETURNING (xmax = 0) AS added
    )
    UPDATE verdict_log SET ungraded = ungraded + (SELECT count(*) FROM noted WHERE added)
    WHERE run_id = ${runId}::uuid`;
}

/** Keeps and counts calls of the grader of one run that gave no verdict: they have been paid for all the same. */
export async function countGraderCalls(tx: Queryable, calls: readonly GraderCalls[]): Promise<void> {
  const [first] = calls;
  if (first === undefined) return;
  await storeFailedCalls(tx, calls);
  const usage = sumUsage(calls.map((call) => call.usage));
  await tx.$executeRaw`UPDATE verdict_log SET ${graderUsageAdded(usage)} WHERE run_id = ${first.runId}::uuid`;
}

import { storableText } from '../healthbench/storableText.js';
import type { TokenUsage } from '../platform/chatModel/types.js';
import { type Database, isUniqueViolation, Prisma, type Queryable, untilConnected } from '../platform/database.js';
import { WAKE_UP_CHANNEL } from '../platform/wakeUps.js';
import { graderUsageAdded } from '../runs/countUsage.js';
import { runKey } from '../runs/runStatus.js';
import { type CallUsage, sumUsage } from '../runs/usage.js';
import { hasReceipt, newReceipt, receiptFrom } from '../runs/writeOnce.js';
import type { AttemptRecord } from '../scheduling/callModel.js';
import { storeFailedCalls } from '../scheduling/failedCalls.js';

/** A verdict on its way into the log. */
export interface NewVerdict {
  teamId: string;
  ordinal: number;
  criterionNo: number;
  points: number;
  criteriaMet: boolean;
  explanation: string;
  /** Null: imported. */
  latencyMs: number | null;
  /** Of all attempts. */
  usage: CallUsage;
  /** Of the successful attempt alone. */
  reported: TokenUsage;
  failedAttempts: AttemptRecord[];
}

/**
 * Appends verdicts of one run to its log and returns how many were new. One statement: it takes the next
 * sequence numbers under the lock of the run's verdict_log row, inserts, counts and says that there is
 * news (46,000 rows/s in batches of 100; 6,200 with createMany). So numbers are in commit order and have
 * no gaps. A criterion that has a verdict keeps it, and a conversation that is settled takes none; the calls are
 * counted all the same, as they have been paid for.
 */
export async function recordVerdicts(db: Database, runId: string, verdicts: NewVerdict[]): Promise<number> {
  const receipt = newReceipt();
  return untilConnected(async () => (await appendAtOnce(db, runId, verdicts, receipt)) ?? hold());

  /** Slower, and sure of what it sees. */
  function hold(): Promise<number> {
    return db.$transaction(async (tx) => {
      await tx.$queryRaw`SELECT 1 FROM verdict_log WHERE run_id = ${runId}::uuid FOR UPDATE`;
      const added = await append(tx, runId, verdicts, receipt);
      if (added === null) return 0;
      await storeFailedCalls(
        tx,
        verdicts.map((verdict) => ({ ...verdict, runId })),
      );
      return added;
    });
  }
}

/** As recordVerdicts, for a run that nobody else writes to; within a transaction. */
export async function appendVerdicts(tx: Queryable, runId: string, verdicts: NewVerdict[]): Promise<void> {
  const added = await append(tx, runId, verdicts, newReceipt());
  if (added !== verdicts.length) throw new Error(`of ${verdicts.length} verdicts of run ${runId}, ${added} were new`);
}

/** Null, and nothing is written, when one statement alone will not do. */
async function appendAtOnce(db: Database, runId: string, verdicts: NewVerdict[], receipt: string) {
  if (verdicts.some(({ failedAttempts }) => failedAttempts.length > 0)) return null;
  try {
    return await append(db, runId, verdicts, receipt);
  } catch (error) {
    // Another worker wrote the same criterion after this statement's snapshot.
    if (isUniqueViolation(error)) return null;
    throw error;
  }
}

/**
 * Null, and nothing is written, when this write has been committed before, the run is gone, or holdLog came between
 * the statement's snapshot and its lock.
 */
async function append(db: Queryable, runId: string, verdicts: NewVerdict[], receipt: string): Promise<number | null> {
  const rows = await db.$queryRaw<{ n: number; written: boolean }[]>`
    WITH seen AS MATERIALIZED (
      SELECT epoch FROM verdict_log WHERE run_id = ${runId}::uuid AND NOT ${hasReceipt(runId, receipt)}
    ), fresh AS (
      SELECT u.*, (row_number() OVER (ORDER BY u.place))::int AS step
      FROM unnest(
        ${verdicts.map((v) => v.ordinal)}::int[], ${verdicts.map((v) => v.criterionNo)}::int[],
        ${verdicts.map((v) => Math.sign(v.points))}::int[], ${verdicts.map((v) => v.criteriaMet)}::bool[],
        ${verdicts.map((v) => storableText(v.explanation))}::text[], ${verdicts.map((v) => v.usage.calls)}::int[],
        ${verdicts.map((v) => v.latencyMs && Math.round(v.latencyMs))}::int[], ${verdicts.map((v) => v.reported.promptTokens)}::int[],
        ${verdicts.map((v) => v.reported.completionTokens)}::int[], ${verdicts.map((v) => v.reported.cachedTokens)}::int[],
        ${verdicts.map((v) => v.reported.reasoningTokens)}::int[]
      ) WITH ORDINALITY AS u(ordinal, criterion_no, sign, met, explanation, attempts, latency_ms, prompt_tokens,
        completion_tokens, cached_tokens, reasoning_tokens, place)
      JOIN run_conversation rc ON rc.run_id = ${runId}::uuid AND rc.ordinal = u.ordinal AND rc.status = 'REPLIED'
      WHERE NOT EXISTS (
        SELECT 1 FROM criterion_verdict v
        WHERE v.run_id = ${runId}::uuid AND v.ordinal = u.ordinal AND v.criterion_no = u.criterion_no)
        -- Of a cancelled run the details may be gone: none are added to it.
        AND NOT EXISTS (SELECT 1 FROM run WHERE run.id = ${runId}::uuid AND run.details_deleted_at IS NOT NULL)
    ), sums AS (
      SELECT count(*)::int AS n, count(*) FILTER (WHERE sign > 0)::int AS positive,
        count(*) FILTER (WHERE sign > 0 AND met)::int AS positive_met, count(*) FILTER (WHERE sign < 0)::int AS negative,
        count(*) FILTER (WHERE sign < 0 AND met)::int AS negative_met
      FROM fresh
    ), notes AS (
      SELECT d.ordinal, d.criterion_no FROM ungraded_criterion d JOIN fresh USING (ordinal, criterion_no)
      WHERE d.run_id = ${runId}::uuid
    ), log AS (
      UPDATE verdict_log l SET last_sequence = last_sequence + sums.n,
        positive_graded = positive_graded + sums.positive, positive_met = l.positive_met + sums.positive_met,
        negative_graded = negative_graded + sums.negative, negative_met = l.negative_met + sums.negative_met,
        ungraded = ungraded - (SELECT count(*) FROM notes),
        ${graderUsageAdded(sumUsage(verdicts.map((v) => v.usage)))}
      FROM sums, seen
      -- The row as it is once it is locked, against what the rest of the statement has seen.
      WHERE l.run_id = ${runId}::uuid AND l.epoch = seen.epoch
      RETURNING l.run_id, l.team_id, l.last_sequence - sums.n AS before
    ), receipt AS (
      ${receiptFrom(Prisma.sql`(SELECT log.run_id AS id, log.team_id FROM log) AS of`, receipt)}
    ), graded_now AS (
      DELETE FROM ungraded_criterion d USING log, notes
      WHERE d.run_id = log.run_id AND d.ordinal = notes.ordinal AND d.criterion_no = notes.criterion_no
    ), inserted AS (
      INSERT INTO criterion_verdict
        (run_id, sequence, team_id, ordinal, criterion_no, criteria_met, explanation, attempts, latency_ms,
        prompt_tokens, completion_tokens, cached_tokens, reasoning_tokens)
      SELECT log.run_id, log.before + step, log.team_id, ordinal, criterion_no, met, explanation, attempts, latency_ms,
        prompt_tokens, completion_tokens, cached_tokens, reasoning_tokens
      FROM log, fresh RETURNING 1
    )
    SELECT (SELECT count(*)::int FROM inserted) AS n, EXISTS (SELECT 1 FROM log) AS written,
      pg_notify(${WAKE_UP_CHANNEL}, ${runKey(runId)})::text`;
  const [row] = rows;
  return row?.written === true ? row.n : null;
}

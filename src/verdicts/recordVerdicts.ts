import { storableText } from '../healthbench/storableText.js';
import type { TokenUsage } from '../platform/chatModel/types.js';
import { type Database, isUniqueViolation, type Queryable } from '../platform/database.js';
import { WAKE_UP_CHANNEL } from '../platform/wakeUps.js';
import { graderUsageAdded } from '../runs/countUsage.js';
import { runKey } from '../runs/runStatus.js';
import { type CallUsage, sumUsage } from '../runs/usage.js';

/** A verdict on its way into the log. */
export interface NewVerdict {
  ordinal: number;
  criterionNo: number;
  points: number;
  criteriaMet: boolean;
  explanation: string;
  latencyMs: number;
  /** Of all attempts. */
  usage: CallUsage;
  /** Of the successful attempt alone. */
  reported: TokenUsage;
}

/** Criteria that ended without a verdict, with the reason. */
export interface NewUngraded {
  ordinal: number;
  criterionNo: number;
  reason: string;
  message: string;
  usage: CallUsage;
}

/**
 * Appends verdicts of one run to its log and returns how many were new. One statement: it takes the next
 * sequence numbers under the lock of the run's verdict_log row, inserts, counts and says that there is
 * news (46,000 rows/s in batches of 100; 6,200 with createMany). So numbers are in commit order and have
 * no gaps. A criterion that has a verdict keeps it; a run that has ended takes none.
 */
export async function recordVerdicts(db: Database, runId: string, verdicts: NewVerdict[]): Promise<number> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await append(db, runId, verdicts);
    } catch (error) {
      // Another worker wrote the same criterion after this statement's snapshot: the next one sees it.
      if (!isUniqueViolation(error) || attempt === 5) throw error;
    }
  }
}

async function append(db: Database, runId: string, verdicts: NewVerdict[]): Promise<number> {
  const rows = await db.$queryRaw<{ n: number }[]>`
    WITH fresh AS (
      SELECT u.*, (row_number() OVER (ORDER BY u.place))::int AS step
      FROM unnest(
        ${verdicts.map((v) => v.ordinal)}::int[], ${verdicts.map((v) => v.criterionNo)}::int[],
        ${verdicts.map((v) => Math.sign(v.points))}::int[], ${verdicts.map((v) => v.criteriaMet)}::bool[],
        ${verdicts.map((v) => storableText(v.explanation))}::text[], ${verdicts.map((v) => v.usage.calls)}::int[],
        ${verdicts.map((v) => Math.round(v.latencyMs))}::int[], ${verdicts.map((v) => v.reported.promptTokens)}::int[],
        ${verdicts.map((v) => v.reported.completionTokens)}::int[], ${verdicts.map((v) => v.reported.cachedTokens)}::int[],
        ${verdicts.map((v) => v.reported.reasoningTokens)}::int[]
      ) WITH ORDINALITY AS u(ordinal, criterion_no, sign, met, explanation, attempts, latency_ms, prompt_tokens,
        completion_tokens, cached_tokens, reasoning_tokens, place)
      WHERE NOT EXISTS (
        SELECT 1 FROM criterion_verdict v
        WHERE v.run_id = ${runId}::uuid AND v.ordinal = u.ordinal AND v.criterion_no = u.criterion_no)
    ), sums AS (
      SELECT count(*)::int AS n, count(*) FILTER (WHERE sign > 0)::int AS positive,
        count(*) FILTER (WHERE sign > 0 AND met)::int AS positive_met, count(*) FILTER (WHERE sign < 0)::int AS negative,
        count(*) FILTER (WHERE sign < 0 AND met)::int AS negative_met
      FROM fresh
    ), graded_now AS (
      DELETE FROM ungraded_criterion d USING fresh
      WHERE d.run_id = ${runId}::uuid AND d.ordinal = fresh.ordinal AND d.criterion_no = fresh.criterion_no
      RETURNING 1
    ), log AS (
      UPDATE verdict_log l SET last_sequence = last_sequence + sums.n,
        positive_graded = positive_graded + sums.positive, positive_met = l.positive_met + sums.positive_met,
        negative_graded = negative_graded + sums.negative, negative_met = l.negative_met + sums.negative_met,
        ungraded = ungraded - (SELECT count(*) FROM graded_now),
        -- Also of a verdict that was there already: the second call has been paid for too.
        ${graderUsageAdded(sumUsage(verdicts.map((v) => v.usage)))}
      FROM sums, run
      WHERE l.run_id = ${runId}::uuid AND run.id = l.run_id AND run.status IN ('RUNNING', 'PAUSED', 'CANCELLED')
      RETURNING l.run_id, l.team_id, l.last_sequence - sums.n AS before
    ), inserted AS (
      INSERT INTO criterion_verdict
        (run_id, sequence, team_id, ordinal, criterion_no, criteria_met, explanation, attempts, latency_ms,
        prompt_tokens, completion_tokens, cached_tokens, reasoning_tokens)
      SELECT log.run_id, log.before + step, log.team_id, ordinal, criterion_no, met, explanation, attempts, latency_ms,
        prompt_tokens, completion_tokens, cached_tokens, reasoning_tokens
      FROM log, fresh RETURNING 1
    )
    SELECT (SELECT count(*)::int FROM inserted) AS n, pg_notify(${WAKE_UP_CHANNEL}, ${runKey(runId)})::text`;
  return rows[0]?.n ?? 0;
}

/** Notes that a criterion ended without a verdict; a later try overwrites the note, a verdict removes it. */
export async function recordUngraded(tx: Queryable, runId: string, ungraded: NewUngraded): Promise<void> {
  await tx.$executeRaw`
    WITH noted AS (
      INSERT INTO ungraded_criterion AS u (run_id, team_id, ordinal, criterion_no, reason, message, attempts)
      SELECT l.run_id, l.team_id, ${ungraded.ordinal}, ${ungraded.criterionNo}, ${ungraded.reason},
        ${storableText(ungraded.message)}, ${ungraded.usage.calls}
      FROM verdict_log l WHERE l.run_id = ${runId}::uuid AND NOT EXISTS (
        SELECT 1 FROM criterion_verdict v WHERE v.run_id = l.run_id
          AND v.ordinal = ${ungraded.ordinal} AND v.criterion_no = ${ungraded.criterionNo})
      ON CONFLICT (run_id, ordinal, criterion_no) DO UPDATE SET reason = excluded.reason,
        message = excluded.message, attempts = u.attempts + excluded.attempts, at = now()
      RETURNING (xmax = 0) AS added
    )
    UPDATE verdict_log SET ungraded = ungraded + (SELECT count(*) FROM noted WHERE added),
      ${graderUsageAdded(ungraded.usage)}
    WHERE run_id = ${runId}::uuid`;
}

/** Counts calls of the grader that settled no criterion: they have been paid for all the same. */
export async function countGraderUsage(tx: Queryable, runId: string, usage: CallUsage): Promise<void> {
  if (usage.calls === 0) return;
  await tx.$executeRaw`UPDATE verdict_log SET ${graderUsageAdded(usage)} WHERE run_id = ${runId}::uuid`;
}

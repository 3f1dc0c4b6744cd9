import type { Database } from '../platform/database.js';

/** Why something of a run counts nowhere in its score. */
export interface MissingReasonRow {
  runId: string;
  /** What is missing: the reply, or verdicts on it. */
  missing: 'REPLY' | 'VERDICT';
  reason: string;
  conversations: number;
  /** Null: the notes on single criteria are deleted. */
  criteria: number | null;
  /** What was said of the newest of them. */
  message: string | null;
}

/**
 * Why conversations of these runs have no score, by reason, most frequent first: what failed or is ungraded and, when
 * the run ended before it was done, what was not begun or finished.
 */
export async function loadMissingReasons(
  db: Database,
  teamId: string,
  runIds: readonly string[],
): Promise<Map<string, MissingReasonRow[]>> {
  const rows = await db.$queryRaw<MissingReasonRow[]>`
    WITH wanted AS (
      SELECT id, details_deleted_at IS NOT NULL AS cut, status IN ('CANCELLED', 'FAILED') AS broken_off,
        'run_' || lower(status::text) AS end_reason, status_reason
      FROM run WHERE team_id = ${teamId}::uuid AND id = ANY(${[...runIds]}::uuid[])
    ), missing AS (
      SELECT rc.run_id, 'REPLY' AS missing, rc.reason, rc.ordinal, rc.criterion_count AS criteria, rc.message,
        rc.settled_at AS at
      FROM wanted w JOIN run_conversation rc ON rc.run_id = w.id AND rc.status = 'FAILED'
      UNION ALL
      SELECT u.run_id, 'VERDICT', u.reason, u.ordinal, 1, u.message, u.at
      FROM wanted w JOIN ungraded_criterion u ON u.run_id = w.id
      UNION ALL
      SELECT rc.run_id, 'VERDICT', rc.reason, rc.ordinal, NULL, NULL, NULL
      FROM wanted w JOIN run_conversation rc ON rc.run_id = w.id AND rc.status = 'UNGRADED' WHERE w.cut
      UNION ALL
      SELECT rc.run_id, 'REPLY', w.end_reason, rc.ordinal, rc.criterion_count, w.status_reason, NULL
      FROM wanted w JOIN run_conversation rc ON rc.run_id = w.id AND rc.status = 'PENDING' WHERE w.broken_off
      UNION ALL
      SELECT rc.run_id, 'VERDICT', w.end_reason, rc.ordinal, rc.criterion_count - (
          SELECT count(*)::int FROM criterion_verdict v WHERE v.run_id = rc.run_id AND v.ordinal = rc.ordinal
        ) - (
          SELECT count(*)::int FROM ungraded_criterion u WHERE u.run_id = rc.run_id AND u.ordinal = rc.ordinal
        ), w.status_reason, NULL
      FROM wanted w JOIN run_conversation rc ON rc.run_id = w.id AND rc.status = 'REPLIED' WHERE w.broken_off
    )
    SELECT run_id AS "runId", missing, reason, count(DISTINCT ordinal)::int AS conversations,
      sum(criteria)::int AS criteria, (array_agg(message ORDER BY at DESC NULLS LAST, ordinal))[1] AS message
    FROM missing GROUP BY run_id, missing, reason
    ORDER BY conversations DESC, criteria DESC NULLS LAST, missing, reason`;
  return Map.groupBy(rows, (row) => row.runId);
}

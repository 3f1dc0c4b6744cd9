import { clip } from '../healthbench/score.js';
import type { Interval } from '../healthbench/scoreStatistics.js';
import { deviationOf, normalInterval } from '../healthbench/standardError.js';
import type { Database } from '../platform/database.js';
import type { Aggregates } from './score.queries.js';

interface Row {
  runId: string;
  n: number;
  conversations: number;
  mean: number;
  median: number;
  perfect: number;
  belowZero: number;
  lower: number;
  upper: number;
  error: number;
  adjustedMean: number | null;
  adjustedError: number | null;
}

/**
 * The aggregates so far of runs that are not completed, in one statement over their conversations and never over
 * verdicts. The same numbers as the pure functions give (a test compares them), but for the interval, which is the
 * normal approximation. Without repeats the clustered error is the plain one, which spares the second grouping.
 */
export async function loadPresentAggregates(
  db: Database,
  teamId: string,
  runIds: readonly string[],
): Promise<Map<string, Aggregates>> {
  const rows = await db.$queryRaw<Row[]>`
    WITH picked AS (
      SELECT rc.run_id, run.repeats, rc.conversation_no, rc.score, rc.worst_score, rc.best_score,
        rc.score - rule.penalty * ((rc.reply_length - rule.centre) / 500) AS adjusted
      FROM run
      CROSS JOIN LATERAL (
        SELECT (run.scoring->'lengthRule'->>'centre')::float8 AS centre,
          (run.scoring->'lengthRule'->>'penaltyPer500')::float8 AS penalty) AS rule
      JOIN run_conversation rc ON rc.run_id = run.id
      WHERE run.id = ANY(${[...runIds]}::uuid[]) AND run.team_id = ${teamId}::uuid AND rc.team_id = ${teamId}::uuid
    ), total AS (
      SELECT run_id, count(score)::int AS n, avg(score) AS mean,
        percentile_cont(0.5) WITHIN GROUP (ORDER BY score) AS median,
        (count(*) FILTER (WHERE score >= 1 - 1e-12))::int AS perfect,
        (count(*) FILTER (WHERE score < 0))::int AS below_zero,
        avg(coalesce(score, worst_score)) AS lower, avg(coalesce(score, best_score)) AS upper,
        stddev_pop(score) / sqrt(count(score)) AS error, stddev_pop(adjusted) / sqrt(count(score)) AS adjusted_error,
        CASE WHEN count(adjusted) = count(score) THEN avg(adjusted) END AS adjusted, repeats
      FROM picked GROUP BY run_id, repeats HAVING count(score) > 0
    ), residual AS (
      SELECT picked.run_id, sum(score - mean) AS raw, sum(picked.adjusted - total.adjusted) AS adjusted
      FROM picked JOIN total USING (run_id) WHERE total.repeats > 1 AND score IS NOT NULL
      GROUP BY picked.run_id, conversation_no
    ), spread AS (
      SELECT run_id, count(*)::int AS conversations, sqrt(sum(raw ^ 2)) AS raw, sqrt(sum(adjusted ^ 2)) AS adjusted
      FROM residual GROUP BY run_id
    )
    SELECT run_id AS "runId", n, coalesce(conversations, n) AS conversations, mean, median, perfect, below_zero AS "belowZero", lower, upper,
      coalesce(spread.raw / n, error) AS error, total.adjusted AS "adjustedMean",
      coalesce(spread.adjusted / n, adjusted_error) AS "adjustedError"
    FROM total LEFT JOIN spread USING (run_id)`;
  return new Map(rows.map((row) => [row.runId, aggregates(row)]));
}

function aggregates(row: Row): Aggregates {
  const { n, conversations, mean, median, perfect, belowZero, adjustedMean, adjustedError } = row;
  return {
    ...{ n, conversations, median, perfect, belowZero },
    ...meanWithError(mean, row.error, conversations),
    lowerBound: clip(row.lower),
    upperBound: clip(row.upper),
    adjusted:
      adjustedMean === null || adjustedError === null
        ? null
        : meanWithError(adjustedMean, adjustedError, conversations),
    repeats: null,
  };
}

function meanWithError(unclippedMean: number, error: number, conversations: number) {
  const several = conversations > 1;
  const deviation = several ? deviationOf(error, conversations) : null;
  const standardError = several ? error : null;
  const normal = normalInterval(unclippedMean, { conversations, deviation, standardError });
  const interval: Interval | null = normal && { ...normal, method: 'NORMAL' };
  return { value: clip(unclippedMean), unclippedMean, standardError, bootstrapStd: null, interval };
}

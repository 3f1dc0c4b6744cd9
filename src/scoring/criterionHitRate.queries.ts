import type { Database } from '../platform/database.js';

/** How often each criterion of one conversation was met, by its number. */
export type CriterionHits = Map<number, { met: number; graded: number }>;

/** Which conversation, and in which run; without a run, in all runs of the team. */
export const criterionHitsKey = (datasetId: string, no: number, runId: string | null): string =>
  `${datasetId}:${no}:${runId ?? ''}`;

/**
 * Hits per criterion of many conversations in one statement, by criterionHitsKey. It reads the verdicts of these
 * conversations only, by key: some ten a run.
 */
export async function loadCriterionHits(
  db: Database,
  teamId: string,
  keys: readonly string[],
): Promise<Map<string, CriterionHits>> {
  const unique = [...new Set(keys)];
  const split = unique.map((key) => key.split(':') as [string, string, string]);
  const rows = await db.$queryRaw<{ key: string; no: number; met: number; graded: number }[]>`
    SELECT k.key, v.criterion_no AS no, (count(*) FILTER (WHERE v.criteria_met))::int AS met, count(*)::int AS graded
    FROM unnest(${unique}::text[], ${split.map(([id]) => id)}::uuid[], ${split.map(([, no]) => Number(no))}::int[],
      ${split.map(([, , runId]) => runId || null)}::uuid[]) AS k(key, dataset_id, no, run_id)
    JOIN run ON run.dataset_id = k.dataset_id AND (k.run_id IS NULL OR run.id = k.run_id)
      AND run.team_id = ${teamId}::uuid
    CROSS JOIN LATERAL (
      SELECT rc.run_id, rc.ordinal FROM run_conversation rc
      WHERE rc.run_id = run.id AND rc.conversation_no = k.no OFFSET 0) AS place
    CROSS JOIN LATERAL (
      SELECT v.criterion_no, v.criteria_met FROM criterion_verdict v
      WHERE v.run_id = place.run_id AND v.ordinal = place.ordinal OFFSET 0) AS v
    GROUP BY k.key, v.criterion_no`;
  const found = new Map<string, CriterionHits>();
  for (const { key, no, met, graded } of rows) {
    const hits: CriterionHits = found.get(key) ?? new Map();
    found.set(key, hits.set(no, { met, graded }));
  }
  return found;
}

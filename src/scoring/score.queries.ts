import type { RepeatStatistics, VerdictFlips } from '../healthbench/repeatStatistics.js';
import type { Interval, ScoreStatistics } from '../healthbench/scoreStatistics.js';
import type { Database, RunScore } from '../platform/database.js';
import { loadAggregateRows } from './aggregateRow.queries.js';
import { unpackScores } from './packedScores.js';
import { loadPresentAggregates } from './presentAggregates.queries.js';
import { aggregateTags, type TagAggregate } from './runAggregates.js';

/** The length-adjusted number of a run. */
export type AdjustedAggregates = Pick<ScoreStatistics, 'value' | 'unclippedMean' | 'standardError' | 'interval'> & {
  bootstrapStd: number | null;
};

/** A run's score with what it stands on, as it is stored or computed so far. */
export type Aggregates = Omit<ScoreStatistics, 'bootstrapStd'> & {
  /** Null while the run is going: a bootstrap at every look would cost a quarter of a second. */
  bootstrapStd: number | null;
  lowerBound: number;
  upperBound: number;
  adjusted: AdjustedAggregates | null;
  repeats: (RepeatStatistics & { flips: VerdictFlips }) | null;
};

/** The stored aggregates of completed runs; two statements at most for all of them. */
export async function loadFinalAggregates(
  db: Database,
  teamId: string,
  runIds: readonly string[],
): Promise<Map<string, Aggregates>> {
  const rows = await db.runScore.findMany({
    where: { runId: { in: [...runIds] }, teamId },
    omit: { scores: true },
  });
  const found = new Map(rows.map((row) => [row.runId, storedAggregates(row)]));
  const missing = runIds.filter((id) => !found.has(id));
  // Completed before its aggregates were stored in this form: its conversations still have all of it.
  if (missing.length > 0) {
    for (const [id, aggregates] of await loadPresentAggregates(db, teamId, missing)) found.set(id, aggregates);
  }
  return found;
}

function storedAggregates(row: Omit<RunScore, 'scores'>): Aggregates {
  const { value, unclippedMean, median, n, conversations, perfect, belowZero, bootstrapStd, standardError } = row;
  const { lowerBound, upperBound } = row;
  return {
    ...{ value, unclippedMean, median, n, conversations, perfect, belowZero, bootstrapStd, standardError },
    ...{ lowerBound, upperBound },
    interval: bootstrapInterval(row.intervalLow, row.intervalHigh),
    adjusted:
      row.adjustedValue === null || row.adjustedUnclippedMean === null
        ? null
        : {
            value: row.adjustedValue,
            unclippedMean: row.adjustedUnclippedMean,
            bootstrapStd: row.adjustedBootstrapStd,
            standardError: row.adjustedStandardError,
            interval: bootstrapInterval(row.adjustedIntervalLow, row.adjustedIntervalHigh),
          },
    repeats: row.repeats as unknown as Aggregates['repeats'],
  };
}

function bootstrapInterval(low: number | null, high: number | null): Interval | null {
  return low === null || high === null ? null : { low, high, method: 'CLUSTERED_BOOTSTRAP' };
}

/** The tag scores of a run: the stored ones of a completed run, else computed from its conversations so far. */
export async function loadTagScores(
  db: Database,
  teamId: string,
  runId: string,
  completed: boolean,
): Promise<TagAggregate[]> {
  if (completed) {
    const rows = await db.runTagScore.findMany({ where: { runId, teamId }, orderBy: { tag: 'asc' } });
    if (rows.length > 0) {
      return rows.map(
        (row) => ({ ...row, interval: bootstrapInterval(row.intervalLow, row.intervalHigh) }) as TagAggregate,
      );
    }
  }
  return aggregateTags(await loadAggregateRows(db, teamId, runId), null);
}

/** The scores of the scored conversations of many runs, stored or as they are now, in two statements at most. */
export async function loadScores(
  db: Database,
  teamId: string,
  runs: readonly { id: string; completed: boolean }[],
): Promise<Map<string, number[]>> {
  const completed = runs.filter((run) => run.completed).map((run) => run.id);
  const stored =
    completed.length === 0
      ? []
      : await db.runScore.findMany({
          where: { runId: { in: completed }, teamId },
          select: { runId: true, scores: true },
        });
  const found = new Map(stored.map((row) => [row.runId, unpackScores(row.scores)]));
  const open = runs.map((run) => run.id).filter((id) => !found.has(id));
  if (open.length === 0) return found;
  const rows = await db.$queryRaw<{ runId: string; scores: number[] }[]>`
    SELECT run_id AS "runId", array_agg(score ORDER BY ordinal) AS scores FROM run_conversation
    WHERE run_id = ANY(${open}::uuid[]) AND team_id = ${teamId}::uuid AND status = 'SCORED' GROUP BY run_id`;
  for (const row of rows) found.set(row.runId, row.scores);
  return found;
}

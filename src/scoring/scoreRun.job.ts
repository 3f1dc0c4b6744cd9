import type { Scoring } from '../healthbench/scoringProfile.js';
import type { RunJob } from '../jobs.js';
import { type Database, Prisma, type Queryable, type Run } from '../platform/database.js';
import type { JobHandler } from '../platform/jobWorker.js';
import type { JobQueue } from '../platform/queue.js';
import { changeRunStatus, type StatusChange } from '../runs/runStatus.js';
import { planAgain } from '../scheduling/planRun.job.js';
import { loadAggregateRows, loadVerdictFlips } from './aggregateRow.queries.js';
import { packScores } from './packedScores.js';
import { aggregateRun, type RunAggregates } from './runAggregates.js';

/**
 * Computes the aggregates of a run in which nothing is missing any more, stores them and ends the run:
 * COMPLETED, or FAILED when no conversation has a score. Computed before the transaction, which would else keep
 * the run's row locked for seconds.
 */
export const scoreRunHandler = (services: { db: Database; queue: JobQueue }): JobHandler<RunJob> => ({
  run: async (job) => {
    const { db, queue } = services;
    const run = await db.run.findFirst({ where: { id: job.runId, teamId: job.teamId } });
    if (run?.status !== 'RUNNING') return;
    if ((await countMissing(db, job.runId)) > 0) return planAgain(queue, db, [job]);
    const aggregates = await aggregatesOf(db, run);
    await db.$transaction((tx) => endRun(tx, queue, run, aggregates));
  },
});

/** The aggregates of a run from its conversations' rows; null when none has a score. */
export async function aggregatesOf(db: Queryable, run: Run): Promise<RunAggregates | null> {
  const { id, teamId, repeats } = run;
  const rows = await loadAggregateRows(db, teamId, id);
  const flips = repeats === 1 ? { differing: 0, pairs: 0, rate: null } : await loadVerdictFlips(db, teamId, id);
  const { lengthRule } = run.scoring as unknown as Scoring;
  return aggregateRun(rows, { repeats, lengthRule }, flips);
}

const countMissing = (db: Queryable, runId: string): Promise<number> =>
  db.runConversation.count({ where: { runId, status: { in: ['PENDING', 'REPLIED'] } } });

/**
 * Ends a run with its aggregates.
 *
 * @param scored the run as it was before its aggregates were computed
 */
export async function endRun(
  tx: Queryable,
  queue: JobQueue,
  scored: Run,
  aggregates: RunAggregates | null,
): Promise<void> {
  const { teamId, id: runId, status } = scored;
  // First the status: of two workers, one stores and the other finds the run over.
  const ended = await changeRunStatus(tx, queue, { teamId, runId, from: [status], ...endOf(scored, aggregates) });
  if (ended === null) return;
  // Another worker may have ended the run meanwhile, and somebody had it retried: then these are old numbers.
  if (ended.runningSince?.getTime() !== scored.runningSince?.getTime()) {
    throw new Error(`run ${runId} has been started again while it was scored`);
  }
  if (aggregates !== null) await storeAggregates(tx, teamId, runId, aggregates);
}

function endOf({ origin }: Run, aggregates: RunAggregates | null): Pick<StatusChange, 'to' | 'reason'> {
  if (aggregates !== null) return { to: 'COMPLETED' };
  const then = origin === null ? ', then retry' : '';
  return { to: 'FAILED', reason: `No conversation could be scored: see the reasons at the conversations${then}.` };
}

async function storeAggregates(tx: Queryable, teamId: string, runId: string, all: RunAggregates): Promise<void> {
  const { interval, ...score } = all.score;
  const { adjusted } = all;
  await tx.runScore.deleteMany({ where: { runId } });
  await tx.runScore.create({
    data: {
      runId,
      teamId,
      ...score,
      intervalLow: interval?.low ?? null,
      intervalHigh: interval?.high ?? null,
      lowerBound: all.bounds.lower,
      upperBound: all.bounds.upper,
      adjustedValue: adjusted?.value ?? null,
      adjustedUnclippedMean: adjusted?.unclippedMean ?? null,
      adjustedBootstrapStd: adjusted?.bootstrapStd ?? null,
      adjustedStandardError: adjusted?.standardError ?? null,
      adjustedIntervalLow: adjusted?.interval?.low ?? null,
      adjustedIntervalHigh: adjusted?.interval?.high ?? null,
      repeats: all.repeats === null ? Prisma.DbNull : (all.repeats as unknown as Prisma.InputJsonValue),
      scores: packScores(all.scores),
    },
  });
  await tx.runTagScore.createMany({
    data: all.tags.map(({ interval: own, ...tag }) => ({
      ...tag,
      runId,
      teamId,
      intervalLow: own?.low ?? null,
      intervalHigh: own?.high ?? null,
    })),
  });
}

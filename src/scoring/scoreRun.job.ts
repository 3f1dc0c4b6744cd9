import { bootstrap } from '../healthbench/bootstrap.js';
import { scoreRun, tagScores } from '../healthbench/score.js';
import type { RunJob } from '../jobs.js';
import type { Database, Queryable } from '../platform/database.js';
import type { JobHandler } from '../platform/jobWorker.js';
import type { JobQueue } from '../platform/queue.js';
import { changeRunStatus } from '../runs/runStatus.js';
import { planAgain } from '../scheduling/planRun.job.js';
import { loadScoredConversations, type ScoredConversation } from './score.queries.js';

/** The seed of the bootstrap: the same verdicts give the same interval. */
const SEED = 0;

/**
 * Computes the aggregates of a run in which nothing is missing any more, stores them and ends the run:
 * COMPLETED, or FAILED when no conversation has a score.
 */
export const scoreRunHandler = (services: { db: Database; queue: JobQueue }): JobHandler<RunJob> => ({
  run: ({ teamId, runId }) =>
    services.db.$transaction(async (tx) => {
      const missing = await tx.runConversation.count({ where: { runId, status: { in: ['PENDING', 'REPLIED'] } } });
      if (missing > 0) return planAgain(services.queue, tx, [{ teamId, runId }]);
      const conversations = await loadScoredConversations(tx, teamId, runId);
      if (conversations.length === 0) {
        const reason = 'No conversation could be scored: see the reasons at the conversations, then retry.';
        await changeRunStatus(tx, { teamId, runId, to: 'FAILED', from: ['RUNNING'], reason });
        return;
      }
      // First the status: of two workers, one computes and the other finds the run over.
      const run = await changeRunStatus(tx, { teamId, runId, to: 'COMPLETED', from: ['RUNNING'] });
      if (run !== null) await storeAggregates(tx, teamId, runId, conversations);
    }),
});

async function storeAggregates(
  tx: Queryable,
  teamId: string,
  runId: string,
  conversations: ScoredConversation[],
): Promise<void> {
  const scores = conversations.map((conversation) => conversation.score);
  const total = scoreRun(scores);
  if (total === null) throw new Error(`run ${runId} has nothing to score`);
  // The reference resamples samples; the interval resamples conversations, whose repeats are not independent.
  const { std } = bootstrap(scores, SEED);
  const clusters = conversations.map((conversation) => conversation.conversationNo);
  const { interval } = bootstrap(scores, SEED, { clusters });
  const { value, unclippedMean, median, n, perfect, belowZero } = total;
  await tx.runScore.deleteMany({ where: { runId } });
  await tx.runScore.create({
    data: {
      runId,
      teamId,
      value,
      unclippedMean,
      median,
      n,
      perfect,
      belowZero,
      bootstrapStd: std,
      intervalLow: interval.low,
      intervalHigh: interval.high,
    },
  });
  await tx.runTagScore.createMany({ data: tagScores(conversations).map((tag) => ({ runId, teamId, ...tag })) });
}

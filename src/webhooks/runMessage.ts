import type { Database, RunStatusChange } from '../platform/database.js';
import { globalId } from '../platform/relay/globalId.js';
import type { ModelSettings } from '../runs/modelSettings.js';
import { progressOf } from '../runs/progress.js';
import { findRun, type RunRow } from '../runs/run.queries.js';
import { loadFinalAggregates } from '../scoring/score.queries.js';
import { eventOf, eventTypes } from './events.js';

/**
 * What those outside are told of a change: ids, names, counts and scores. Never a text of a conversation, a reply or an
 * explanation, for nobody knows where it ends up. Null when the run is gone.
 *
 * @param publicUrl where the service is reached from outside; null: without a link
 */
export async function runMessage(
  db: Database,
  change: RunStatusChange,
  publicUrl: string | null,
): Promise<object | null> {
  const run = await findRun(db, change.teamId, change.runId);
  if (run === null) return null;
  const id = globalId('Run', run.id);
  const { conversationsTotal, conversationsScored, conversationsUngraded, conversationsFailed } = progressOf(
    run,
    change.at,
  );
  return {
    type: eventTypes[eventOf(change)],
    timestamp: change.at,
    data: {
      run: {
        id,
        name: run.name,
        status: change.status,
        reason: change.reason,
        model: run.model,
        grader: run.graderModel,
        scoringProfile: run.scoringProfile,
        simulated: [run.modelUnderTest, run.grader].some((one) => (one as unknown as ModelSettings).simulated),
        createdAt: run.createdAt,
        startedAt: run.startedAt,
        finishedAt: run.finishedAt,
        conversations: {
          total: conversationsTotal,
          scored: conversationsScored,
          ungraded: conversationsUngraded,
          failed: conversationsFailed,
        },
        score: change.status === 'COMPLETED' ? await scoreOf(db, run) : null,
        ...(publicUrl === null ? {} : { url: `${publicUrl}/runs/${id}/export?table=runs&format=jsonl` }),
      },
    },
  };
}

/** The score with what it stands on; null: there is none. */
async function scoreOf(db: Database, run: RunRow) {
  const aggregates = (await loadFinalAggregates(db, run.teamId, [run.id])).get(run.id);
  if (aggregates === undefined) return null;
  const { value, n, interval } = aggregates;
  return {
    value,
    n,
    coverage: n / run.conversationCount,
    interval: interval === null ? null : { low: interval.low, high: interval.high, confidence: 0.95 },
  };
}

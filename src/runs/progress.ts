import type { Run } from '../platform/database.js';
import type { RunRow } from './run.queries.js';

/** How far a run is. Counts are of conversations and criteria of the whole run, repeats included. */
export interface Progress {
  conversationsTotal: number;
  conversationsDone: number;
  conversationsScored: number;
  conversationsUngraded: number;
  conversationsFailed: number;
  repliesDone: number;
  criteriaTotal: number;
  criteriaDone: number;
  criteriaGraded: number;
  criteriaUngraded: number;
  /** At the pace so far; null before the first verdict and when the run is not going. */
  etaSeconds: number | null;
}

/** Progress from the counters, which are kept in the transactions of what they count. */
export function progressOf(run: RunRow, now: Date): Progress {
  const { progress, log } = run;
  if (progress === null || log === null) throw new Error(`run ${run.id} has lost its counters`);
  const criteriaDone = log.lastSequence + log.ungraded;
  return {
    conversationsTotal: run.conversationCount,
    conversationsDone: progress.scored + progress.ungraded + progress.failed,
    conversationsScored: progress.scored,
    conversationsUngraded: progress.ungraded,
    conversationsFailed: progress.failed,
    repliesDone: progress.replies,
    criteriaTotal: run.criterionCount,
    criteriaDone,
    criteriaGraded: log.lastSequence,
    criteriaUngraded: log.ungraded,
    etaSeconds: eta(run, criteriaDone, now),
  };
}

function eta(run: Pick<Run, 'criterionCount' | 'startedAt' | 'status'>, done: number, now: Date): number | null {
  if (run.status !== 'RUNNING' || run.startedAt === null || done === 0) return null;
  const elapsed = (now.getTime() - run.startedAt.getTime()) / 1000;
  return Math.round((elapsed / done) * Math.max(0, run.criterionCount - done));
}

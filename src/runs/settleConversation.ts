import type { Hits, TagHits } from '../healthbench/hitRates.js';
import type { ConversationBounds } from '../healthbench/missingBounds.js';
import type { TagPoints } from '../healthbench/score.js';
import type { Queryable } from '../platform/database.js';
import { modelUsageAdded } from './countUsage.js';
import type { CallUsage } from './usage.js';

export interface RunConversationKey {
  runId: string;
  ordinal: number;
}

/** The reply is stored: grading may begin. False when the conversation was no longer waiting for one. */
export async function markReplied(tx: Queryable, key: RunConversationKey, usage: CallUsage): Promise<boolean> {
  const changed = await tx.$executeRaw`
    WITH changed AS (
      UPDATE run_conversation SET status = 'REPLIED'
      WHERE run_id = ${key.runId}::uuid AND ordinal = ${key.ordinal} AND status = 'PENDING' RETURNING run_id
    )
    UPDATE run_progress SET replies = replies + 1, ${modelUsageAdded(usage)}
    FROM changed WHERE run_progress.run_id = changed.run_id`;
  return changed === 1;
}

/** No reply could be had: no score, and nothing goes to the grader. */
export async function markFailed(
  tx: Queryable,
  key: RunConversationKey,
  failure: { reason: string; message: string; usage: CallUsage },
): Promise<boolean> {
  const changed = await tx.$executeRaw`
    WITH changed AS (
      UPDATE run_conversation SET status = 'FAILED', reason = ${failure.reason}, message = ${failure.message},
        settled_at = now()
      WHERE run_id = ${key.runId}::uuid AND ordinal = ${key.ordinal} AND status = 'PENDING' RETURNING run_id
    )
    UPDATE run_progress SET failed = failed + 1, ${modelUsageAdded(failure.usage)}
    FROM changed WHERE run_progress.run_id = changed.run_id`;
  return changed === 1;
}

/** Verdicts of one conversation, counted: all of them, and by item-level tag. */
export interface ConversationHits {
  all: Hits;
  byTag: TagHits[];
}

const four = (hits: Hits): number[] => [hits.positiveMet, hits.positiveGraded, hits.negativeMet, hits.negativeGraded];

/**
 * Every criterion has a verdict: keeps the score, and the points and hits by tag beside it (`tags` and `hits.byTag`
 * in the same order).
 *
 * @param result.replyLength code points; null when there is no stored reply
 */
export async function markScored(
  tx: Queryable,
  key: RunConversationKey,
  result: {
    score: number;
    earned: number;
    possible: number;
    tags: TagPoints[];
    hits: ConversationHits;
    replyLength: number | null;
  },
): Promise<boolean> {
  const changed = await tx.$executeRaw`
    WITH changed AS (
      UPDATE run_conversation SET status = 'SCORED', score = ${result.score}, earned = ${result.earned},
        possible = ${result.possible}, worst_score = ${result.score}, best_score = ${result.score},
        reply_length = ${result.replyLength}::int, hits = ${four(result.hits.all)}::int[],
        tags = ${result.tags.map((tag) => tag.tag)}, tag_earned = ${result.tags.map((tag) => tag.earned)}::float8[],
        tag_possible = ${result.tags.map((tag) => tag.possible)}::float8[],
        tag_hits = ${result.hits.byTag.flatMap(four)}::int[], settled_at = now()
      WHERE run_id = ${key.runId}::uuid AND ordinal = ${key.ordinal} AND status = 'REPLIED' RETURNING run_id
    )
    UPDATE run_progress SET scored = scored + 1 FROM changed WHERE run_progress.run_id = changed.run_id`;
  return changed === 1;
}

/**
 * At least one criterion ended without a verdict: the conversation has no score and lowers the coverage. What its
 * verdicts say is kept as hits and as bounds of the score that it might have had.
 */
export async function markUngraded(
  tx: Queryable,
  key: RunConversationKey,
  failure: { reason: string; message: string; hits: ConversationHits; bounds: ConversationBounds | null },
): Promise<boolean> {
  const { reason, message, hits, bounds } = failure;
  const changed = await tx.$executeRaw`
    WITH changed AS (
      UPDATE run_conversation SET status = 'UNGRADED', reason = ${reason}, message = ${message},
        worst_score = coalesce(${bounds?.worst ?? null}::float8, worst_score),
        best_score = coalesce(${bounds?.best ?? null}::float8, best_score), hits = ${four(hits.all)}::int[],
        tags = ${hits.byTag.map((tag) => tag.tag)}, tag_hits = ${hits.byTag.flatMap(four)}::int[], settled_at = now()
      WHERE run_id = ${key.runId}::uuid AND ordinal = ${key.ordinal} AND status = 'REPLIED' RETURNING run_id
    )
    UPDATE run_progress SET ungraded = ungraded + 1 FROM changed WHERE run_progress.run_id = changed.run_id`;
  return changed === 1;
}

/**
 * Makes what ended without a score wait again: a failed reply is asked for anew, and of an ungraded
 * conversation only the criteria without a verdict. A regrade asks for no reply: what has none stays failed.
 * Returns how many conversations wait.
 */
export async function reopenUnscored(tx: Queryable, runId: string): Promise<number> {
  const reopened = await tx.$executeRaw`
    UPDATE run_conversation rc SET reason = NULL, message = NULL, settled_at = NULL,
      status = CASE rc.status WHEN 'FAILED' THEN 'PENDING' ELSE 'REPLIED' END::run_conversation_status
    FROM run WHERE run.id = rc.run_id AND rc.run_id = ${runId}::uuid
      AND (rc.status = 'UNGRADED' OR (rc.status = 'FAILED' AND run.regrade_of_id IS NULL))`;
  if (reopened > 0) {
    await tx.$executeRaw`
      UPDATE run_progress SET ungraded = 0, failed = (
        SELECT count(*) FROM run_conversation rc WHERE rc.run_id = ${runId}::uuid AND rc.status = 'FAILED')
      WHERE run_id = ${runId}::uuid`;
  }
  return reopened;
}

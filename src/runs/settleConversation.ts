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

/**
 * Replies to these conversations of one run are stored: grading may begin. Returns the ordinals of those that still
 * waited for one.
 *
 * @param usage of all calls for them, also of those that came too late: they have been paid for all the same
 */
export async function markReplied(
  tx: Queryable,
  runId: string,
  ordinals: number[],
  usage: CallUsage,
): Promise<number[]> {
  const rows = await tx.$queryRaw<{ ordinal: number }[]>`
    WITH changed AS (
      UPDATE run_conversation SET status = 'REPLIED'
      WHERE run_id = ${runId}::uuid AND ordinal = ANY(${ordinals}::int[]) AND status = 'PENDING' RETURNING ordinal
    ), counted AS (
      UPDATE run_progress SET replies = replies + (SELECT count(*) FROM changed), ${modelUsageAdded(usage)}
      WHERE run_id = ${runId}::uuid
    )
    SELECT ordinal FROM changed`;
  return rows.map(({ ordinal }) => ordinal);
}

/** No reply could be had: no score, and nothing goes to the grader. */
export async function markFailed(
  tx: Queryable,
  key: RunConversationKey,
  failure: { reason: string; message: string },
): Promise<boolean> {
  const changed = await tx.$executeRaw`
    WITH changed AS (
      UPDATE run_conversation SET status = 'FAILED', reason = ${failure.reason}, message = ${failure.message},
        settled_at = now()
      WHERE run_id = ${key.runId}::uuid AND ordinal = ${key.ordinal} AND status = 'PENDING' RETURNING run_id
    )
    UPDATE run_progress SET failed = failed + 1 FROM changed WHERE run_progress.run_id = changed.run_id`;
  return changed === 1;
}

/** Verdicts of one conversation, counted: all of them, and by item-level tag. */
export interface ConversationHits {
  all: Hits;
  byTag: TagHits[];
}

const four = (hits: Hits): number[] => [hits.positiveMet, hits.positiveGraded, hits.negativeMet, hits.negativeGraded];

/** A conversation's score, with its points and hits by tag (`tags` and `hits.byTag` in the same order). */
export interface ConversationResult {
  ordinal: number;
  score: number;
  earned: number;
  possible: number;
  tags: TagPoints[];
  hits: ConversationHits;
  /** Code points; null when there is no stored reply. */
  replyLength: number | null;
}

/**
 * Every criterion of these conversations of one run has a verdict: keeps each score, and the points and hits by tag
 * beside it. Returns true when no conversation of the run waits any more.
 */
export async function markScored(tx: Queryable, runId: string, results: ConversationResult[]): Promise<boolean> {
  // As text: the driver turns arrays of arrays into Postgres arrays, which cannot be ragged.
  const list = JSON.stringify(results.map(scoredRow));
  const rows = await tx.$queryRaw<{ over: boolean }[]>`
    WITH changed AS (
      UPDATE run_conversation rc SET status = 'SCORED', score = u.score, earned = u.earned, possible = u.possible,
        worst_score = u.score, best_score = u.score, reply_length = u.reply_length, hits = u.hits, tags = u.tags,
        tag_earned = u.tag_earned, tag_possible = u.tag_possible, tag_hits = u.tag_hits, settled_at = now()
      FROM json_to_recordset(${list}::text::json) AS u(ordinal int, score float8, earned float8, possible float8,
        reply_length int, hits int[], tags text[], tag_earned float8[], tag_possible float8[], tag_hits int[])
      WHERE rc.run_id = ${runId}::uuid AND rc.ordinal = ANY(${results.map((r) => r.ordinal)}::int[])
        AND rc.ordinal = u.ordinal AND rc.status = 'REPLIED' RETURNING 1
    )
    UPDATE run_progress p SET scored = scored + (SELECT count(*) FROM changed) FROM run
    WHERE p.run_id = ${runId}::uuid AND run.id = p.run_id
    RETURNING p.scored + p.ungraded + p.failed >= run.conversation_count AS over`;
  return rows[0]?.over ?? false;
}

function scoredRow({ ordinal, score, earned, possible, tags, hits, replyLength }: ConversationResult) {
  return {
    ordinal,
    score,
    earned,
    possible,
    reply_length: replyLength,
    hits: four(hits.all),
    tags: tags.map(({ tag }) => tag),
    tag_earned: tags.map((tag) => tag.earned),
    tag_possible: tags.map((tag) => tag.possible),
    tag_hits: hits.byTag.flatMap(four),
  };
}

/**
 * At least one criterion ended without a verdict: the conversation has no score and lowers the coverage. What its
 * verdicts say is kept as hits and as bounds of the score that it might have had.
 */
export async function markUngraded(
  tx: Queryable,
  key: RunConversationKey,
  failure: { reason: string; message: string; hits: ConversationHits; bounds: ConversationBounds | null },
): Promise<void> {
  const { reason, message, hits, bounds } = failure;
  await tx.$executeRaw`
    WITH changed AS (
      UPDATE run_conversation SET status = 'UNGRADED', reason = ${reason}, message = ${message},
        worst_score = coalesce(${bounds?.worst ?? null}::float8, worst_score),
        best_score = coalesce(${bounds?.best ?? null}::float8, best_score), hits = ${four(hits.all)}::int[],
        tags = ${hits.byTag.map((tag) => tag.tag)}, tag_hits = ${hits.byTag.flatMap(four)}::int[], settled_at = now()
      WHERE run_id = ${key.runId}::uuid AND ordinal = ${key.ordinal} AND status = 'REPLIED' RETURNING run_id
    )
    UPDATE run_progress SET ungraded = ungraded + 1 FROM changed WHERE run_progress.run_id = changed.run_id`;
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

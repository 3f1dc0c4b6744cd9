import type { TagPoints } from '../healthbench/score.js';
import type { Queryable } from '../platform/database.js';

export interface RunConversationKey {
  runId: string;
  ordinal: number;
}

/** What the replies of several conversations took. */
export interface ReplyUsage {
  ordinal: number;
  calls: number;
  promptTokens: number;
  completionTokens: number;
}

/** The replies of one run are stored: grading may begin. Returns the ordinals of those that still waited for one. */
export async function markReplied(tx: Queryable, runId: string, replies: ReplyUsage[]): Promise<number[]> {
  const rows = await tx.$queryRaw<{ ordinal: number }[]>`
    WITH changed AS (
      UPDATE run_conversation rc SET status = 'REPLIED'
      FROM unnest(${replies.map((r) => r.ordinal)}::int[], ${replies.map((r) => r.calls)}::int[],
        ${replies.map((r) => r.promptTokens)}::int[], ${replies.map((r) => r.completionTokens)}::int[])
        AS u(ordinal, calls, prompt, completion)
      WHERE rc.run_id = ${runId}::uuid AND rc.ordinal = ANY(${replies.map((r) => r.ordinal)}::int[])
        AND rc.ordinal = u.ordinal AND rc.status = 'PENDING'
      RETURNING u.*
    ), counted AS (
      UPDATE run_progress p SET replies = replies + sums.n, model_calls = model_calls + sums.calls,
        model_prompt_tokens = model_prompt_tokens + sums.prompt,
        model_completion_tokens = model_completion_tokens + sums.completion
      FROM (SELECT count(*)::int AS n, coalesce(sum(calls), 0)::int AS calls, coalesce(sum(prompt), 0) AS prompt,
        coalesce(sum(completion), 0) AS completion FROM changed) AS sums
      WHERE p.run_id = ${runId}::uuid AND sums.n > 0
    )
    SELECT ordinal FROM changed`;
  return rows.map(({ ordinal }) => ordinal);
}

/** No reply could be had: no score, and nothing goes to the grader. */
export async function markFailed(
  tx: Queryable,
  key: RunConversationKey,
  failure: { reason: string; message: string; calls: number },
): Promise<boolean> {
  const changed = await tx.$executeRaw`
    WITH changed AS (
      UPDATE run_conversation SET status = 'FAILED', reason = ${failure.reason}, message = ${failure.message},
        settled_at = now()
      WHERE run_id = ${key.runId}::uuid AND ordinal = ${key.ordinal} AND status = 'PENDING' RETURNING run_id
    )
    UPDATE run_progress SET failed = failed + 1, model_calls = model_calls + ${failure.calls}
    FROM changed WHERE run_progress.run_id = changed.run_id`;
  return changed === 1;
}

/** A conversation's score, with its points by tag. */
export interface ConversationResult {
  ordinal: number;
  score: number;
  earned: number;
  possible: number;
  tags: TagPoints[];
}

/**
 * Every criterion of these conversations of one run has a verdict: keeps each score and the points by tag beside
 * it. Returns true when no conversation of the run waits any more.
 */
export async function markScored(tx: Queryable, runId: string, results: ConversationResult[]): Promise<boolean> {
  // As text: the driver turns arrays of arrays into Postgres arrays, which cannot be ragged.
  const list = JSON.stringify(
    results.map(({ tags, ...result }) => ({
      ...result,
      tags: tags.map(({ tag }) => tag),
      tag_earned: tags.map(({ earned }) => earned),
      tag_possible: tags.map(({ possible }) => possible),
    })),
  );
  const rows = await tx.$queryRaw<{ over: boolean }[]>`
    WITH changed AS (
      UPDATE run_conversation rc SET status = 'SCORED', score = u.score, earned = u.earned, possible = u.possible,
        tags = u.tags, tag_earned = u.tag_earned, tag_possible = u.tag_possible, settled_at = now()
      FROM json_to_recordset(${list}::text::json) AS u(ordinal int, score float8, earned float8, possible float8,
        tags text[], tag_earned float8[], tag_possible float8[])
      WHERE rc.run_id = ${runId}::uuid AND rc.ordinal = ANY(${results.map((r) => r.ordinal)}::int[])
        AND rc.ordinal = u.ordinal AND rc.status = 'REPLIED' RETURNING 1
    )
    UPDATE run_progress p SET scored = scored + (SELECT count(*) FROM changed) FROM run
    WHERE p.run_id = ${runId}::uuid AND run.id = p.run_id
    RETURNING p.scored + p.ungraded + p.failed >= run.conversation_count AS over`;
  return rows[0]?.over ?? false;
}

/** At least one criterion ended without a verdict: the conversation has no score and lowers the coverage. */
export async function markUngraded(
  tx: Queryable,
  key: RunConversationKey,
  failure: { reason: string; message: string },
): Promise<boolean> {
  const changed = await tx.$executeRaw`
    WITH changed AS (
      UPDATE run_conversation SET status = 'UNGRADED', reason = ${failure.reason}, message = ${failure.message},
        settled_at = now()
      WHERE run_id = ${key.runId}::uuid AND ordinal = ${key.ordinal} AND status = 'REPLIED' RETURNING run_id
    )
    UPDATE run_progress SET ungraded = ungraded + 1 FROM changed WHERE run_progress.run_id = changed.run_id`;
  return changed === 1;
}

/**
 * Makes what ended without a score wait again: a failed reply is asked for anew, and of an ungraded
 * conversation only the criteria without a verdict. Returns how many conversations that are.
 */
export async function reopenUnscored(tx: Queryable, runId: string): Promise<number> {
  const reopened = await tx.$executeRaw`
    UPDATE run_conversation SET reason = NULL, message = NULL, settled_at = NULL,
      status = CASE status WHEN 'FAILED' THEN 'PENDING' ELSE 'REPLIED' END::run_conversation_status
    WHERE run_id = ${runId}::uuid AND status IN ('FAILED', 'UNGRADED')`;
  if (reopened > 0) {
    await tx.$executeRaw`UPDATE run_progress SET failed = 0, ungraded = 0 WHERE run_id = ${runId}::uuid`;
  }
  return reopened;
}

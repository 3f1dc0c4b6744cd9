import { storableText } from '../healthbench/storableText.js';
import { gradeConversation } from '../jobs.js';
import type { TokenUsage } from '../platform/chatModel/types.js';
import type { Database, Queryable } from '../platform/database.js';
import { GroupCommit } from '../platform/groupCommit.js';
import type { JobQueue } from '../platform/queue.js';
import { markReplied } from '../runs/settleConversation.js';
import { type CallUsage, sumUsage } from '../runs/usage.js';
import { writeOnce } from '../runs/writeOnce.js';
import type { AttemptRecord } from '../scheduling/callModel.js';
import { storeFailedCalls } from '../scheduling/failedCalls.js';
import { nextSteps } from '../scheduling/planRun.job.js';

const MAX_BATCH = 50;

/** A reply on its way into the database. */
export interface NewReply {
  teamId: string;
  ordinal: number;
  text: string;
  finishReason: string | null;
  /** Null: imported. */
  latencyMs: number | null;
  /** Of all attempts. */
  usage: CallUsage;
  /** Of the successful attempt alone. */
  reported: TokenUsage;
  failedAttempts: AttemptRecord[];
}

/** Stores replies in batches by run, with their grading jobs in the same transaction. */
export class ReplyWriter {
  readonly #commit: GroupCommit<NewReply>;

  constructor(
    private readonly db: Database,
    private readonly queue: JobQueue,
  ) {
    this.#commit = new GroupCommit(
      MAX_BATCH,
      ({ ordinal }) => String(ordinal),
      (runId, replies) => this.#write(runId, replies),
    );
  }

  /** Resolves when the reply is stored. One that comes after another worker's is dropped. */
  store(runId: string, reply: NewReply): Promise<void> {
    return this.#commit.add(runId, reply);
  }

  async #write(runId: string, replies: NewReply[]): Promise<void> {
    const [first] = replies;
    if (first === undefined) return;
    const { teamId } = first;
    const ordinals = replies.map(({ ordinal }) => ordinal);
    await writeOnce(this.db, { teamId, runId }, async (tx) => {
      const waiting = new Set(await markReplied(tx, runId, ordinals, sumUsage(replies.map(({ usage }) => usage))));
      const fresh = replies.filter(({ ordinal }) => waiting.has(ordinal));
      await insertReplies(tx, runId, teamId, fresh);
      await storeFailedCalls(
        tx,
        replies.map((reply) => ({ ...reply, runId, criterionNo: null })),
      );
      await this.queue.send(tx, gradeConversation, nextSteps(teamId, runId, [...waiting]));
    });
  }
}

/** Adds replies of one run, whose conversations have none yet. */
export async function insertReplies(tx: Queryable, runId: string, teamId: string, replies: NewReply[]): Promise<void> {
  await tx.$executeRaw`
    INSERT INTO reply (run_id, team_id, ordinal, text, finish_reason, latency_ms, attempts, prompt_tokens,
      completion_tokens, cached_tokens, reasoning_tokens)
    SELECT ${runId}::uuid, ${teamId}::uuid, u.* FROM unnest(
      ${replies.map((r) => r.ordinal)}::int[], ${replies.map((r) => storableText(r.text))}::text[],
      ${replies.map((r) => r.finishReason)}::text[], ${replies.map((r) => r.latencyMs && Math.round(r.latencyMs))}::int[],
      ${replies.map((r) => r.usage.calls)}::int[], ${replies.map((r) => r.reported.promptTokens)}::int[],
      ${replies.map((r) => r.reported.completionTokens)}::int[], ${replies.map((r) => r.reported.cachedTokens)}::int[],
      ${replies.map((r) => r.reported.reasoningTokens)}::int[]) AS u`;
}

import { storableText } from '../healthbench/storableText.js';
import { gradeConversation } from '../jobs.js';
import { type Database, type Queryable, untilConnected } from '../platform/database.js';
import { GroupCommit } from '../platform/groupCommit.js';
import type { JobQueue } from '../platform/queue.js';
import { markReplied } from '../runs/settleConversation.js';
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
  promptTokens: number | null;
  completionTokens: number | null;
  latencyMs: number;
  attempts: number;
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
      (runId, replies) => untilConnected(() => this.db.$transaction((tx) => this.#write(tx, runId, replies))),
    );
  }

  /** Resolves when the reply is stored. One that comes after another worker's is dropped. */
  store(runId: string, reply: NewReply): Promise<void> {
    return this.#commit.add(runId, reply);
  }

  async #write(tx: Queryable, runId: string, replies: NewReply[]): Promise<void> {
    const usage = replies.map(({ ordinal, attempts, promptTokens, completionTokens }) => ({
      ordinal,
      calls: attempts,
      promptTokens: promptTokens ?? 0,
      completionTokens: completionTokens ?? 0,
    }));
    const counted = new Set(await markReplied(tx, runId, usage));
    const fresh = replies.filter(({ ordinal }) => counted.has(ordinal));
    const [first] = fresh;
    if (first === undefined) return;
    await insertReplies(tx, runId, first.teamId, fresh);
    for (const { ordinal, teamId, failedAttempts } of fresh) {
      await storeFailedCalls(tx, { runId, ordinal, teamId, criterionNo: null }, failedAttempts);
    }
    await this.queue.send(tx, gradeConversation, nextSteps(first.teamId, runId, [...counted]));
  }
}

async function insertReplies(tx: Queryable, runId: string, teamId: string, replies: NewReply[]): Promise<void> {
  await tx.$executeRaw`
    INSERT INTO reply (run_id, team_id, ordinal, text, finish_reason, prompt_tokens, completion_tokens, latency_ms, attempts)
    SELECT ${runId}::uuid, ${teamId}::uuid, u.* FROM unnest(
      ${replies.map((r) => r.ordinal)}::int[], ${replies.map((r) => storableText(r.text))}::text[],
      ${replies.map((r) => r.finishReason)}::text[], ${replies.map((r) => r.promptTokens)}::int[],
      ${replies.map((r) => r.completionTokens)}::int[], ${replies.map((r) => Math.round(r.latencyMs))}::int[],
      ${replies.map((r) => r.attempts)}::int[]) AS u`;
}

import { countHits } from '../healthbench/hitRates.js';
import { conversationBounds } from '../healthbench/missingBounds.js';
import { scoreConversation } from '../healthbench/score.js';
import { codePoints } from '../healthbench/scoringProfile.js';
import type { ConversationJob } from '../jobs.js';
import { type Database, type Queryable, untilConnected } from '../platform/database.js';
import { GroupCommit } from '../platform/groupCommit.js';
import type { JobLease, JobQueue } from '../platform/queue.js';
import {
  type ConversationResult,
  markScored,
  markUngraded,
  type RunConversationKey,
} from '../runs/settleConversation.js';
import { pauseHopelessRun } from '../scheduling/breaker.js';
import type { Replanner } from '../scheduling/replanner.js';
import { holdLog } from '../verdicts/recordUngraded.js';

const MAX_BATCH = 50;

interface JudgedRow {
  ordinal: number;
  points: number;
  tags: string[];
  criteriaMet: boolean | null;
  ungraded: boolean;
}

interface Settled {
  ordinal: number;
  /** Code points; null when there is no stored reply. */
  replyLength: number | null;
}

interface ToSettle extends Settled {
  job: ConversationJob;
  lease: JobLease;
}

/**
 * Ends the work on conversations: with the score, in batches by run, when every criterion has a verdict, else
 * UNGRADED with the reasons. The score is the pure function's; it is computed from what the log holds, not from
 * what this process remembers.
 */
export class ConversationSettler {
  readonly #scores: GroupCommit<ToSettle>;
  /** Met in a batch, and without all verdicts. */
  readonly #unscored = new WeakSet<ToSettle>();

  constructor(
    private readonly services: {
      db: Database;
      queue: Pick<JobQueue, 'assertHeld' | 'send'>;
      replanner: Pick<Replanner, 'settled'>;
    },
  ) {
    this.#scores = new GroupCommit(
      MAX_BATCH,
      ({ job }) => String(job.ordinal),
      (runId, items) => untilConnected(() => this.#score(runId, items)),
    );
  }

  /** Resolves when the conversation is settled, or left alone as a criterion is neither graded nor ungraded. */
  async settle(job: ConversationJob, reply: string | null, lease: JobLease): Promise<void> {
    const item = { job, ordinal: job.ordinal, replyLength: reply === null ? null : codePoints(reply), lease };
    await this.#scores.add(job.runId, item);
    // Alone: a lease that is lost concerns nobody else.
    if (this.#unscored.delete(item)) await untilConnected(() => this.#endUnscored(item));
  }

  async #score(runId: string, items: ToSettle[]): Promise<void> {
    const { db, replanner } = this.services;
    const ordinals = items.map(({ job }) => job.ordinal);
    const judged = await judgedCriteria(db, runId, ordinals);
    const scored: ConversationResult[] = [];
    for (const item of items) {
      const result = resultOf(item, judged.get(item.job.ordinal) ?? []);
      if (result !== null) scored.push(result);
      else this.#unscored.add(item);
    }
    const over = scored.length > 0 && (await markScored(db, runId, scored));
    const [first] = items;
    if (first !== undefined) replanner.settled(first.job, items.length, over);
  }

  async #endUnscored(item: ToSettle): Promise<void> {
    const { db, queue, replanner } = this.services;
    const { job, lease } = item;
    const settled = await db.$transaction(async (tx) => {
      await queue.assertHeld(tx, lease);
      await holdLog(tx, job.runId);
      // Looked at again: a worker that is late may have brought the verdict that was missing.
      const rows = (await judgedCriteria(tx, job.runId, [job.ordinal])).get(job.ordinal) ?? [];
      const result = resultOf(item, rows);
      if (result !== null) return markScored(tx, job.runId, [result]);
      if (rows.some((row) => row.criteriaMet === null && !row.ungraded)) return false;
      await endUngraded(tx, job, rows);
      await pauseHopelessRun(tx, queue, job, 'grader');
      return true;
    });
    replanner.settled(job, 0, settled);
  }
}

/** As settle, for conversations of a run that nobody else writes to; every criterion is graded or ungraded. */
export async function settleAtOnce(tx: Queryable, runId: string, items: readonly Settled[]): Promise<void> {
  const ordinals = items.map(({ ordinal }) => ordinal);
  const judged = await judgedCriteria(tx, runId, ordinals);
  const results = items.map((item) => resultOf(item, judged.get(item.ordinal) ?? []));
  await markScored(
    tx,
    runId,
    results.filter((result) => result !== null),
  );
  for (const [at, ordinal] of ordinals.entries()) {
    if (results[at] === null) await endUngraded(tx, { runId, ordinal }, judged.get(ordinal) ?? []);
  }
}

async function endUngraded(tx: Queryable, key: RunConversationKey, rows: JudgedRow[]): Promise<void> {
  const failure = await reasons(tx, key.runId, key.ordinal, rows.length);
  const hits = countHits(judgedOf(rows));
  await markUngraded(tx, key, { ...failure, hits, bounds: conversationBounds(rows) });
}

const judgedOf = (rows: JudgedRow[]) =>
  rows.flatMap(({ criteriaMet, ...row }) => (criteriaMet === null ? [] : [{ ...row, criteriaMet }]));

/** Null unless every criterion has a verdict. */
function resultOf({ ordinal, replyLength }: Settled, rows: JudgedRow[]): ConversationResult | null {
  const judged = judgedOf(rows);
  if (judged.length < rows.length) return null;
  const { score, earned, possible, tags } = scoreConversation(judged);
  return score === null ? null : { ordinal, score, earned, possible, tags, hits: countHits(judged), replyLength };
}

async function judgedCriteria(db: Queryable, runId: string, ordinals: number[]): Promise<Map<number, JudgedRow[]>> {
  // Looked up criterion by criterion: a join would go through all verdicts of the run.
  const rows = await db.$queryRaw<JudgedRow[]>`
    SELECT rc.ordinal, c.points, c.tags,
      (SELECT v.criteria_met FROM criterion_verdict v
        WHERE v.run_id = rc.run_id AND v.ordinal = rc.ordinal AND v.criterion_no = c.no) AS "criteriaMet",
      EXISTS (SELECT FROM ungraded_criterion u
        WHERE u.run_id = rc.run_id AND u.ordinal = rc.ordinal AND u.criterion_no = c.no) AS ungraded
    FROM run_conversation rc
    JOIN run ON run.id = rc.run_id
    JOIN rubric_criterion c ON c.dataset_id = run.dataset_id AND c.conversation_no = rc.conversation_no
    WHERE rc.run_id = ${runId}::uuid AND rc.ordinal = ANY(${ordinals}::int[])
    ORDER BY rc.ordinal, c.no`;
  return Map.groupBy(rows, (row) => row.ordinal);
}

async function reasons(tx: Queryable, runId: string, ordinal: number, total: number) {
  const rows = await tx.$queryRaw<{ reason: string; n: number }[]>`
    SELECT reason, count(*)::int AS n FROM ungraded_criterion
    WHERE run_id = ${runId}::uuid AND ordinal = ${ordinal} GROUP BY reason ORDER BY n DESC, reason`;
  const list = rows.map(({ reason, n }) => `${n} × ${reason}`).join(', ');
  const missing = rows.reduce((sum, row) => sum + row.n, 0);
  return { reason: rows[0]?.reason ?? 'internal', message: `${missing} of ${total} criteria ungraded: ${list}` };
}

import { countHits } from '../healthbench/hitRates.js';
import { conversationBounds } from '../healthbench/missingBounds.js';
import { scoreConversation } from '../healthbench/score.js';
import { codePoints } from '../healthbench/scoringProfile.js';
import type { ConversationJob } from '../jobs.js';
import type { Database, Queryable } from '../platform/database.js';
import type { JobQueue } from '../platform/queue.js';
import { markScored, markUngraded } from '../runs/settleConversation.js';
import { planAgain } from '../scheduling/planRun.job.js';

interface JudgedRow {
  points: number;
  tags: string[];
  criteriaMet: boolean | null;
}

/**
 * Ends the work on a conversation: with its score when every criterion has a verdict, else UNGRADED with
 * the reasons. The score is the pure function's; it is computed from what the log holds, not from what
 * this process remembers.
 */
export async function settle(services: { db: Database; queue: JobQueue }, job: ConversationJob): Promise<void> {
  const { teamId, runId, ordinal } = job;
  await services.db.$transaction(async (tx) => {
    const rows = await judgedCriteria(tx, runId, ordinal);
    const judged = rows.flatMap(({ criteriaMet, ...row }) => (criteriaMet === null ? [] : [{ ...row, criteriaMet }]));
    const { score, ...points } = scoreConversation(judged);
    const hits = countHits(judged);
    if (judged.length === rows.length && score !== null) {
      await markScored(tx, job, { ...points, score, hits, replyLength: await replyLength(tx, runId, ordinal) });
    } else {
      const failure = await reasons(tx, runId, ordinal, rows.length);
      await markUngraded(tx, job, { ...failure, hits, bounds: conversationBounds(rows) });
    }
    await planAgain(services.queue, tx, [{ teamId, runId }]);
  });
}

function judgedCriteria(tx: Queryable, runId: string, ordinal: number): Promise<JudgedRow[]> {
  return tx.$queryRaw<JudgedRow[]>`
    SELECT c.points, c.tags, v.criteria_met AS "criteriaMet"
    FROM run_conversation rc
    JOIN run ON run.id = rc.run_id
    JOIN rubric_criterion c ON c.dataset_id = run.dataset_id AND c.conversation_no = rc.conversation_no
    LEFT JOIN criterion_verdict v ON v.run_id = rc.run_id AND v.ordinal = rc.ordinal AND v.criterion_no = c.no
    WHERE rc.run_id = ${runId}::uuid AND rc.ordinal = ${ordinal} ORDER BY c.no`;
}

async function replyLength(tx: Queryable, runId: string, ordinal: number): Promise<number | null> {
  const reply = await tx.reply.findUnique({ where: { runId_ordinal: { runId, ordinal } }, select: { text: true } });
  return reply === null ? null : codePoints(reply.text);
}

async function reasons(tx: Queryable, runId: string, ordinal: number, total: number) {
  const rows = await tx.$queryRaw<{ reason: string; n: number }[]>`
    SELECT reason, count(*)::int AS n FROM ungraded_criterion
    WHERE run_id = ${runId}::uuid AND ordinal = ${ordinal} GROUP BY reason ORDER BY n DESC, reason`;
  const list = rows.map(({ reason, n }) => `${n} × ${reason}`).join(', ');
  const missing = rows.reduce((sum, row) => sum + row.n, 0);
  return { reason: rows[0]?.reason ?? 'internal', message: `${missing} of ${total} criteria ungraded: ${list}` };
}

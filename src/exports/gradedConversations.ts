import type { Message } from '../healthbench/records.js';
import type { Database } from '../platform/database.js';
import type { ModelSettings } from '../runs/modelSettings.js';
import type { RunRow } from '../runs/run.queries.js';
import { sentMessages } from '../scheduling/conversationWork.js';

const BATCH = 200;

export interface GradedItem {
  criterion: string;
  points: number;
  tags: string[];
  criteriaMet: boolean;
  explanation: string;
}

/** A conversation of a run in which every criterion has a verdict. */
export interface GradedConversation {
  promptId: string;
  /** As they were sent, so with the run's system message. */
  messages: Message[];
  reply: string;
  promptTokens: number | null;
  completionTokens: number | null;
  score: number;
  items: GradedItem[];
}

type Row = Omit<GradedConversation, 'items'> & { items: GradedItem[] };

/**
 * The scored conversations of a run, in its order. Other harnesses' files have no place for a criterion
 * without a verdict, and leaving one out would change the score, so such conversations are left out whole.
 */
export async function* gradedConversations(db: Database, run: RunRow): AsyncGenerator<GradedConversation> {
  const { systemMessage } = run.modelUnderTest as unknown as ModelSettings;
  for (let from = 0; from < run.conversationCount; from += BATCH) {
    const rows = await db.$queryRaw<Row[]>`
      SELECT con.prompt_id AS "promptId", con.messages, r.text AS reply, r.prompt_tokens AS "promptTokens",
        r.completion_tokens AS "completionTokens", rc.score, items.items
      FROM run_conversation rc
      JOIN conversation con ON con.dataset_id = ${run.datasetId}::uuid AND con.no = rc.conversation_no
      JOIN reply r ON r.run_id = rc.run_id AND r.ordinal = rc.ordinal
      CROSS JOIN LATERAL (
        SELECT json_agg(json_build_object('criterion', c.text, 'points', c.points, 'tags', c.tags,
          'criteriaMet', v.criteria_met, 'explanation', v.explanation) ORDER BY c.no) AS items
        FROM rubric_criterion c
        JOIN criterion_verdict v ON v.run_id = rc.run_id AND v.ordinal = rc.ordinal AND v.criterion_no = c.no
        WHERE c.dataset_id = con.dataset_id AND c.conversation_no = con.no) AS items
      WHERE rc.run_id = ${run.id}::uuid AND rc.team_id = ${run.teamId}::uuid AND rc.status = 'SCORED'
        AND rc.ordinal >= ${from} AND rc.ordinal < ${from + BATCH}
      ORDER BY rc.ordinal`;
    for (const row of rows) yield { ...row, messages: sentMessages(row.messages, systemMessage) };
  }
}

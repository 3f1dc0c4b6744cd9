import type { Database, Reply } from '../platform/database.js';
import { splitRowKeys } from '../platform/relay/rowKeys.js';
import { runConversationKey } from '../runs/runConversation.queries.js';

/** Many replies in one statement, by runConversationKey. */
export async function loadReplies(db: Database, teamId: string, keys: readonly string[]): Promise<Map<string, Reply>> {
  const { ids, numbers } = splitRowKeys(keys);
  const rows = await db.$queryRaw<Reply[]>`
    SELECT r.run_id AS "runId", r.ordinal, r.text, r.finish_reason AS "finishReason",
      r.prompt_tokens AS "promptTokens", r.completion_tokens AS "completionTokens",
      r.cached_tokens AS "cachedTokens", r.reasoning_tokens AS "reasoningTokens",
      r.latency_ms AS "latencyMs", r.attempts, r.generated_at AS "generatedAt"
    FROM unnest(${ids}::uuid[], ${numbers}::int[]) AS k(run_id, ordinal)
    JOIN reply r USING (run_id, ordinal) WHERE r.team_id = ${teamId}::uuid`;
  return new Map(rows.map((row) => [runConversationKey(row.runId, row.ordinal), row]));
}

import { type Database, type FailedCall, Prisma } from '../platform/database.js';
import type { Connection, Page } from '../platform/relay/page.js';
import { splitRowKeys } from '../platform/relay/rowKeys.js';
import { runConversationKey } from '../runs/runConversation.queries.js';
import type { ErrorClass } from './errorClass.js';

export interface FailedCallFilter {
  asked?: 'MODEL_UNDER_TEST' | 'GRADER' | null;
  errorClass?: ErrorClass | null;
  reason?: string | null;
  /** Of HTTP. */
  status?: number | null;
  ordinal?: number | null;
  criterionNo?: number | null;
}

/** A page of the failed calls of a run, in the order in which they were stored. */
export async function listFailedCalls(
  db: Database,
  teamId: string,
  runId: string,
  page: Page,
  filter: FailedCallFilter,
): Promise<Connection<FailedCall>> {
  const { asked, errorClass, reason, status, ordinal, criterionNo } = filter;
  const where: Prisma.FailedCallWhereInput = {
    teamId,
    runId,
    ...(asked == null ? {} : { criterionNo: asked === 'GRADER' ? { not: null } : null }),
    ...(criterionNo == null ? {} : { criterionNo }),
    ...(errorClass == null ? {} : { errorClass }),
    ...(reason == null ? {} : { reason }),
    ...(status == null ? {} : { status }),
    ...(ordinal == null ? {} : { ordinal }),
  };
  const after = page.after === null ? {} : { id: { gt: BigInt(Number(page.after[0])) } };
  const rows = await db.failedCall.findMany({
    where: { AND: [where, after] },
    orderBy: { id: 'asc' },
    take: page.limit,
  });
  return page.connection(
    rows,
    (row) => [Number(row.id)],
    () => db.failedCall.count({ where }),
  );
}

/** Of one conversation, so that a page of conversations stays bounded; `Run.failedCalls` has all of them. */
const MOST_PER_CONVERSATION = 500;

/** The newest failed calls of many conversations of runs in one statement, oldest first, by runConversationKey. */
export async function loadFailedCalls(
  db: Database,
  teamId: string,
  keys: readonly string[],
): Promise<Map<string, FailedCall[]>> {
  const { ids, numbers } = splitRowKeys(keys);
  const rows = await db.$queryRaw<FailedCall[]>`
    SELECT f.* FROM unnest(${ids}::uuid[], ${numbers}::int[])
      AS k(run_id, ordinal)
    CROSS JOIN LATERAL (SELECT ${columns} FROM failed_call c
      WHERE c.run_id = k.run_id AND c.ordinal = k.ordinal AND c.team_id = ${teamId}::uuid
      ORDER BY c.id DESC LIMIT ${MOST_PER_CONVERSATION}) AS f
    ORDER BY f.id`;
  return Map.groupBy(rows, (row) => runConversationKey(row.runId, row.ordinal));
}

const columns = Prisma.sql`c.id, c.team_id AS "teamId", c.run_id AS "runId", c.ordinal,
  c.criterion_no AS "criterionNo", c.at, c.latency_ms AS "latencyMs", c.error_class AS "errorClass", c.reason,
  c.status, c.message, c.raw, c.prompt_tokens AS "promptTokens", c.completion_tokens AS "completionTokens",
  c.cached_tokens AS "cachedTokens", c.reasoning_tokens AS "reasoningTokens"`;

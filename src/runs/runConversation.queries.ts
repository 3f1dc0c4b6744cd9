import { type Database, Prisma, type RunConversation, type RunConversationStatus } from '../platform/database.js';
import type { Connection, CursorKeys, Page } from '../platform/relay/page.js';
import { rowKey, splitRowKeys } from '../platform/relay/rowKeys.js';

export interface RunConversationFilter {
  status?: RunConversationStatus[] | null;
  /** With or without the prefix `theme:`. */
  theme?: string | null;
  minScore?: number | null;
  maxScore?: number | null;
}

export type RunConversationOrder = 'ORDINAL_ASC' | 'SCORE_ASC' | 'SCORE_DESC';

export type RunConversationRow = RunConversation & { datasetId: string };

const columns = Prisma.sql`
  rc.run_id AS "runId", rc.ordinal, rc.team_id AS "teamId", rc.conversation_no AS "conversationNo", rc.repeat,
  rc.criterion_count AS "criterionCount", rc.theme, rc.status, rc.reason, rc.message, rc.score, rc.earned, rc.possible,
  run.dataset_id AS "datasetId"`;

/** A page of the conversations of a run. By score, those without one come last. */
export async function listRunConversations(
  db: Database,
  teamId: string,
  runId: string,
  page: Page,
  filter: RunConversationFilter,
  order: RunConversationOrder,
): Promise<Connection<RunConversationRow>> {
  const where = conditions(teamId, runId, filter);
  const rows = await db.$queryRaw<RunConversationRow[]>`
    SELECT ${columns} FROM run_conversation rc JOIN run ON run.id = rc.run_id
    WHERE ${where} AND ${afterCursor(page.after, order)} ORDER BY ${orders[order]} LIMIT ${page.limit}`;
  const keys = (row: RunConversationRow): CursorKeys =>
    order === 'ORDINAL_ASC' ? [row.ordinal] : [row.score, row.ordinal];
  return page.connection(rows, keys, async () => {
    const counted = await db.$queryRaw<{ n: number }[]>`
      SELECT count(*)::int AS n FROM run_conversation rc WHERE ${where}`;
    return counted[0]?.n ?? 0;
  });
}

const orders = {
  ORDINAL_ASC: Prisma.sql`rc.ordinal`,
  SCORE_ASC: Prisma.sql`rc.score ASC NULLS LAST, rc.ordinal`,
  SCORE_DESC: Prisma.sql`rc.score DESC NULLS LAST, rc.ordinal`,
};

function conditions(teamId: string, runId: string, filter: RunConversationFilter): Prisma.Sql {
  const { status, theme, minScore, maxScore } = filter;
  const all = [Prisma.sql`rc.run_id = ${runId}::uuid AND rc.team_id = ${teamId}::uuid`];
  if (status != null) all.push(Prisma.sql`rc.status = ANY(${status}::run_conversation_status[])`);
  if (theme != null) all.push(Prisma.sql`rc.theme = ${theme.replace(/^theme:/, '')}`);
  if (minScore != null) all.push(Prisma.sql`rc.score >= ${minScore}`);
  if (maxScore != null) all.push(Prisma.sql`rc.score <= ${maxScore}`);
  return Prisma.join(all, ' AND ');
}

function afterCursor(after: CursorKeys | null, order: RunConversationOrder): Prisma.Sql {
  if (after === null) return Prisma.sql`true`;
  if (order === 'ORDINAL_ASC') return Prisma.sql`rc.ordinal > ${Number(after[0])}`;
  const [score, ordinal] = after;
  const later = Prisma.sql`rc.ordinal > ${Number(ordinal)}`;
  if (score === null || score === undefined) return Prisma.sql`(rc.score IS NULL AND ${later})`;
  const beyond = order === 'SCORE_ASC' ? Prisma.sql`rc.score > ${score}` : Prisma.sql`rc.score < ${score}`;
  return Prisma.sql`(${beyond} OR (rc.score = ${score} AND ${later}) OR rc.score IS NULL)`;
}

/** Many conversations of runs in one statement, by `runId:ordinal`. */
export async function loadRunConversations(
  db: Database,
  teamId: string,
  keys: readonly string[],
): Promise<Map<string, RunConversationRow>> {
  const { ids, numbers } = splitRowKeys(keys);
  const rows = await db.$queryRaw<RunConversationRow[]>`
    SELECT ${columns}
    FROM unnest(${ids}::uuid[], ${numbers}::int[]) AS k(run_id, ordinal)
    JOIN run_conversation rc USING (run_id, ordinal) JOIN run ON run.id = rc.run_id
    WHERE rc.team_id = ${teamId}::uuid`;
  return new Map(rows.map((row) => [runConversationKey(row.runId, row.ordinal), row]));
}

/** The key of loadRunConversations and of the loaders of later features. */
export const runConversationKey = rowKey;

import type { Conversation, Database, Dataset, DatasetDownload, RubricCriterion } from '../platform/database.js';
import type { Connection, Page } from '../platform/relay/page.js';
import { rowKey, splitRowKeys } from '../platform/relay/rowKeys.js';
import { textFilter } from '../platform/textFilter.js';

export interface DatasetFilter {
  /** False: those that are not. */
  archived: boolean;
  /** Part of the name; null: any. */
  name: string | null;
}

/** The team's datasets, newest first. */
export async function listDatasets(
  db: Database,
  teamId: string,
  page: Page,
  { archived, name }: DatasetFilter,
): Promise<Connection<Dataset>> {
  const after = page.after?.[0];
  const where = {
    teamId,
    archivedAt: archived ? { not: null } : null,
    ...(name === null ? {} : { name: textFilter(name) }),
  };
  const rows = await db.dataset.findMany({
    // UUIDv7 ids are in order of creation.
    where: { ...where, ...(after === undefined ? {} : { id: { lt: String(after) } }) },
    orderBy: { id: 'desc' },
    take: page.limit,
  });
  return page.connection(
    rows,
    (row) => [row.id],
    () => db.dataset.count({ where }),
  );
}

/** The datasets of the team with these contents, by sha256. */
export async function loadDatasetsBySha256(
  db: Database,
  teamId: string,
  hashes: readonly string[],
): Promise<Map<string, Dataset>> {
  const rows = await db.dataset.findMany({ where: { teamId, sha256: { in: [...hashes] } } });
  return new Map(rows.map((row) => [row.sha256, row]));
}

/** Official files that the team has fetched or is fetching; newest first. */
export function listDownloads(db: Database, teamId: string): Promise<DatasetDownload[]> {
  return db.datasetDownload.findMany({ where: { teamId }, orderBy: { id: 'desc' } });
}

/** A missing, a foreign and a malformed id (null) all find nothing. */
export async function findDownload(db: Database, teamId: string, id: string | null): Promise<DatasetDownload | null> {
  return id === null ? null : db.datasetDownload.findFirst({ where: { id, teamId } });
}

/** The conversations of a dataset in the order of its file. */
export async function listConversations(
  db: Database,
  teamId: string,
  datasetId: string,
  page: Page,
): Promise<Connection<Conversation>> {
  const rows = await db.conversation.findMany({
    where: { teamId, datasetId, no: { gt: Number(page.after?.[0] ?? -1) } },
    orderBy: { no: 'asc' },
    take: page.limit,
  });
  const count = () => db.conversation.count({ where: { teamId, datasetId } });
  return page.connection(rows, (row) => [row.no], count);
}

/** The canaries of a dataset's records: one, as a rule. They go wherever the texts go. */
export async function loadCanaries(db: Database, teamId: string, datasetId: string): Promise<string[]> {
  const rows = await db.$queryRaw<{ canary: string }[]>`
    SELECT DISTINCT canary FROM conversation
    WHERE dataset_id = ${datasetId}::uuid AND team_id = ${teamId}::uuid AND canary IS NOT NULL LIMIT 10`;
  return rows.map(({ canary }) => canary);
}

export async function findConversation(
  db: Database,
  teamId: string,
  datasetId: string,
  no: number,
): Promise<Conversation | null> {
  return db.conversation.findFirst({ where: { teamId, datasetId, no } });
}

/** Which conversation of which dataset: the key of the loaders below. */
export const conversationKey = rowKey;

/** The rubrics of many conversations in one statement, each in its order. */
export async function loadCriteria(
  db: Database,
  teamId: string,
  keys: readonly string[],
): Promise<Map<string, RubricCriterion[]>> {
  const { ids, numbers } = splitRowKeys(keys);
  const rows = await db.$queryRaw<RubricCriterion[]>`
    SELECT c.dataset_id AS "datasetId", c.conversation_no AS "conversationNo", c.no, c.team_id AS "teamId",
      c.text, c.points, c.points_text AS "pointsText", c.tags, c.axis
    FROM unnest(${ids}::uuid[], ${numbers}::int[]) AS k(dataset_id, conversation_no)
    JOIN rubric_criterion c USING (dataset_id, conversation_no)
    WHERE c.team_id = ${teamId}::uuid ORDER BY c.no`;
  return Map.groupBy(rows, (row) => conversationKey(row.datasetId, row.conversationNo));
}

/** Many conversations in one statement. */
export async function loadConversations(
  db: Database,
  teamId: string,
  keys: readonly string[],
): Promise<Map<string, Conversation>> {
  const { ids, numbers } = splitRowKeys(keys);
  const rows = await db.$queryRaw<Conversation[]>`
    SELECT c.dataset_id AS "datasetId", c.no, c.team_id AS "teamId", c.prompt_id AS "promptId",
      c.messages, c.tags, c.theme, c.canary, '' AS raw
    FROM unnest(${ids}::uuid[], ${numbers}::int[]) AS k(dataset_id, no)
    JOIN conversation c USING (dataset_id, no)
    WHERE c.team_id = ${teamId}::uuid`;
  return new Map(rows.map((row) => [conversationKey(row.datasetId, row.no), row]));
}

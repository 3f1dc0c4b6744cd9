import type { Database, Prisma, Run, RunProgress, RunStatus, VerdictLog } from '../platform/database.js';
import { uuidOf } from '../platform/relay/globalId.js';
import type { Connection, Page } from '../platform/relay/page.js';
import { textFilter } from '../platform/textFilter.js';

export type RunRow = Run & { progress: RunProgress | null; log: VerdictLog | null };

/** What every reader of a run needs, in a constant number of statements. */
export const runInclude = { progress: true, log: true } satisfies Prisma.RunInclude;

/** A run of the team, or null. */
export async function findRun(db: Database, teamId: string, id: string | null): Promise<RunRow | null> {
  if (id === null) return null;
  const rows = await whole(() => db.run.findMany({ where: { id, teamId }, include: runInclude }));
  return rows[0] ?? null;
}

/** The runs of the team that have these ids. */
export async function loadRuns(db: Database, teamId: string, ids: readonly string[]): Promise<Map<string, RunRow>> {
  const rows = await whole(() => db.run.findMany({ where: { id: { in: [...ids] }, teamId }, include: runInclude }));
  return new Map(rows.map((row) => [row.id, row]));
}

/** Prisma reads the parts of a row after the row: asked again where a run was deleted in between. */
async function whole(read: () => Promise<RunRow[]>): Promise<RunRow[]> {
  for (let attempt = 1; ; attempt += 1) {
    const rows = await read();
    if (attempt === 10 || rows.every((row) => row.progress !== null && row.log !== null)) return rows;
  }
}

export interface RunFilter {
  /** A global id. */
  datasetId?: string | null;
  model?: string | null;
  /** The grader's model. */
  grader?: string | null;
  status?: RunStatus[] | null;
  /** Part of the name. */
  name?: string | null;
  createdAfter?: Date | null;
  createdBefore?: Date | null;
}

export type RunOrder = 'CREATED_AT_DESC' | 'CREATED_AT_ASC' | 'NAME_ASC';

/** A page of the team's runs. */
export async function listRuns(
  db: Database,
  teamId: string,
  page: Page,
  filter: RunFilter,
  order: RunOrder,
): Promise<Connection<RunRow>> {
  const where = runWhere(teamId, filter);
  if (where === null)
    return page.connection<RunRow>(
      [],
      () => [],
      async () => 0,
    );
  const rows = await whole(() =>
    db.run.findMany({
      where: { AND: [where, afterCursor(page, order)] },
      orderBy: orders[order],
      take: page.limit,
      include: runInclude,
    }),
  );
  const keys = (row: RunRow) => (order === 'NAME_ASC' ? [row.name, row.id] : [row.id]);
  return page.connection(rows, keys, () => db.run.count({ where }));
}

// Ids are UUIDv7, in order of creation, so the id alone is a total order by time.
const orders = {
  CREATED_AT_DESC: [{ id: 'desc' }],
  CREATED_AT_ASC: [{ id: 'asc' }],
  NAME_ASC: [{ name: 'asc' }, { id: 'asc' }],
} satisfies Record<RunOrder, Prisma.RunOrderByWithRelationInput[]>;

function afterCursor(page: Page, order: RunOrder): Prisma.RunWhereInput {
  if (page.after === null) return {};
  const id = String(page.after.at(-1));
  if (order === 'CREATED_AT_DESC') return { id: { lt: id } };
  if (order === 'CREATED_AT_ASC') return { id: { gt: id } };
  const name = String(page.after[0]);
  return { OR: [{ name: { gt: name } }, { name, id: { gt: id } }] };
}

/** Null: nothing can match, because the dataset's id is malformed. */
function runWhere(teamId: string, filter: RunFilter): Prisma.RunWhereInput | null {
  const { datasetId, model, grader, status, name, createdAfter, createdBefore } = filter;
  const dataset = datasetId == null ? undefined : uuidOf('Dataset', datasetId);
  if (dataset === null) return null;
  return {
    teamId,
    ...(dataset === undefined ? {} : { datasetId: dataset }),
    ...(model == null ? {} : { model }),
    ...(grader == null ? {} : { graderModel: grader }),
    ...(status == null ? {} : { status: { in: status } }),
    ...(name == null ? {} : { name: textFilter(name) }),
    createdAt: {
      ...(createdAfter == null ? {} : { gte: createdAfter }),
      ...(createdBefore == null ? {} : { lt: createdBefore }),
    },
  };
}

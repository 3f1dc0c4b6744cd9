import { Conflict, NotFound } from '../errors.js';
import { type Dataset, Prisma, type Queryable } from '../platform/database.js';
import { countRows, type RowCounts, teamTables } from './teamTables.js';

const NAMED = 10;

export interface DatasetKey {
  teamId: string;
  datasetId: string;
}

/**
 * Deletes a dataset with its conversations and rubrics and returns how many rows of each kind that were. Throws
 * Conflict with the names of the runs that refer to it: those cannot be understood without it.
 */
export async function deleteDataset(tx: Queryable, { teamId, datasetId }: DatasetKey): Promise<RowCounts> {
  // A run that is being started waits here, and then finds no dataset.
  const rows = await tx.$queryRaw<object[]>`
    SELECT 1 FROM dataset WHERE id = ${datasetId}::uuid AND team_id = ${teamId}::uuid FOR UPDATE`;
  if (rows.length === 0) throw new NotFound('Dataset', ['datasetId']);
  const where = { teamId, datasetId };
  const runs = await tx.run.findMany({ where, orderBy: { id: 'desc' }, take: NAMED, select: { name: true } });
  if (runs.length > 0) throw new Conflict(refusal(runs, await tx.run.count({ where })), ['datasetId']);
  const tables = (await teamTables(tx)).filter(({ columns }) => columns.includes('dataset_id'));
  const deleted = await countRows(
    tx,
    tables,
    Prisma.sql`dataset_id = ${datasetId}::uuid AND team_id = ${teamId}::uuid`,
  );
  await tx.dataset.delete({ where: { teamId_id: { teamId, id: datasetId } } });
  return { dataset: 1, ...deleted };
}

function refusal(runs: { name: string }[], total: number): string {
  const names = runs.map(({ name }) => `“${name}”`).join(', ');
  const more = total > runs.length ? ` and ${total - runs.length} more` : '';
  const which = total === 1 ? 'A run refers' : `${total} runs refer`;
  return `${which} to this dataset: ${names}${more}. Delete them first, or archive it (archive: true).`;
}

/** Takes a dataset out of the list, or puts it back. Its runs keep naming it, and no new one can be started. */
export async function archiveDataset(
  tx: Queryable,
  { teamId, datasetId }: DatasetKey,
  archived: boolean,
): Promise<Dataset> {
  const rows = await tx.dataset.updateManyAndReturn({
    where: { id: datasetId, teamId },
    data: { archivedAt: archived ? new Date() : null },
  });
  if (rows[0] === undefined) throw new NotFound('Dataset', ['datasetId']);
  return rows[0];
}

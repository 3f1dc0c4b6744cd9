import { type Database, Prisma, type Queryable } from '../platform/database.js';
import type { RunKey } from './deleteRun.js';
import { countRows, identifier, ofRuns, type RowCounts, type TeamTable, teamTables } from './teamTables.js';

/** Its rows are the numbers of single conversations. */
const KEPT = 'run_conversation';

/**
 * Deletes the texts of a run (replies, verdicts with their explanations, failed calls) and keeps its numbers: counters,
 * aggregates, and each conversation's score. Returns how many rows of each kind went; none of a run that goes on.
 */
export function deleteRunDetails(
  db: Database,
  { teamId, runId }: RunKey,
  record: (tx: Queryable, deleted: RowCounts) => Promise<void>,
): Promise<RowCounts> {
  return db.$transaction(async (tx) => {
    // Locks the run: it is not retried meanwhile.
    const marked = await tx.run.updateMany({
      where: { id: runId, teamId, finishedAt: { not: null } },
      data: { detailsDeletedAt: new Date() },
    });
    if (marked.count === 0) return {};
    const tables = detailsOf(await teamTables(tx));
    const where = Prisma.sql`run_id = ${runId}::uuid AND team_id = ${teamId}::uuid`;
    const deleted = await countRows(tx, tables, where);
    for (const { name } of tables) await tx.$executeRaw`DELETE FROM ${identifier(name)} WHERE ${where}`;
    // A message may quote the model or the provider.
    await tx.runConversation.updateMany({ where: { runId, teamId }, data: { message: null } });
    await record(tx, deleted);
    return deleted;
  });
}

/** What belongs to single conversations of a run, and not to the run as a whole. */
const detailsOf = (tables: TeamTable[]): TeamTable[] =>
  ofRuns(tables).filter(({ name, columns }) => columns.includes('ordinal') && name !== KEPT);

import { NotFound } from '../errors.js';
import { Prisma, type Queryable, type Team } from '../platform/database.js';
import { wakeUp } from '../platform/wakeUps.js';
import { changeRunStatus } from '../runs/runStatus.js';
import { apiKeyWakeKey } from '../tenancy/apiKey.js';
import type { Services } from '../tenancy/requestContext.js';
import { deleteRun, quiet } from './deleteRun.js';
import { addCounts, countRows, type RowCounts, teamTables } from './teamTables.js';

/**
 * Deletes a team with everything of it and returns how many rows of each kind that were. What goes on is cancelled
 * first. Interrupted, it has deleted some of the runs; asked again, it does the rest.
 * Throws NotFound, also when `confirm` is not the team's name.
 *
 * @param record called in the transaction that deletes the team
 */
export async function eraseTeam(
  services: Pick<Services, 'teams' | 'queue'>,
  input: { teamId: string; confirm: string },
  record: (tx: Queryable, deleted: RowCounts) => Promise<void>,
): Promise<RowCounts> {
  const { teamId, confirm } = input;
  const db = services.teams.of(teamId);
  const team = await db.team.findUnique({ where: { id: teamId } });
  // One answer for both: the operator does not get to know what a team is called.
  if (team === null || confirm !== team.name) throw new NotFound('Team of this name', ['confirm']);
  const deleted: RowCounts = {};
  const note = async (_tx: Queryable, _run: unknown, counts: RowCounts) => addCounts(deleted, counts);
  await cancelAll({ ...services, db }, teamId);
  for (const { id } of await db.run.findMany({ where: { teamId }, select: { id: true } })) {
    await deleteRun({ ...services, db }, { teamId, runId: id }, note).catch(unlessGone);
  }
  await db.$transaction(async (tx) => {
    addCounts(deleted, await deleteRest(tx, team));
    await record(tx, deleted);
  });
  return deleted;
}

async function cancelAll(services: Parameters<typeof deleteRun>[0], teamId: string): Promise<void> {
  const open = await services.db.run.findMany({ where: { teamId, finishedAt: null }, select: { id: true } });
  for (const { id } of open) {
    await services.db.$transaction((tx) =>
      changeRunStatus(tx, services.queue, { teamId, runId: id, to: 'CANCELLED', reason: 'The team is being erased.' }),
    );
  }
  await quiet(() => services.queue.running(services.db, { teamId }));
}

/** Somebody else was quicker. */
function unlessGone(error: unknown): void {
  if (!(error instanceof NotFound)) throw error;
}

async function deleteRest(tx: Queryable, { id }: Team): Promise<RowCounts> {
  // Whoever starts or imports something now waits for the team's row, and then finds no team.
  await tx.$queryRaw`SELECT 1 FROM team WHERE id = ${id}::uuid FOR UPDATE`;
  const tables = (await teamTables(tx)).filter(({ name }) => name !== 'team' && name !== 'erased_team');
  const deleted = await countRows(tx, tables, Prisma.sql`team_id = ${id}::uuid`);
  for (const key of await tx.apiKey.findMany({ where: { teamId: id }, select: { id: true } })) {
    await wakeUp(tx, apiKeyWakeKey(key.id));
  }
  await tx.run.deleteMany({ where: { teamId: id } });
  await tx.dataset.deleteMany({ where: { teamId: id } });
  await tx.team.delete({ where: { id } });
  return { team: 1, ...deleted };
}

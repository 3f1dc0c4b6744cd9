import { serviceOrigin, writeAuditEvent } from '../audit/auditEvent.js';
import { InvalidInput } from '../errors.js';
import { applyRetention } from '../jobs.js';
import type { Database, Prisma, Queryable, Team } from '../platform/database.js';
import type { JobQueue } from '../platform/queue.js';

/** A hundred years. */
const MAX_DAYS = 36_525;
const DAY_MS = 86_400_000;

export interface RetentionInput {
  /** Null: runs are kept. */
  deleteRunsAfterDays: number | null;
  keepAggregates: boolean;
}

/** Sets how long the team keeps its runs. The first time it is applied is a day later, or when somebody asks. */
export async function updateRetention(db: Queryable, teamId: string, input: RetentionInput): Promise<Team> {
  const { deleteRunsAfterDays: days, keepAggregates } = input;
  if (days !== null && (days < 1 || days > MAX_DAYS)) {
    throw new InvalidInput(`must be between 1 and ${MAX_DAYS}, or null to keep the runs.`, ['deleteRunsAfterDays']);
  }
  return db.team.update({
    where: { id: teamId },
    data: { deleteRunsAfterDays: days, keepAggregates, retentionAppliedAt: new Date() },
  });
}

/** Has the retention applied now. Throws InvalidInput where the team has set none. */
export async function applyRetentionNow(tx: Queryable, queue: JobQueue, teamId: string): Promise<Team> {
  const team = await tx.team.findUniqueOrThrow({ where: { id: teamId } });
  if (team.deleteRunsAfterDays === null) throw new InvalidInput('The team keeps its runs: set a retention first.');
  await queue.send(tx, applyRetention, [{ payload: { teamId } }]);
  return team;
}

/** Sends the job of every team that is due. Called now and then by every worker. */
export async function sendDueRetention(services: { db: Database; queue: JobQueue }): Promise<void> {
  const teams = await services.db.$queryRaw<
    { teamId: string }[]
  >`SELECT team_id AS "teamId" FROM assay_retention_due()`;
  await services.queue.send(
    services.db,
    applyRetention,
    teams.map((payload) => ({ payload })),
  );
}

/** The runs that are older than the team keeps them, by the time they ended; one that goes on or is paused has time. */
export function expiredRuns(team: Team, now: Date): Prisma.RunWhereInput | null {
  if (team.deleteRunsAfterDays === null) return null;
  return {
    teamId: team.id,
    finishedAt: { lt: new Date(now.getTime() - team.deleteRunsAfterDays * DAY_MS) },
    ...(team.keepAggregates ? { detailsDeletedAt: null } : {}),
  };
}

/** Writes into the audit log what the retention has deleted. */
export function recordRetention(
  tx: Queryable,
  run: { teamId: string; id: string; name: string },
  action: 'deleteRun' | 'deleteRunDetails',
  deleted: Record<string, number>,
): Promise<void> {
  const subject = { type: 'Run', key: run.id, name: run.name };
  const event = { action, outcome: 'DONE' as const, subject, details: deleted };
  return writeAuditEvent(tx, run.teamId, serviceOrigin('retention'), event);
}

import type { ActorKind, Database, Queryable } from '../platform/database.js';
import type { Origin } from './auditEvent.js';

export interface ErasedTeamRow {
  teamId: string;
  at: Date;
  by: ActorKind;
  /** Rows by kind. */
  deleted: Record<string, number>;
}

/** Writes what stays of a team, in the transaction that erases it and its audit log. */
export async function writeErasure(
  tx: Queryable,
  teamId: string,
  origin: Origin,
  deleted: Record<string, number>,
): Promise<void> {
  await tx.erasedTeam.create({ data: { teamId, by: origin.kind, address: origin.address, deleted } });
}

const MOST = 200;

/** The teams that were erased, newest first; for the operator. */
export function listErasedTeams(db: Database): Promise<ErasedTeamRow[]> {
  return db.$queryRaw<ErasedTeamRow[]>`
    SELECT team_id AS "teamId", at, by::text, deleted FROM assay_erased_teams(${MOST}::int)`;
}

import type { Database } from '../platform/database.js';
import type { Services } from './requestContext.js';

const BATCH = 100;
const FIRST = '00000000-0000-0000-0000-000000000000';

interface Stale {
  id: string;
  teamId: string;
}

/** One kind of secret that is stored sealed. */
export interface SealedKind {
  /** What the log calls them. */
  name: string;
  /** The next rows, of all teams and by id, whose secret another key than the present one has sealed. */
  stale(db: Database, after: string, most: number): Promise<Stale[]>;
  /** Seals one anew; false when it cannot be opened. `db` is its team's. */
  reseal(db: Database, row: Stale): Promise<boolean>;
}

export interface Resealed {
  resealed: number;
  /** The key that sealed them is not configured any more. */
  lost: number;
}

/**
 * Seals every secret that an earlier secret key sealed with the present one, so that the earlier can go. One that
 * cannot be opened stays as it is, and is counted. Several processes may do this at once.
 */
export async function resealSecrets(
  { db, teams, log }: Pick<Services, 'db' | 'teams' | 'log'>,
  kind: SealedKind,
): Promise<Resealed> {
  const counts = { resealed: 0, lost: 0 };
  for (let after = FIRST; ; ) {
    const stale = await kind.stale(db, after, BATCH);
    for (const row of stale) {
      const kept = (await kind.reseal(teams.of(row.teamId), row)) ? 'resealed' : 'lost';
      counts[kept] += 1;
    }
    const last = stale.at(-1);
    if (last === undefined) break;
    after = last.id;
  }
  if (counts.resealed > 0) log.info(counts, `${kind.name} were sealed with the present secret key`);
  if (counts.lost > 0) log.warn(counts, `${kind.name} were sealed with a secret key that is not configured any more`);
  return counts;
}

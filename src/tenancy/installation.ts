import type { Database } from '../platform/database.js';

/** All that the operator may know of the teams. */
export interface InstallationCounts {
  teams: number;
  /** Neither revoked nor expired. */
  apiKeys: number;
  datasets: number;
  runs: number;
  /** Queued, running or paused. */
  openRuns: number;
  verdicts: bigint;
}

/** Counts over all teams. */
export async function countAll(db: Database): Promise<InstallationCounts> {
  const rows = await db.$queryRaw<InstallationCounts[]>`
    SELECT teams::int, api_keys::int AS "apiKeys", datasets::int, runs::int, open_runs::int AS "openRuns", verdicts
    FROM assay_counts()`;
  return rows[0] as InstallationCounts;
}

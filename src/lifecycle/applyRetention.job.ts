import type { TeamJob } from '../jobs.js';
import type { Database } from '../platform/database.js';
import type { JobHandler } from '../platform/jobWorker.js';
import type { JobQueue } from '../platform/queue.js';
import { deleteRunDetails } from './deleteDetails.js';
import { deleteRun } from './deleteRun.js';
import { expiredRuns, recordRetention } from './retention.js';

/**
 * Deletes the runs of a team that are older than it wants to keep them, oldest first and each in a transaction of its
 * own, so that an interrupted job has lost nothing and goes on where it was.
 */
export const applyRetentionHandler = (services: { db: Database; queue: JobQueue }): JobHandler<TeamJob> => ({
  async run({ teamId }, { stop }) {
    const { db } = services;
    for (;;) {
      if (stop.aborted) return 'unfinished';
      const team = await db.team.findUnique({ where: { id: teamId } });
      const where = team && expiredRuns(team, new Date());
      if (team === null || where === null) return;
      const run = await db.run.findFirst({ where, orderBy: { finishedAt: 'asc' } });
      if (run === null) break;
      if (team.keepAggregates) {
        await deleteRunDetails(db, { teamId, runId: run.id }, (tx, deleted) =>
          recordRetention(tx, run, 'deleteRunDetails', deleted),
        );
      } else {
        await deleteRun(services, { teamId, runId: run.id }, (tx, _, deleted) =>
          recordRetention(tx, run, 'deleteRun', deleted),
        );
      }
    }
    await db.team.updateMany({ where: { id: teamId }, data: { retentionAppliedAt: new Date() } });
  },
});

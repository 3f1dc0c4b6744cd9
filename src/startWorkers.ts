import { generateReplyHandler } from './generation/generateReply.job.js';
import { gradeConversationHandler } from './grading/gradeConversation.job.js';
import { generateReply, gradeConversation, planRun, scoreRun } from './jobs.js';
import type { Database } from './platform/database.js';
import { type JobHandler, JobWorker } from './platform/jobWorker.js';
import { ActiveRuns } from './scheduling/activeRuns.js';
import { Budgets } from './scheduling/budgets.js';
import type { CallOptions } from './scheduling/callModel.js';
import { planRunHandler, reconcile } from './scheduling/planRun.job.js';
import { scoreRunHandler } from './scoring/scoreRun.job.js';
import type { Services } from './tenancy/requestContext.js';
import type { TeamDatabases } from './tenancy/teamDatabase.js';
import { VerdictWriter } from './verdicts/verdictWriter.js';

/** What a crash left behind is looked for this often. */
const RECONCILE_MS = 5_000;

export interface Workers {
  /** Takes no new job; gives running ones `graceMs` to finish, then aborts and hands them back. */
  stop(graceMs: number): Promise<void>;
}

/**
 * Starts the workers of every job of the pipeline in this process.
 *
 * @param call changes how often and how fast a call is made again; for tests
 */
export function startWorkers(services: Services, call: Partial<CallOptions> = {}): Workers {
  const { db, teams, queue, secrets, wakeUps, log } = services;
  const activeRuns = new ActiveRuns(db, wakeUps, log);
  const budgets = new Budgets(log);
  const calling = { queue, secrets, activeRuns, budgets, call };
  const verdicts = new VerdictWriters();
  const workers = [
    new JobWorker(
      queue,
      planRun,
      inTeam(teams, (db) => planRunHandler({ db, queue })),
      log,
    ),
    new JobWorker(
      queue,
      generateReply,
      inTeam(teams, (db) => generateReplyHandler({ db, ...calling })),
      log,
    ),
    new JobWorker(
      queue,
      gradeConversation,
      inTeam(teams, (db) => gradeConversationHandler({ db, ...calling, verdicts: verdicts.of(db) })),
      log,
    ),
    new JobWorker(
      queue,
      scoreRun,
      inTeam(teams, (db) => scoreRunHandler({ db, queue })),
      log,
    ),
  ];
  const look = () =>
    reconcile({ db, queue }).catch((error) => log.warn({ err: error }, 'runs cannot be looked at; trying again'));
  void look();
  const timer = setInterval(() => void look(), RECONCILE_MS);
  return {
    async stop(graceMs) {
      clearInterval(timer);
      await Promise.all(workers.map((worker) => worker.stop(graceMs)));
      activeRuns.close();
      await budgets.close(2_000);
    },
  };
}

/** Runs each job with the database as the team of its payload sees it. */
function inTeam<T extends { teamId: string }>(
  teams: TeamDatabases,
  handlerWith: (db: Database) => JobHandler<T>,
): JobHandler<T> {
  return {
    run: (payload, signal) => handlerWith(teams.of(payload.teamId)).run(payload, signal),
    giveUp: async (payload, error) => handlerWith(teams.of(payload.teamId)).giveUp?.(payload, error),
  };
}

/** One writer per team's database, so that verdicts that arrive together are written together. */
class VerdictWriters {
  readonly #writers = new WeakMap<Database, VerdictWriter>();

  of(db: Database): VerdictWriter {
    const writer = this.#writers.get(db) ?? new VerdictWriter(db);
    this.#writers.set(db, writer);
    return writer;
  }
}

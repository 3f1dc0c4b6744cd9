import { type DownloadOptions, downloadDatasetHandler } from './datasets/downloadDataset.job.js';
import { generateReplyHandler, generationSlots } from './generation/generateReply.job.js';
import { ReplyWriter } from './generation/replyWriter.js';
import { gradeConversationHandler, gradingSlots } from './grading/gradeConversation.job.js';
import { ConversationSettler } from './grading/settle.js';
import {
  announceRun,
  applyRetention,
  deliverWebhook,
  downloadDataset,
  generateReply,
  gradeConversation,
  planRun,
  scoreRun,
} from './jobs.js';
import { applyRetentionHandler } from './lifecycle/applyRetention.job.js';
import { sendDueRetention } from './lifecycle/retention.js';
import type { Database } from './platform/database.js';
import { type JobHandler, JobWorker } from './platform/jobWorker.js';
import type { JobContract } from './platform/queue.js';
import { ActiveRuns } from './scheduling/activeRuns.js';
import { Budgets } from './scheduling/budgets.js';
import type { CallOptions } from './scheduling/callModel.js';
import { ConversationLoader } from './scheduling/conversationWork.js';
import { EndpointLimiter } from './scheduling/endpointLimiter.js';
import { PostgresShares } from './scheduling/endpointShare.js';
import { planRunHandler, reconcile } from './scheduling/planRun.job.js';
import { Replanner } from './scheduling/replanner.js';
import { RunSlots } from './scheduling/runSlots.js';
import { scoreRunHandler } from './scoring/scoreRun.job.js';
import type { Services } from './tenancy/requestContext.js';
import { UngradedWriter } from './verdicts/ungradedWriter.js';
import { VerdictWriter } from './verdicts/verdictWriter.js';
import { announceRunHandler } from './webhooks/announceRun.job.js';
import { type DeliveryOptions, deliverWebhookHandler, SLOTS_PER_WEBHOOK } from './webhooks/deliverWebhook.job.js';

/** What a crash left behind is looked for this often. */
const RECONCILE_MS = 5_000;
/** Retention is due once a day; whether it is, is looked at this often. */
const RETENTION_MS = 60_000;
/** Of the time to drain: to write what was spent. */
const BUDGET_CLOSE_MS = 2_000;

export interface Workers {
  /** Takes no new job; gives running ones `graceMs` to finish, then aborts and hands them back. */
  stop(graceMs: number): Promise<void>;
}

/**
 * Starts the workers of every job of the pipeline in this process.
 *
 * @param call changes how often and how fast a call is made again; for tests
 * @param download the same for the fetching of files
 * @param delivery the same for webhooks
 */
export function startWorkers(
  services: Services,
  call: Partial<CallOptions> = {},
  download: Partial<DownloadOptions> = {},
  delivery: Partial<DeliveryOptions> = {},
): Workers {
  const { db, teams, queue, wakeUps, secrets, log, official, publicUrl } = services;
  const limiter = new EndpointLimiter(undefined, undefined, new PostgresShares(teams, wakeUps));
  const activeRuns = new ActiveRuns(db, wakeUps, log);
  const budgets = new Budgets(log);
  const replanner = new Replanner(queue, db, log);
  const tools = toolsOfTeams(services, replanner);
  const shared = { queue, activeRuns, budgets, replanner, call: { limiter, ...call } };
  const generating = { ...shared, slots: new RunSlots(limiter) };
  const grading = { ...shared, slots: new RunSlots(limiter) };
  const worker = <T extends { teamId: string }>(
    contract: JobContract<T>,
    handlerWith: (db: Database) => JobHandler<T>,
    groupSlots?: (group: string) => number,
  ) => {
    // Each job works with the database as the team of its payload sees it.
    const handler: JobHandler<T> = {
      run: (payload, context) => handlerWith(teams.of(payload.teamId)).run(payload, context),
      giveUp: async (payload, error, lease) => handlerWith(teams.of(payload.teamId)).giveUp?.(payload, error, lease),
      ...(groupSlots === undefined ? {} : { groupSlots }),
    };
    return new JobWorker(queue, contract, handler, log, wakeUps);
  };
  const workers = [
    worker(downloadDataset, (team) => downloadDatasetHandler({ db: team, queue, official }, download)),
    worker(planRun, (team) => planRunHandler({ db: team, queue })),
    worker(
      generateReply,
      (team) => generateReplyHandler({ ...generating, ...tools(team) }),
      (runId) => generationSlots(generating.slots.calls(runId)),
    ),
    worker(
      gradeConversation,
      (team) => gradeConversationHandler({ ...grading, ...tools(team) }),
      (runId) => gradingSlots(grading.slots.calls(runId)),
    ),
    worker(scoreRun, (team) => scoreRunHandler({ db: team, queue })),
    worker(announceRun, (team) => announceRunHandler({ db: team, queue, publicUrl })),
    worker(
      deliverWebhook,
      (team) => deliverWebhookHandler({ db: team, queue, secrets }, delivery),
      () => SLOTS_PER_WEBHOOK,
    ),
    worker(applyRetention, (team) => applyRetentionHandler({ db: team, queue })),
  ];
  const look = () =>
    reconcile({ db, queue }).catch((error) => log.warn({ err: error }, 'runs cannot be looked at; trying again'));
  void look();
  const timer = setInterval(() => void look(), RECONCILE_MS);
  const retention = setInterval(() => {
    sendDueRetention({ db, queue }).catch((error) => log.warn({ err: error }, 'retention cannot be looked at'));
  }, RETENTION_MS);
  return {
    async stop(graceMs) {
      clearInterval(timer);
      clearInterval(retention);
      await Promise.all(workers.map((each) => each.stop(graceMs)));
      activeRuns.close();
      await Promise.all([replanner.close(), limiter.close(), budgets.close(BUDGET_CLOSE_MS)]);
    },
  };
}

/** What works on one team's database: one of each per team, so that what arrives together is written together. */
function toolsOfTeams({ queue, secrets }: Services, replanner: Replanner) {
  const make = (db: Database) => ({
    db,
    loader: new ConversationLoader(db, secrets),
    replies: new ReplyWriter(db, queue),
    settler: new ConversationSettler({ db, queue, replanner }),
    verdicts: new VerdictWriter(db),
    ungraded: new UngradedWriter(db, queue),
  });
  const made = new WeakMap<Database, ReturnType<typeof make>>();
  return (db: Database) => {
    const tools = made.get(db) ?? make(db);
    made.set(db, tools);
    return tools;
  };
}

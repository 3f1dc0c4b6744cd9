import { generateReplyHandler } from './generation/generateReply.job.js';
import { ReplyWriter } from './generation/replyWriter.js';
import { gradeConversationHandler } from './grading/gradeConversation.job.js';
import { ConversationSettler } from './grading/settle.js';
import { generateReply, gradeConversation, planRun, scoreRun } from './jobs.js';
import { JobWorker } from './platform/jobWorker.js';
import { ActiveRuns } from './scheduling/activeRuns.js';
import type { CallOptions } from './scheduling/callModel.js';
import { ConversationLoader } from './scheduling/conversationWork.js';
import { EndpointLimiter } from './scheduling/endpointLimiter.js';
import { PostgresShares } from './scheduling/endpointShare.js';
import { planRunHandler, reconcile } from './scheduling/planRun.job.js';
import { Replanner } from './scheduling/replanner.js';
import { RunSlots } from './scheduling/runSlots.js';
import { scoreRunHandler } from './scoring/scoreRun.job.js';
import type { Services } from './tenancy/requestContext.js';
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
  const { db, queue, secrets, wakeUps, log } = services;
  const limiter = new EndpointLimiter(undefined, undefined, new PostgresShares(db, wakeUps));
  const activeRuns = new ActiveRuns(db, wakeUps, log);
  const replanner = new Replanner(queue, db, log);
  const loader = new ConversationLoader(db, secrets);
  const calling = { db, queue, loader, activeRuns, replanner, call: { limiter, ...call } };
  const generating = { ...calling, slots: new RunSlots(limiter), replies: new ReplyWriter(db, queue) };
  const settler = new ConversationSettler({ db, queue, replanner });
  const grading = { ...calling, slots: new RunSlots(limiter), verdicts: new VerdictWriter(db), settler };
  const workers = [
    new JobWorker(queue, planRun, planRunHandler({ db, queue }), log, wakeUps),
    new JobWorker(queue, generateReply, generateReplyHandler(generating), log, wakeUps),
    new JobWorker(queue, gradeConversation, gradeConversationHandler(grading), log, wakeUps),
    new JobWorker(queue, scoreRun, scoreRunHandler({ db, queue }), log, wakeUps),
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
      replanner.close();
      await limiter.close();
    },
  };
}

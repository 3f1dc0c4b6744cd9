import { storableText } from '../healthbench/storableText.js';
import type { ConversationJob } from '../jobs.js';
import type { Database, Queryable } from '../platform/database.js';
import type { JobContext, JobHandler } from '../platform/jobWorker.js';
import { type JobLease, type JobQueue, LeaseLost } from '../platform/queue.js';
import { countModelUsage } from '../runs/countUsage.js';
import type { ModelSettings } from '../runs/modelSettings.js';
import { markFailed } from '../runs/settleConversation.js';
import { noUsage } from '../runs/usage.js';
import { writeOnce } from '../runs/writeOnce.js';
import type { ActiveRuns, RunSignals } from '../scheduling/activeRuns.js';
import { pauseHopelessRun, pauseRunsAt } from '../scheduling/breaker.js';
import type { Budgets } from '../scheduling/budgets.js';
import {
  type Accepted,
  type CallOptions,
  type CallResult,
  callModel,
  type ModelCall,
} from '../scheduling/callModel.js';
import { type ConversationLoader, type ConversationWork, sentMessages } from '../scheduling/conversationWork.js';
import { storeFailedCalls } from '../scheduling/failedCalls.js';
import type { Replanner } from '../scheduling/replanner.js';
import type { RunSlots } from '../scheduling/runSlots.js';
import type { ReplyWriter } from './replyWriter.js';

interface Services {
  db: Database;
  queue: JobQueue;
  loader: ConversationLoader;
  activeRuns: ActiveRuns;
  budgets: Budgets;
  replanner: Replanner;
  slots: RunSlots;
  replies: ReplyWriter;
  call: Partial<CallOptions>;
}

/** Conversations of a run at once, for so many calls: a few more, so that the next is ready when a call ends. */
export const generationSlots = (calls: number): number => Math.ceil(calls * 1.25) + 4;

/**
 * Asks the model under test for the reply to one conversation and stores it, whatever it says, with the
 * grading job in the same transaction. Without a reply the conversation is FAILED with the reason, and
 * nothing is sent to the grader.
 */
export const generateReplyHandler = (services: Services): JobHandler<ConversationJob> => ({
  run: (job, context) =>
    services.activeRuns.during(job.runId, async (signals) => {
      const work = await services.loader.load(job, 'model');
      if (work === null || work.conversation.status !== 'PENDING') return;
      if (services.slots.learn(job.runId, work.target)) context.takeMore();
      const result = await askModel(services, work, signals, context, (reply) => storeReply(services, job, reply));
      if (result.kind === 'ok') return;
      if (result.kind === 'stopped') {
        await keepCalls(services.db, job, result);
        services.replanner.settled(job, 0);
        return 'unfinished';
      }
      if (result.stopsRun) return stopRuns(services, work, result);
      await storeFailure(services, job, context.lease, result);
    }),

  giveUp: (job, error, lease) =>
    storeFailure(services, job, lease, {
      reason: 'internal',
      message: error.message,
      usage: noUsage,
      failedAttempts: [],
    }),
});

type Failed = Extract<CallResult<string>, { kind: 'failed' }>;
type Calls = Pick<Failed, 'usage' | 'failedAttempts'>;

function askModel(
  services: Services,
  work: ConversationWork,
  signals: RunSignals,
  context: JobContext,
  keep: (reply: Accepted<string>) => Promise<void>,
) {
  const { run, messages, target } = work;
  const settings = run.modelUnderTest as unknown as ModelSettings;
  const call: ModelCall<string> = {
    ...target,
    runId: run.id,
    request: {
      model: settings.model,
      messages: sentMessages(messages, settings.systemMessage),
      ...(settings.temperature === null ? {} : { temperature: settings.temperature }),
      ...(settings.reasoningEffort === null ? {} : { reasoningEffort: settings.reasoningEffort }),
      ...(settings.maxTokens === null ? {} : { maxTokens: settings.maxTokens }),
    },
    signal: AbortSignal.any([signals.abort, context.abort]),
    startSignal: AbortSignal.any([signals.stop, context.stop]),
    purse: services.budgets.purseOf(services.db, run, settings),
    // A refusal is an answer, and is graded like any other; an empty text is none.
    accept: (reply) => {
      const text = reply.text === '' ? (reply.refusal ?? '') : reply.text;
      return text.trim() === '' ? { unusable: 'empty', detail: 'The reply is empty.' } : { value: text };
    },
    keep,
  };
  return callModel(call, services.call);
}

async function storeReply(services: Services, job: ConversationJob, result: Accepted<string>): Promise<void> {
  const { runId, ordinal, teamId } = job;
  const { value: text, reply, latencyMs, usage, failedAttempts } = result;
  const { finishReason, usage: reported } = reply;
  await services.replies.store(runId, {
    teamId,
    ordinal,
    text,
    finishReason,
    reported,
    latencyMs,
    usage,
    failedAttempts,
  });
}

/** The conversation fails only while the lease holds; the calls are counted in any case. Throws LeaseLost. */
async function storeFailure(
  { db, queue, replanner }: Services,
  job: ConversationJob,
  lease: JobLease,
  failure: Calls & Pick<Failed, 'reason' | 'message'>,
): Promise<void> {
  const { reason, message } = failure;
  const held = await writeOnce(db, job, async (tx) => {
    const isHeld = await queue.isHeld(tx, lease);
    const failed = isHeld && (await markFailed(tx, job, { reason, message: storableText(message) }));
    await storeCalls(tx, job, failure);
    if (failed) await pauseHopelessRun(tx, queue, job, 'model');
    return isHeld;
  });
  if (held === false) throw new LeaseLost();
  replanner.settled(job, 1);
}

async function stopRuns(services: Services, { run, target, conversation }: ConversationWork, failure: Failed) {
  const { teamId, endpointId } = target;
  await keepCalls(services.db, { teamId, runId: run.id, ordinal: conversation.ordinal }, failure);
  const { reason, message } = failure;
  await pauseRunsAt(services, { teamId, runId: run.id, endpointId, model: run.model, reason, message });
}

/** Of calls that settled nothing: what came back, and what it cost. */
async function keepCalls(db: Database, job: ConversationJob, calls: Calls): Promise<void> {
  if (calls.usage.calls > 0) await writeOnce(db, job, (tx) => storeCalls(tx, job, calls));
}

async function storeCalls(tx: Queryable, job: ConversationJob, { usage, failedAttempts }: Calls): Promise<void> {
  await countModelUsage(tx, job.runId, usage);
  await storeFailedCalls(tx, [{ ...job, criterionNo: null, failedAttempts }]);
}

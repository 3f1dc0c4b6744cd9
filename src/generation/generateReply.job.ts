import { storableText } from '../healthbench/storableText.js';
import { type ConversationJob, gradeConversation } from '../jobs.js';
import type { Database, Queryable } from '../platform/database.js';
import type { JobHandler } from '../platform/jobWorker.js';
import type { JobQueue } from '../platform/queue.js';
import type { SecretBox } from '../platform/secretBox.js';
import { pauseRun } from '../runs/controlRun.js';
import { countModelUsage } from '../runs/countUsage.js';
import type { ModelSettings } from '../runs/modelSettings.js';
import { markFailed, markReplied } from '../runs/settleConversation.js';
import { noUsage } from '../runs/usage.js';
import type { ActiveRuns, RunSignals } from '../scheduling/activeRuns.js';
import type { Budgets } from '../scheduling/budgets.js';
import {
  type Accepted,
  type CallOptions,
  type CallResult,
  callModel,
  type ModelCall,
} from '../scheduling/callModel.js';
import {
  type ConversationWork,
  loadConversationWork,
  loadTarget,
  sentMessages,
} from '../scheduling/conversationWork.js';
import { storeFailedCalls } from '../scheduling/failedCalls.js';
import { conversationJob, planAgain } from '../scheduling/planRun.job.js';

interface Services {
  db: Database;
  queue: JobQueue;
  secrets: SecretBox;
  activeRuns: ActiveRuns;
  budgets: Budgets;
  call: Partial<CallOptions>;
}

/**
 * Asks the model under test for the reply to one conversation and stores it, whatever it says, with the
 * grading job in the same transaction. Without a reply the conversation is FAILED with the reason, and
 * nothing is sent to the grader.
 */
export const generateReplyHandler = (services: Services): JobHandler<ConversationJob> => ({
  run: (job, jobSignal) =>
    services.activeRuns.during(job.runId, async (signals) => {
      const work = await loadConversationWork(services.db, job);
      if (work === null || work.conversation.status !== 'PENDING') return;
      const result = await askModel(services, work, signals, jobSignal, (reply) => storeReply(services, job, reply));
      if (result.kind === 'ok') return;
      if (result.kind === 'stopped') return storeAttempts(services.db, job, result);
      if (result.stopsRun) return stopRun(services, job, result);
      await storeFailure(services, job, result);
    }),

  giveUp: (job, error) =>
    storeFailure(services, job, { reason: 'internal', message: error.message, usage: noUsage, failedAttempts: [] }),
});

type Failed = Extract<CallResult<string>, { kind: 'failed' }>;

async function askModel(
  services: Services,
  work: ConversationWork,
  signals: RunSignals,
  jobSignal: AbortSignal,
  keep: (reply: Accepted<string>) => Promise<void>,
) {
  const { run, messages } = work;
  const settings = run.modelUnderTest as unknown as ModelSettings;
  const target = await loadTarget(services.db, services.secrets, run.teamId, run.modelEndpointId);
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
    signal: AbortSignal.any([signals.abort, jobSignal]),
    startSignal: signals.stop,
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
  const { usage, finishReason } = result.reply;
  await services.db.$transaction(async (tx) => {
    // When it is not counted, another worker was quicker: the calls have been paid for all the same.
    if (!(await markReplied(tx, job, result.usage))) return storeAttempts(tx, job, result);
    await tx.reply.create({
      data: {
        runId,
        ordinal,
        teamId,
        text: storableText(result.value),
        finishReason,
        ...usage,
        latencyMs: Math.round(result.latencyMs),
        attempts: result.attempts,
      },
    });
    await storeFailedCalls(tx, { runId, ordinal, teamId, criterionNo: null }, result.failedAttempts);
    await services.queue.send(tx, gradeConversation, [conversationJob(teamId, runId, ordinal)]);
  });
}

async function storeFailure(
  services: Services,
  job: ConversationJob,
  failure: Pick<Failed, 'reason' | 'message' | 'usage' | 'failedAttempts'>,
): Promise<void> {
  const { runId, ordinal, teamId } = job;
  const { reason, message, usage, failedAttempts } = failure;
  await services.db.$transaction(async (tx) => {
    const counted = await markFailed(tx, job, { reason, message: storableText(message), usage });
    if (counted) await storeFailedCalls(tx, { runId, ordinal, teamId, criterionNo: null }, failedAttempts);
    else await storeAttempts(tx, job, failure);
    await planAgain(services.queue, tx, [{ teamId, runId }]);
  });
}

/** The provider refuses every call (bad key, no credit, model gone): waiting for a person costs nothing. */
async function stopRun(services: Services, job: ConversationJob, failure: Failed): Promise<void> {
  await storeAttempts(services.db, job, failure);
  await pauseUnlessDone(services.db, job, pauseReason('Model under test', failure));
}

/** Of calls that settled nothing: what came back, and what it cost. */
async function storeAttempts(
  tx: Queryable,
  job: ConversationJob,
  { usage, failedAttempts }: Pick<Failed, 'usage' | 'failedAttempts'>,
): Promise<void> {
  const { runId, ordinal, teamId } = job;
  await countModelUsage(tx, runId, usage);
  await storeFailedCalls(tx, { runId, ordinal, teamId, criterionNo: null }, failedAttempts);
}

/** Why the run waits. A spent budget is nobody's failure, and begins with BUDGET. */
export function pauseReason(who: string, { reason, message }: Pick<Failed, 'reason' | 'message'>): string {
  return reason === 'budget' ? message : `${who}: ${message} (${reason})`;
}

/** Pauses the run with the reason; it may have been paused or ended by another job already. */
export async function pauseUnlessDone(db: Database, job: ConversationJob, reason: string): Promise<void> {
  await pauseRun(db, job, storableText(reason)).catch((error) => {
    if (error.code !== 'CONFLICT') throw error;
  });
}

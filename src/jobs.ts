import { z } from 'zod';
import type { JobContract } from './platform/queue.js';

/**
 * The pipeline's table of contents: every job, in the order of the data. Payloads carry ids only; the
 * rows decide, so a job that is delivered twice, late or to two workers does no harm. Payloads may only
 * gain optional fields, because old jobs outlive a deploy.
 */
const runPayload = z.object({ teamId: z.uuid(), runId: z.uuid() });
const conversationPayload = runPayload.extend({ ordinal: z.number().int().min(0) });

const downloadPayload = z.object({ teamId: z.uuid(), downloadId: z.uuid() });
const teamPayload = z.object({ teamId: z.uuid() });

const statusChangePayload = runPayload.extend({ changeId: z.uuid() });
const deliveryPayload = z.object({
  teamId: z.uuid(),
  webhookId: z.uuid(),
  deliveryId: z.uuid(),
  /** How many attempts have ended before this one: a job that comes late or twice finds another number. */
  attempt: z.number().int().min(0),
});

export type TeamJob = z.infer<typeof teamPayload>;
export type DownloadJob = z.infer<typeof downloadPayload>;
export type RunJob = z.infer<typeof runPayload>;
export type StatusChangeJob = z.infer<typeof statusChangePayload>;
export type DeliveryJob = z.infer<typeof deliveryPayload>;
export type ConversationJob = z.infer<typeof conversationPayload>;

/** Fetches an official file and imports it. At most one waits per file and team. */
export const downloadDataset: JobContract<DownloadJob> = {
  name: 'download-dataset',
  payload: downloadPayload,
  key: (job) => job.downloadId,
  policy: 'short',
  retryLimit: 20,
  slots: 2,
};

/** Looks for what is missing in a run and keeps a window of jobs in the queue. At most one waits per run. */
export const planRun: JobContract<RunJob> = {
  name: 'plan-run',
  payload: runPayload,
  key: (job) => job.runId,
  policy: 'short',
  retryLimit: 20,
  slots: 4,
};

/** Asks the model under test for the reply to one conversation. */
export const generateReply: JobContract<ConversationJob> = {
  name: 'generate-reply',
  payload: conversationPayload,
  key: (job) => `${job.runId}:${job.ordinal}`,
  group: (job) => job.runId,
  policy: 'exclusive',
  retryLimit: 12,
  slots: 1024,
};

/** Asks the grader about every criterion of one reply that has no verdict yet, and settles the conversation. */
export const gradeConversation: JobContract<ConversationJob> = {
  name: 'grade-conversation',
  payload: conversationPayload,
  key: (job) => `${job.runId}:${job.ordinal}`,
  group: (job) => job.runId,
  policy: 'exclusive',
  retryLimit: 12,
  slots: 512,
};

/** Computes the aggregates of a run in which nothing is missing any more, and completes it. */
export const scoreRun: JobContract<RunJob> = {
  name: 'score-run',
  payload: runPayload,
  key: (job) => job.runId,
  policy: 'short',
  retryLimit: 20,
  slots: 2,
};

/** Tells those who want to know that the status of a run has changed: makes a delivery for each webhook. */
export const announceRun: JobContract<StatusChangeJob> = {
  name: 'announce-run',
  payload: statusChangePayload,
  key: (job) => job.changeId,
  policy: 'exclusive',
  retryLimit: 20,
  slots: 4,
};

/** Makes one attempt at a delivery. The next one is a job of its own, which starts later. */
export const deliverWebhook: JobContract<DeliveryJob> = {
  name: 'deliver-webhook',
  payload: deliveryPayload,
  key: (job) => `${job.deliveryId}:${job.attempt}`,
  group: (job) => job.webhookId,
  policy: 'exclusive',
  retryLimit: 20,
  slots: 128,
};

/** Deletes the runs of a team that are older than it wants to keep them. Once a day, or when somebody asks. */
export const applyRetention: JobContract<TeamJob> = {
  name: 'apply-retention',
  payload: teamPayload,
  key: (job) => job.teamId,
  policy: 'short',
  retryLimit: 20,
  slots: 1,
};

export const allJobs = [
  downloadDataset,
  planRun,
  generateReply,
  gradeConversation,
  scoreRun,
  announceRun,
  deliverWebhook,
  applyRetention,
] as const;

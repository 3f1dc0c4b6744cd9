import type { RunStatusChange, WebhookEvent } from '../platform/database.js';

/** What an event is called in a message. */
export const eventTypes: Record<WebhookEvent, string> = {
  RUN_COMPLETED: 'run.completed',
  RUN_FAILED: 'run.failed',
  RUN_PAUSED: 'run.paused',
  RUN_CANCELLED: 'run.cancelled',
  RUN_BUDGET_REACHED: 'run.budget_reached',
  TEST: 'webhook.test',
};

/** What a change of a run's status is to those outside. Throws for one that nobody is told of. */
export function eventOf({ status, budgetReached }: Pick<RunStatusChange, 'status' | 'budgetReached'>): WebhookEvent {
  if (status === 'QUEUED' || status === 'RUNNING') throw new Error(`nobody is told that a run is ${status}`);
  return budgetReached ? 'RUN_BUDGET_REACHED' : `RUN_${status}`;
}

import { checkUserErrors, request, type UserError } from './client.js';
import type { Settings } from './settings.js';

const PREFIX = 'demo of ';

/** Name of a run of the demo. */
export function demoRunName(datasetName: string): string {
  return PREFIX + datasetName;
}

const UNFINISHED = `query Unfinished {
  runs(first: 200, filter: { status: [QUEUED, RUNNING, PAUSED] }) { nodes { id name } }
}`;

const CANCEL = `mutation CancelRun($input: RunIdInput!) {
  cancelRun(input: $input) { userErrors { code message path } }
}`;

/**
 * Cancels what an earlier demo left unfinished: the service would go on with it, against a simulated provider
 * that is gone or for money nobody expects to spend.
 */
export async function cancelUnfinishedDemos(settings: Settings): Promise<void> {
  const { runs } = await request<{ runs: { nodes: { id: string; name: string }[] } }>(settings, UNFINISHED);
  for (const { id, name } of runs.nodes) {
    if (name.startsWith(PREFIX)) await cancelRun(settings, id);
  }
}

/** Cancels a run; user errors become a CliError. */
export async function cancelRun(settings: Settings, runId: string): Promise<void> {
  const answer = await request<{ cancelRun: { userErrors: UserError[] } }>(settings, CANCEL, { input: { runId } });
  checkUserErrors(answer.cancelRun);
}

import { CancelRunDocument, RunNamesDocument } from '../client/generated/operations.js';
import { checkUserErrors, request } from '../client/request.js';
import type { Settings } from './settings.js';

const PREFIX = 'demo of ';

/** Name of a run of the demo. */
export function demoRunName(datasetName: string): string {
  return PREFIX + datasetName;
}

/**
 * Cancels what an earlier demo left unfinished: the service would go on with it, against a simulated provider
 * that is gone or for money nobody expects to spend.
 */
export async function cancelUnfinishedDemos(settings: Settings): Promise<void> {
  const filter = { status: ['QUEUED' as const, 'RUNNING' as const, 'PAUSED' as const] };
  const { runs } = await request(settings, RunNamesDocument, { first: 200, filter });
  for (const { id, name } of runs.nodes) {
    if (name.startsWith(PREFIX)) await cancelRun(settings, id);
  }
}

/** Cancels a run; throws RefusedInput when that cannot be. */
export async function cancelRun(settings: Settings, runId: string): Promise<void> {
  checkUserErrors((await request(settings, CancelRunDocument, { input: { runId } })).changed);
}

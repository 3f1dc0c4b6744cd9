import { setTimeout as sleep } from 'node:timers/promises';
import { Unreachable } from '../client/errors.js';
import { FindRunDocument } from '../client/generated/operations.js';
import { request } from '../client/request.js';
import type { CliContext } from './context.js';

const POLL_MS = 2_000;

/**
 * Waits until none of these runs goes on by itself: until each is over, or paused, which lasts until a person does
 * something; but no longer than `minutes`. A service that cannot be reached meanwhile may be restarting.
 */
export async function waitForRuns(
  { settings, output }: CliContext,
  runIds: readonly string[],
  minutes: number,
): Promise<void> {
  const until = Date.now() + minutes * 60_000;
  let open = [...runIds];
  for (let told = false; Date.now() < until; told = true) {
    try {
      const answers = await Promise.all(open.map((id) => request(settings, FindRunDocument, { id })));
      open = answers.flatMap(({ run }) => (run !== null && ['QUEUED', 'RUNNING'].includes(run.status) ? [run.id] : []));
    } catch (error) {
      if (!(error instanceof Unreachable)) throw error;
    }
    if (open.length === 0) return;
    if (!told) output.note(`Waiting for ${open.length === 1 ? 'a run that goes' : 'runs that go'} on …`);
    await sleep(Math.min(POLL_MS, Math.max(0, until - Date.now())));
  }
}

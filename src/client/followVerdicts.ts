import { setTimeout as sleep } from 'node:timers/promises';
import { ConnectionLost } from './errors.js';
import {
  FindRunDocument,
  type RunStatus,
  RunVerdictsDocument,
  type VerdictBatchFragment,
} from './generated/operations.js';
import { type Connection, request } from './request.js';
import { subscribe } from './subscribe.js';

const OVER: readonly RunStatus[] = ['COMPLETED', 'FAILED', 'CANCELLED'];

/** Longest wait between two attempts, and how many in a row may fail: about two minutes in all. */
const MAX_WAIT_MS = 10_000;
const MAX_ATTEMPTS = 15;

export interface FollowOptions {
  /** Only verdicts after this sequence number; 0 by default. */
  after?: number;
  /** Ends the following; the run goes on. */
  signal?: AbortSignal;
  /** Told once for each break of the connection, which is mended. */
  onConnectionLost?: () => void;
}

/**
 * Follows a run's verdicts from the number `after` until the run is over or the signal aborts. Each verdict comes
 * once, in the order of the sequence numbers: a lost connection is taken up again after the last. Throws ClientError.
 */
export async function* followVerdicts(
  connection: Connection,
  runId: string,
  options: FollowOptions = {},
): AsyncGenerator<VerdictBatchFragment> {
  const signal = options.signal ?? new AbortController().signal;
  const variables = { runId, after: options.after ?? 0 };
  let failures = 0;
  let over = false;
  while (!signal.aborted) {
    try {
      for await (const { runVerdicts } of subscribe(connection, RunVerdictsDocument, variables, signal)) {
        failures = 0;
        const verdicts = runVerdicts.verdicts.filter(({ sequence }) => sequence > variables.after);
        variables.after = Math.max(variables.after, runVerdicts.cursor);
        yield { ...runVerdicts, verdicts };
      }
      // Complete may also mean that the service is being stopped. Over is over only when it was so before the
      // last reading began.
      if (over || signal.aborted) return;
      over = await isOver(connection, runId);
      if (!over) await sleep(500, undefined, { signal }).catch(() => {});
    } catch (error) {
      failures += 1;
      if (!(error instanceof ConnectionLost) || failures > MAX_ATTEMPTS) throw error;
      if (failures === 1) options.onConnectionLost?.();
      await sleep(Math.min(MAX_WAIT_MS, 250 * 2 ** failures), undefined, { signal }).catch(() => {});
    }
  }
}

async function isOver(connection: Connection, runId: string): Promise<boolean> {
  const { run } = await request(connection, FindRunDocument, { id: runId });
  return run === null || OVER.includes(run.status);
}

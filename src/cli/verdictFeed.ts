import { setTimeout as sleep } from 'node:timers/promises';
import { request } from './client.js';
import { PROGRESS_FIELDS, type Progress, type RunStatus } from './scoreCardData.js';
import type { Settings } from './settings.js';
import { ConnectionLost, subscribe } from './subscribe.js';

/** One verdict as it arrives. */
export interface Verdict {
  sequence: number;
  points: number;
  criteriaMet: boolean;
  explanation: string;
  criterion: { no: number; text: string; axis: string | null };
  runConversation: { promptId: string; repeat: number };
}

/** New verdicts in the order of their sequence numbers; `cursor` is the last of them. */
export interface VerdictBatch {
  verdicts: Verdict[];
  cursor: number;
  progress: Progress;
  runStatus: RunStatus;
}

/** What a follower is told. */
export interface FeedListener {
  batch(batch: VerdictBatch): void;
  notice(text: string): void;
}

const RUN_VERDICTS = `subscription RunVerdicts($runId: ID!, $after: Int) {
  runVerdicts(runId: $runId, after: $after) {
    verdicts {
      sequence points criteriaMet explanation criterion { no text axis } runConversation { promptId repeat }
    }
    cursor runStatus
    progress { ${PROGRESS_FIELDS} }
  }
}`;

const RUN_STATUS = 'query RunStatus($id: ID!) { run(id: $id) { status } }';
const OVER: readonly RunStatus[] = ['COMPLETED', 'FAILED', 'CANCELLED'];

/** Longest wait between two attempts, and how many in a row may fail: about two minutes in all. */
const MAX_WAIT_MS = 10_000;
const MAX_ATTEMPTS = 15;

/**
 * Follows a run's verdicts from the number `after` until the run is over or the signal aborts; returns the last
 * number seen. Each verdict is told once: a lost connection is taken up again after the last number.
 */
export async function followVerdicts(
  settings: Settings,
  runId: string,
  options: { after: number; signal: AbortSignal; listener: FeedListener },
): Promise<number> {
  const { signal, listener } = options;
  const variables = { runId, after: options.after };
  let failures = 0;
  let over = false;
  while (!signal.aborted) {
    try {
      for await (const { runVerdicts } of subscribe<Feed>(settings, RUN_VERDICTS, variables, signal)) {
        failures = 0;
        const verdicts = runVerdicts.verdicts.filter(({ sequence }) => sequence > variables.after);
        variables.after = Math.max(variables.after, runVerdicts.cursor);
        listener.batch({ ...runVerdicts, verdicts });
      }
      // Complete may also mean that the service is being stopped. Over is over only when it was so before the
      // last reading began.
      if (over || signal.aborted) break;
      over = await isOver(settings, runId);
      if (!over) await sleep(500, undefined, { signal }).catch(() => {});
    } catch (error) {
      failures += 1;
      if (!(error instanceof ConnectionLost) || failures > MAX_ATTEMPTS) throw error;
      if (failures === 1) listener.notice('Connection lost; the run goes on. Connecting again …');
      await sleep(Math.min(MAX_WAIT_MS, 250 * 2 ** failures), undefined, { signal }).catch(() => {});
    }
  }
  return variables.after;
}

interface Feed {
  runVerdicts: VerdictBatch;
}

async function isOver(settings: Settings, runId: string): Promise<boolean> {
  const { run } = await request<{ run: { status: RunStatus } | null }>(settings, RUN_STATUS, { id: runId });
  return run === null || OVER.includes(run.status);
}

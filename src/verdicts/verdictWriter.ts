import type { Database } from '../platform/database.js';
import { type NewVerdict, recordVerdicts } from './recordVerdicts.js';

const MAX_BATCH = 200;

interface Waiting {
  verdict: NewVerdict;
  resolve: () => void;
  reject: (error: unknown) => void;
}

/**
 * Group commit: the verdicts of a run that arrive while a batch is being written form the next batch. Each
 * is durable when its `record` resolves, so a crash loses no more than the calls in flight, and yet a
 * fast grader costs no transaction per verdict.
 */
export class VerdictWriter {
  readonly #queues = new Map<string, Waiting[]>();

  constructor(private readonly db: Database) {}

  /** Resolves when the verdict is committed (or was in the log already). */
  record(runId: string, verdict: NewVerdict): Promise<void> {
    return new Promise((resolve, reject) => {
      const waiting = { verdict, resolve, reject };
      const queue = this.#queues.get(runId);
      if (queue !== undefined) {
        queue.push(waiting);
        return;
      }
      this.#queues.set(runId, [waiting]);
      void this.#write(runId);
    });
  }

  async #write(runId: string): Promise<void> {
    for (
      let queue = this.#queues.get(runId);
      queue !== undefined && queue.length > 0;
      queue = this.#queues.get(runId)
    ) {
      const batch = takeDistinct(queue);
      try {
        await recordVerdicts(
          this.db,
          runId,
          batch.map(({ verdict }) => verdict),
        );
        for (const { resolve } of batch) resolve();
      } catch (error) {
        for (const { reject } of batch) reject(error);
      }
    }
    this.#queues.delete(runId);
  }
}

/** Takes a batch off the queue's front; a criterion that is in it twice waits for the next one. */
function takeDistinct(queue: Waiting[]): Waiting[] {
  const seen = new Set<string>();
  const batch: Waiting[] = [];
  while (queue.length > 0 && batch.length < MAX_BATCH) {
    const { ordinal, criterionNo } = (queue[0] as Waiting).verdict;
    if (seen.has(`${ordinal}:${criterionNo}`)) break;
    seen.add(`${ordinal}:${criterionNo}`);
    batch.push(queue.shift() as Waiting);
  }
  return batch;
}

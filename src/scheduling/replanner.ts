import type { RunJob } from '../jobs.js';
import type { Database } from '../platform/database.js';
import type { Log } from '../platform/log.js';
import type { JobQueue } from '../platform/queue.js';
import { planAgain } from './planRun.job.js';

/** So many settled conversations, or so much time since the first of them, and their run is planned again. */
const SETTLED = 32;
const DELAY_MS = 250;

interface Pending {
  job: RunJob;
  settled: number;
  timer: NodeJS.Timeout;
}

/**
 * Plans a run again when some of its conversations are settled, not after each. What a crash makes it forget is
 * found by reconcile().
 */
export class Replanner {
  readonly #pending = new Map<string, Pending>();

  constructor(
    private readonly queue: JobQueue,
    /** Without a team: jobs name their own. */
    private readonly db: Database,
    private readonly log: Log,
  ) {}

  /** @param now do not gather: nothing is missing any more, or nobody else will ask */
  settled(job: RunJob, count: number, now = false): void {
    const { teamId, runId } = job;
    const pending = this.#pending.get(runId) ?? {
      job: { teamId, runId },
      settled: 0,
      timer: setTimeout(() => void this.#plan(runId), DELAY_MS),
    };
    this.#pending.set(runId, pending);
    pending.settled += count;
    if (now || pending.settled >= SETTLED) void this.#plan(runId);
  }

  async #plan(runId: string): Promise<void> {
    const pending = this.#pending.get(runId);
    if (pending === undefined) return;
    clearTimeout(pending.timer);
    this.#pending.delete(runId);
    await planAgain(this.queue, this.db, [pending.job]).catch((error) => {
      this.log.warn({ err: error, runId }, 'the run is planned again later');
    });
  }

  /** Plans what waits for it at once. */
  async close(): Promise<void> {
    await Promise.all([...this.#pending.keys()].map((runId) => this.#plan(runId)));
  }
}

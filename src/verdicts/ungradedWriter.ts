import type { Database } from '../platform/database.js';
import { GroupCommit } from '../platform/groupCommit.js';
import { type JobLease, type JobQueue, LeaseLost } from '../platform/queue.js';
import { writeOnce } from '../runs/writeOnce.js';
import { countGraderCalls, type NewUngraded, recordUngraded } from './recordUngraded.js';

const MAX_BATCH = 50;

type Held = NewUngraded & { lease: JobLease };

/** Notes criteria that ended without a verdict, in batches by run: one by one they would wait for the log. */
export class UngradedWriter {
  readonly #commit: GroupCommit<Held>;
  readonly #lost = new WeakSet<Held>();

  constructor(
    private readonly db: Database,
    private readonly queue: Pick<JobQueue, 'held'>,
  ) {
    this.#commit = new GroupCommit(
      MAX_BATCH,
      ({ ordinal, criterionNo }) => `${ordinal}:${criterionNo}`,
      (_runId, items) => this.#write(items),
    );
  }

  /**
   * Resolves when the note is stored. Only while the lease holds: another worker that has taken over may be about to
   * get the verdict. The calls are counted in any case. Throws LeaseLost.
   */
  async note(ungraded: NewUngraded, lease: JobLease): Promise<void> {
    const item = { ...ungraded, lease };
    await this.#commit.add(ungraded.runId, item);
    if (this.#lost.has(item)) throw new LeaseLost();
  }

  async #write(items: Held[]): Promise<void> {
    const [first] = items;
    if (first === undefined) return;
    await writeOnce(this.db, first, async (tx) => {
      const leases = await this.queue.held(
        tx,
        items.map(({ lease }) => lease),
      );
      const lost = items.filter(({ lease }) => !leases.has(lease));
      for (const item of lost) this.#lost.add(item);
      await countGraderCalls(tx, items);
      await recordUngraded(
        tx,
        first.runId,
        items.filter(({ lease }) => leases.has(lease)),
      );
    });
  }
}

import type { Database } from '../platform/database.js';
import { GroupCommit } from '../platform/groupCommit.js';
import { type NewVerdict, recordVerdicts } from './recordVerdicts.js';

const MAX_BATCH = 200;

/** Writes verdicts in batches by run: a crash loses no more than the calls in flight. */
export class VerdictWriter {
  readonly #commit: GroupCommit<NewVerdict>;

  constructor(db: Database) {
    this.#commit = new GroupCommit(
      MAX_BATCH,
      ({ ordinal, criterionNo }) => `${ordinal}:${criterionNo}`,
      (runId, verdicts) => recordVerdicts(db, runId, verdicts),
    );
  }

  /** Resolves when the verdict is committed (or was in the log already). */
  record(runId: string, verdict: NewVerdict): Promise<void> {
    return this.#commit.add(runId, verdict);
  }
}

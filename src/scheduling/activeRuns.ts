import type { Database, RunStatus } from '../platform/database.js';
import type { Log } from '../platform/log.js';
import type { WakeUps } from '../platform/wakeUps.js';
import { runStatusKey } from '../runs/runStatus.js';

const POLL_MS = 1_000;

interface ActiveRun {
  /** Fires when no new call may start: the run is no longer RUNNING. */
  stop: AbortController;
  /** Fires when calls in flight must end as well: the run is cancelled. */
  abort: AbortController;
  jobs: number;
  leave: () => void;
}

export interface RunSignals {
  stop: AbortSignal;
  abort: AbortSignal;
}

/** The runs that this process works on, and what to tell their jobs when a run is paused or cancelled. */
export class ActiveRuns {
  readonly #runs = new Map<string, ActiveRun>();
  readonly #timer: NodeJS.Timeout;

  /** @param db without a team: a worker has runs of many */
  constructor(
    private readonly db: Database,
    private readonly wakeUps: WakeUps,
    private readonly log: Log,
  ) {
    // A lost hint costs a second.
    this.#timer = setInterval(() => this.#check([...this.#runs.keys()]), POLL_MS);
    this.#timer.unref();
  }

  /** Runs `job` with signals that follow the run's status. */
  async during<T>(runId: string, job: (signals: RunSignals) => Promise<T>): Promise<T> {
    const run = this.#runs.get(runId) ?? this.#enter(runId);
    run.jobs += 1;
    try {
      return await job({ stop: run.stop.signal, abort: run.abort.signal });
    } finally {
      run.jobs -= 1;
      if (run.jobs === 0) {
        run.leave();
        this.#runs.delete(runId);
      }
    }
  }

  #enter(runId: string): ActiveRun {
    const leave = this.wakeUps.on(runStatusKey(runId), () => this.#check([runId]));
    const run = { stop: new AbortController(), abort: new AbortController(), jobs: 0, leave };
    this.#runs.set(runId, run);
    return run;
  }

  readonly #checking = new Set<string>();

  #check(runIds: string[]): void {
    const ids = runIds.filter((id) => !this.#checking.has(id));
    if (ids.length === 0) return;
    for (const id of ids) this.#checking.add(id);
    this.db.$queryRaw<{ id: string; status: RunStatus }[]>`
      SELECT id, status::text FROM assay_run_statuses(${ids}::uuid[])`
      .then((rows) => {
        for (const row of rows) this.#tell(row.id, row.status);
      })
      .catch((error) => this.log.warn({ err: error }, 'the status of runs cannot be read; trying again'))
      .finally(() => {
        for (const id of ids) this.#checking.delete(id);
      });
  }

  #tell(runId: string, status: RunStatus): void {
    const run = this.#runs.get(runId);
    if (run === undefined) return;
    if (status === 'RUNNING') {
      // Resumed while calls of before the pause are still in flight: their signals stay, new jobs get new ones.
      if (run.stop.signal.aborted && !run.abort.signal.aborted) run.stop = new AbortController();
      return;
    }
    run.stop.abort(new Error(`the run is ${status}`));
    if (status === 'CANCELLED') run.abort.abort(new Error('the run is cancelled'));
  }

  close(): void {
    clearInterval(this.#timer);
  }
}

import type { Job } from 'pg-boss';
import type { Log } from './log.js';
import { type JobContract, type JobLease, type JobQueue, LEASE_SECONDS, LeaseLost, queueKey } from './queue.js';
import { WakeSignal } from './wakeSignal.js';
import type { WakeUps } from './wakeUps.js';

const POLL_MS = 500;
/** Jobs taken at once. */
const MAX_BATCH = 32;
/** Jobs that end within this time are replaced by one fetch. */
const GATHER_MS = 5;
const LEASE_MS = LEASE_SECONDS * 1000;

/** What a job may know of the worker that runs it. */
export interface JobContext {
  /** Begin nothing new: the process is stopping, or the lease is lost. */
  stop: AbortSignal;
  /** End what is in flight as well: the time to drain is over. */
  abort: AbortSignal;
  lease: JobLease;
  /** `groupSlots` may give more than when this job was taken. */
  takeMore(): void;
}

export interface JobHandler<T extends object> {
  /** Resolves to `unfinished` when something was left out because of `stop`: the job is handed back to others. */
  run(payload: T, context: JobContext): Promise<unknown>;
  /** The last attempt has failed. */
  giveUp?(payload: T, error: Error, lease: JobLease): Promise<void>;
  /** How many jobs of one group (see JobContract.group) this process should run at once; default: all. '': of a new one. */
  groupSlots?(group: string): number;
}

interface ActiveJob {
  job: Job<object>;
  stop: AbortController;
  abort: AbortController;
  /** ms of performance.now(): when the lease was last known to run. */
  renewedAt: number;
}

/**
 * Runs the jobs of one queue in this process, up to `slots` at once. A pump over pg-boss' fetch() and
 * complete() instead of its work(): that one sleeps between jobs, and took five times the CPU at the
 * same rate. Settling names the attempt, so a worker that wakes up after its lease settles nothing.
 */
export class JobWorker<T extends object> {
  readonly #active = new Map<string, ActiveJob>();
  readonly #groups = new Map<string, number>();
  #running = true;
  readonly #news = new WakeSignal();
  #loop: Promise<void>;
  #lease: NodeJS.Timeout;
  #leave: () => void;
  #done: Job<object>[] = [];
  #settling: Promise<void> | null = null;

  constructor(
    private readonly queue: JobQueue,
    private readonly contract: JobContract<T>,
    private readonly handler: JobHandler<T>,
    private readonly log: Log,
    wakeUps: WakeUps,
  ) {
    this.#leave = wakeUps.on(queueKey(contract.name), this.#news.wake);
    this.#lease = setInterval(() => void this.#renew(), LEASE_MS / 3);
    this.#loop = this.#pump();
  }

  async #pump(): Promise<void> {
    while (this.#running) {
      this.#news.clear();
      const batch = this.#batch();
      const jobs = batch > 0 ? await this.#fetch(batch) : [];
      for (const job of jobs) void this.#run(job);
      if (jobs.length === batch && batch > 0) continue;
      // Until a place is free, a job was sent, or the poll is due.
      await this.#news.wait(POLL_MS);
      if (this.#active.size > 0) await new Promise((resolve) => setTimeout(resolve, GATHER_MS));
    }
  }

  /** No more than what each group still has room for: the next jobs may all be of one, known or new. */
  #batch(): number {
    const { groupSlots } = this.handler;
    const free = Math.min(this.contract.slots - this.#active.size, MAX_BATCH);
    if (groupSlots === undefined) return free;
    const room = [...this.#groups].map(([group, jobs]) => groupSlots(group) - jobs).filter((slots) => slots > 0);
    return Math.min(free, groupSlots(''), ...room);
  }

  async #fetch(batchSize: number): Promise<Job<object>[]> {
    try {
      return await this.queue.boss.fetch<object>(this.contract.name, { batchSize, ...this.#fullGroups() });
    } catch (error) {
      this.log.warn({ err: error, queue: this.contract.name }, 'jobs cannot be fetched; trying again');
      return [];
    }
  }

  /** Groups of which this process has enough jobs: theirs wait, so that others need not wait behind them. */
  #fullGroups(): { ignoreGroups?: string[] } {
    const { groupSlots } = this.handler;
    if (groupSlots === undefined) return {};
    const full = [...this.#groups].filter(([group, jobs]) => jobs >= groupSlots(group)).map(([group]) => group);
    return full.length === 0 ? {} : { ignoreGroups: full };
  }

  async #run(job: Job<object>): Promise<void> {
    const [stop, abort] = [new AbortController(), new AbortController()];
    this.#active.set(job.id, { job, stop, abort, renewedAt: performance.now() });
    this.#count(job, 1);
    try {
      const payload = this.contract.payload.parse(job.data);
      const context = { stop: stop.signal, abort: abort.signal, lease: this.#leaseOf(job), takeMore: this.#news.wake };
      const end = await this.handler.run(payload, context);
      if (end === 'unfinished' && stop.signal.aborted) await this.#handBack(job);
      else await this.#complete(job);
    } catch (error) {
      await this.#failed(job, error as Error);
    } finally {
      this.#active.delete(job.id);
      this.#count(job, -1);
      this.#news.wake();
    }
  }

  #count(job: Job<object>, change: 1 | -1): void {
    const group = job.groupId;
    if (group == null) return;
    const jobs = (this.#groups.get(group) ?? 0) + change;
    if (jobs > 0) this.#groups.set(group, jobs);
    else this.#groups.delete(group);
  }

  #leaseOf(job: Job<object>): JobLease {
    return { queue: this.contract.name, id: job.id, attempt: job.retryCount };
  }

  async #failed(job: Job<object>, error: Error): Promise<void> {
    if (!this.#running) return this.#handBack(job);
    if (error instanceof LeaseLost) return this.log.warn({ queue: this.contract.name, job: job.data }, error.message);
    const last = job.retryCount >= this.contract.retryLimit;
    this.log.error({ err: error, queue: this.contract.name, job: job.data, last }, 'job failed');
    try {
      if (last) await this.handler.giveUp?.(this.contract.payload.parse(job.data), error, this.#leaseOf(job));
      await this.queue.boss.fail(this.contract.name, attempt(job), { message: error.message });
    } catch (second) {
      // The lease runs out and another worker takes over.
      this.log.error({ err: second, queue: this.contract.name }, 'job cannot be settled');
    }
  }

  /** Completions of one moment go in one statement. */
  async #complete(job: Job<object>): Promise<void> {
    this.#done.push(job);
    this.#settling ??= (async () => {
      await new Promise((resolve) => setTimeout(resolve, GATHER_MS));
      const jobs = this.#done;
      this.#done = [];
      this.#settling = null;
      await this.queue.boss.complete(this.contract.name, jobs.map(attempt));
    })();
    await this.#settling;
  }

  async #renew(): Promise<void> {
    const now = performance.now();
    const active = [...this.#active.values()];
    // This process was paused for longer than its leases: others may be at work on these jobs.
    for (const { renewedAt, stop } of active) if (now - renewedAt > LEASE_MS) stop.abort(new Error('lease lost'));
    const held = active.filter(({ stop }) => !this.#running || !stop.signal.aborted);
    if (held.length === 0) return;
    try {
      const jobs = held.map(({ job }) => job);
      const kept = await this.queue.renew(this.contract.name, jobs.map(attempt));
      for (const entry of held) {
        if (kept.has(entry.job.id)) entry.renewedAt = now;
        else if (this.#active.has(entry.job.id)) entry.stop.abort(new Error('lease lost'));
      }
    } catch (error) {
      this.log.warn({ err: error, queue: this.contract.name }, 'leases cannot be renewed');
    }
  }

  async #handBack(job: Job<object>): Promise<void> {
    await this.queue.handBack(this.contract.name, attempt(job)).catch((error) => {
      this.log.warn({ err: error, queue: this.contract.name }, 'job cannot be handed back; its lease runs out');
    });
  }

  /** Takes nothing new and waits for what is in flight; after `graceMs` that is aborted. Hands the rest back. */
  async stop(graceMs: number): Promise<void> {
    this.#running = false;
    this.#leave();
    this.#news.wake();
    await this.#loop;
    for (const { stop } of this.#active.values()) stop.abort(new Error('worker stopped'));
    const deadline = setTimeout(() => {
      for (const { abort } of this.#active.values()) abort.abort(new Error('worker stopped'));
    }, graceMs);
    while (this.#active.size > 0) await new Promise((resolve) => setTimeout(resolve, 10));
    clearTimeout(deadline);
    clearInterval(this.#lease);
  }
}

const attempt = (job: Job<object>) => ({ id: job.id, retryCount: job.retryCount });

import type { JobWithMetadata } from 'pg-boss';
import type { Log } from './log.js';
import { type JobContract, type JobQueue, LEASE_SECONDS } from './queue.js';

const POLL_MS = 500;

export interface JobHandler<T extends object> {
  /** `signal` fires when the worker gives the job up: its lease is lost or the process is stopping. */
  run(payload: T, signal: AbortSignal): Promise<void>;
  /** The last attempt has failed. */
  giveUp?(payload: T, error: Error): Promise<void>;
}

interface ActiveJob {
  job: JobWithMetadata<object>;
  controller: AbortController;
}

/**
 * Runs the jobs of one queue in this process, up to `slots` at once. A pump over pg-boss' fetch() and
 * complete() instead of its work(): that one sleeps between jobs, and took five times the CPU at the
 * same rate. Settling names the attempt, so a worker that wakes up after its lease settles nothing.
 */
export class JobWorker<T extends object> {
  readonly #active = new Map<string, ActiveJob>();
  #running = true;
  #wake: () => void = () => {};
  #woken = false;
  #loop: Promise<void>;
  #lease: NodeJS.Timeout;
  #done: JobWithMetadata<object>[] = [];
  #settling: Promise<void> | null = null;

  constructor(
    private readonly queue: JobQueue,
    private readonly contract: JobContract<T>,
    private readonly handler: JobHandler<T>,
    private readonly log: Log,
  ) {
    queue.onSend(contract.name, () => this.#poke());
    this.#lease = setInterval(() => void this.#renew(), (LEASE_SECONDS * 1000) / 3);
    this.#loop = this.#pump();
  }

  #poke(): void {
    this.#woken = true;
    this.#wake();
  }

  async #pump(): Promise<void> {
    while (this.#running) {
      this.#woken = false;
      const free = this.contract.slots - this.#active.size;
      const jobs = free > 0 ? await this.#fetch(free) : [];
      for (const job of jobs) void this.#run(job);
      if (jobs.length === free && free > 0) continue;
      if (!this.#woken) await this.#pause();
    }
  }

  async #fetch(batchSize: number): Promise<JobWithMetadata<object>[]> {
    try {
      return await this.queue.boss.fetch<object>(this.contract.name, { batchSize, includeMetadata: true });
    } catch (error) {
      this.log.warn({ err: error, queue: this.contract.name }, 'jobs cannot be fetched; trying again');
      return [];
    }
  }

  /** Until a slot is free, a job was sent in this process, or the poll is due. */
  #pause(): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, POLL_MS);
      this.#wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }

  async #run(job: JobWithMetadata<object>): Promise<void> {
    const controller = new AbortController();
    this.#active.set(job.id, { job, controller });
    try {
      const payload = this.contract.payload.parse(job.data);
      await this.handler.run(payload, controller.signal);
      await this.#complete(job);
    } catch (error) {
      await this.#failed(job, error as Error);
    } finally {
      this.#active.delete(job.id);
      this.#poke();
    }
  }

  async #failed(job: JobWithMetadata<object>, error: Error): Promise<void> {
    if (!this.#running) return this.#handBack(job);
    const last = job.retryCount >= job.retryLimit;
    this.log.error({ err: error, queue: this.contract.name, job: job.data, last }, 'job failed');
    try {
      if (last) await this.handler.giveUp?.(this.contract.payload.parse(job.data), error);
      await this.queue.boss.fail(this.contract.name, attempt(job), { message: error.message });
    } catch (second) {
      // The lease runs out and another worker takes over.
      this.log.error({ err: second, queue: this.contract.name }, 'job cannot be settled');
    }
  }

  /** Completions of one moment go in one statement. */
  async #complete(job: JobWithMetadata<object>): Promise<void> {
    this.#done.push(job);
    this.#settling ??= (async () => {
      await new Promise((resolve) => setImmediate(resolve));
      const jobs = this.#done;
      this.#done = [];
      this.#settling = null;
      await this.queue.boss.complete(this.contract.name, jobs.map(attempt));
    })();
    await this.#settling;
  }

  async #renew(): Promise<void> {
    const active = [...this.#active.values()];
    if (active.length === 0) return;
    await this.queue.boss
      .touch(
        this.contract.name,
        active.map(({ job }) => attempt(job)),
      )
      .catch((error) => this.log.warn({ err: error, queue: this.contract.name }, 'leases cannot be renewed'));
  }

  async #handBack(job: JobWithMetadata<object>): Promise<void> {
    await this.queue.boss.fail(this.contract.name, attempt(job), { message: 'worker stopped' }).catch(() => {});
  }

  /** Takes nothing new and waits for what runs; after `graceMs` it is aborted and handed back. */
  async stop(graceMs: number): Promise<void> {
    this.#running = false;
    this.#poke();
    await this.#loop;
    const deadline = setTimeout(() => {
      for (const { controller } of this.#active.values()) controller.abort(new Error('worker stopped'));
    }, graceMs);
    while (this.#active.size > 0) await new Promise((resolve) => setTimeout(resolve, 10));
    clearTimeout(deadline);
    clearInterval(this.#lease);
  }
}

const attempt = (job: JobWithMetadata<object>) => ({ id: job.id, retryCount: job.retryCount });

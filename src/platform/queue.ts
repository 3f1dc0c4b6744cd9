import { type Db, fromPrisma, PgBoss } from 'pg-boss';
import type { z } from 'zod';
import type { Queryable } from './database.js';

/** A kind of job. The payload is checked when it is sent and when it is run. */
export interface JobContract<T extends object> {
  name: string;
  payload: z.ZodType<T>;
  /** Two jobs with one key are one piece of work. */
  key: (payload: T) => string;
  /** `short`: at most one waits per key. `exclusive`: at most one waits or runs per key. */
  policy: 'short' | 'exclusive';
  /** Every kill and every deploy costs one, so well above what a job may meet. */
  retryLimit: number;
  /** How many a worker process runs at once. */
  slots: number;
}

export interface JobToSend<T extends object> {
  payload: T;
  /** Higher runs first; default 0. */
  priority?: number;
}

/** A silent worker loses its jobs after this time; each job is renewed three times as often. */
export const LEASE_SECONDS = 10;

/** Thin layer over pg-boss: jobs are sent inside the caller's transaction, and settled once per attempt. */
export class JobQueue {
  readonly boss: PgBoss;
  #wake = new Map<string, () => void>();

  /** @param onError told about failures of the queue's own maintenance */
  constructor(databaseUrl: string, onError: (error: Error) => void) {
    this.boss = new PgBoss({
      connectionString: databaseUrl,
      max: 6,
      application_name: 'assay queue',
      migrate: false,
      createSchema: false,
      schedule: false,
      // The service's role owns no index.
      reindex: false,
      // A lease is looked at this often; with the defaults a dead worker is noticed after a minute.
      superviseIntervalSeconds: 2,
      monitorIntervalSeconds: 2,
      openTelemetry: { enabled: false },
    });
    this.boss.on('error', onError);
  }

  async start(): Promise<void> {
    await this.boss.start();
  }

  /** Closes the connections; workers are stopped before, by their own handle. */
  async close(): Promise<void> {
    await this.boss.stop({ graceful: false, close: true });
  }

  /**
   * Adds jobs in the transaction of `tx`: they exist if and only if it commits. Jobs whose key is taken
   * are left out silently, which makes planning the same work twice harmless.
   */
  async send<T extends object>(tx: Queryable, job: JobContract<T>, jobs: JobToSend<T>[]): Promise<void> {
    if (jobs.length === 0) return;
    const inserts = jobs.map(({ payload, priority }) => ({
      data: job.payload.parse(payload),
      singletonKey: job.key(payload),
      priority: priority ?? 0,
    }));
    await this.boss.insert(job.name, inserts, { db: fromPrisma(tx) as Db });
    // Before the commit, so a worker in this process may look too early; it polls again soon.
    setTimeout(() => this.#wake.get(job.name)?.(), 2);
  }

  /** Called by the worker of `name` in this process, to be woken by `send`. */
  onSend(name: string, wake: () => void): void {
    this.#wake.set(name, wake);
  }
}

/**
 * Installs or updates the queue's tables and queues. Needs the right to create tables, so it runs with
 * the migrations, and no other process does it.
 */
export async function installQueue(databaseUrl: string, jobs: readonly JobContract<never>[]): Promise<void> {
  const boss = new PgBoss({ connectionString: databaseUrl, max: 2, supervise: false, schedule: false });
  boss.on('error', () => {});
  await boss.start();
  try {
    const existing = new Set((await boss.getQueues()).map((queue) => queue.name));
    for (const { name, policy, retryLimit } of jobs) {
      const options = {
        retryLimit,
        retryDelay: 1,
        retryBackoff: true,
        retryDelayMax: 30,
        heartbeatSeconds: LEASE_SECONDS,
        expireInSeconds: 24 * 3600 - 1,
        deleteAfterSeconds: 3600,
      };
      if (existing.has(name)) await boss.updateQueue(name, options);
      else await boss.createQueue(name, { policy, ...options });
    }
  } finally {
    await boss.stop({ graceful: false });
  }
}

import { type Db, fromPrisma, PgBoss } from 'pg-boss';
import type { z } from 'zod';
import type { Queryable } from './database.js';
import { wakeUp } from './wakeUps.js';

/** A kind of job. The payload is checked when it is sent and when it is run. */
export interface JobContract<T extends object> {
  name: string;
  payload: z.ZodType<T>;
  /** Two jobs with one key are one piece of work. */
  key: (payload: T) => string;
  /** Jobs of one group share what a process does at once (see JobHandler.groupSlots). */
  group?: (payload: T) => string;
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
  /** Not before; default: at once. */
  startAfter?: Date;
}

/** One attempt at a job, as it was fetched. */
export interface JobLease {
  queue: string;
  id: string;
  attempt: number;
}

/** Thrown where a worker wants to write after another one may have taken over. */
export class LeaseLost extends Error {
  constructor() {
    super('the lease of this job is lost');
  }
}

/** A silent worker loses its jobs after this time; each job is renewed three times as often. */
export const LEASE_SECONDS = 10;

/** The key under which workers of a queue are woken when jobs for it are committed, in whatever process. */
export const queueKey = (name: string): string => `queue:${name}`;

/** Thin layer over pg-boss: jobs are sent inside the caller's transaction, and settled once per attempt. */
export class JobQueue {
  readonly boss: PgBoss;

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
    const inserts = jobs.map(({ payload, priority, startAfter }) => ({
      data: job.payload.parse(payload),
      singletonKey: job.key(payload),
      ...(job.group === undefined ? {} : { group: { id: job.group(payload) } }),
      priority: priority ?? 0,
      ...(startAfter === undefined ? {} : { startAfter }),
    }));
    await this.boss.insert(job.name, inserts, { db: fromPrisma(tx) as Db });
    await wakeUp(tx, queueKey(job.name));
  }

  /** How many jobs whose payload has these fields are being run, in any process. */
  async running(db: Queryable, payload: Record<string, string>): Promise<number> {
    const rows = await db.$queryRaw<{ n: number }[]>`
      SELECT count(*)::int AS n FROM pgboss.job WHERE state = 'active' AND data @> ${JSON.stringify(payload)}::jsonb`;
    return rows[0]?.n ?? 0;
  }

  /** Renews leases; returns the ids of the jobs that are still held. */
  async renew(name: string, attempts: { id: string; retryCount: number }[]): Promise<Set<string>> {
    const { rows } = await this.boss.getDb().executeSql(
      `UPDATE pgboss.job SET heartbeat_on = now() WHERE name = $1 AND state = 'active'
       AND id = ANY($2::uuid[]) AND (id::text || ':' || retry_count) = ANY($3::text[]) RETURNING id`,
      [name, attempts.map(({ id }) => id), attempts.map(({ id, retryCount }) => `${id}:${retryCount}`)],
    );
    return new Set((rows as { id: string }[]).map(({ id }) => id));
  }

  /**
   * Gives a job back, to be run by others at once: pg-boss' fail() would make it wait. The next fetch counts as
   * another attempt, so that a settlement of this one that comes late is none.
   */
  async handBack(name: string, attempt: { id: string; retryCount: number }): Promise<void> {
    await this.boss.getDb().executeSql(
      `UPDATE pgboss.job SET state = 'retry', start_after = now(), heartbeat_on = NULL
       WHERE name = $1 AND id = $2::uuid AND retry_count = $3 AND state = 'active'`,
      [name, attempt.id, attempt.retryCount],
    );
  }

  /**
   * Those of these leases, all of one queue, whose attempts still hold their jobs; until the transaction of `tx` ends
   * nobody can take these over. For what a worker that has slept through its lease must not write.
   */
  async held(tx: Queryable, leases: readonly JobLease[]): Promise<Set<JobLease>> {
    const name = leases[0]?.queue ?? '';
    const rows = await tx.$queryRaw<{ attempt: string }[]>`
      SELECT id::text || ':' || retry_count AS attempt FROM pgboss.job
      WHERE name = ${name} AND id = ANY(${leases.map(({ id }) => id)}::uuid[]) AND state = 'active' FOR KEY SHARE`;
    const attempts = new Set(rows.map(({ attempt }) => attempt));
    return new Set(leases.filter(({ id, attempt }) => attempts.has(`${id}:${attempt}`)));
  }

  /** As held, for one lease. */
  async isHeld(tx: Queryable, lease: JobLease): Promise<boolean> {
    return (await this.held(tx, [lease])).has(lease);
  }

  /** As held, for one lease; throws LeaseLost when it is lost. */
  async assertHeld(tx: Queryable, lease: JobLease): Promise<void> {
    if (!(await this.isHeld(tx, lease))) throw new LeaseLost();
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
        // A job may meet several kills in a row, and is taken over within 30 s all the same.
        retryDelayMax: 5,
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

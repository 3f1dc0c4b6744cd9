import pg from 'pg';
import type { Queryable } from './database.js';

const CHANNEL = 'assay_wake_up';
const HEARTBEAT_MS = 5_000;

/**
 * Hints across processes that something has changed: LISTEN/NOTIFY on one connection of its own.
 * A hint may get lost (a broken connection, a pooler in between), so whoever waits for one also polls.
 */
export class WakeUps {
  readonly #url: string;
  readonly #listeners = new Map<string, Set<() => void>>();
  #client: pg.Client | null = null;
  #timer: NodeJS.Timeout | undefined;
  #closed = false;

  constructor(url: string) {
    this.#url = url;
  }

  /** Connects and keeps connected, with a heartbeat that finds half-open connections. */
  async start(): Promise<void> {
    await this.#connect();
    this.#timer = setInterval(() => void this.#beat(), HEARTBEAT_MS);
    this.#timer.unref();
  }

  /** Calls `wake` whenever `key` may have changed, and after every reconnection. Returns how to stop. */
  on(key: string, wake: () => void): () => void {
    const set = this.#listeners.get(key) ?? new Set();
    this.#listeners.set(key, set);
    set.add(wake);
    return () => {
      set.delete(wake);
      if (set.size === 0) this.#listeners.delete(key);
    };
  }

  async #connect(): Promise<void> {
    if (this.#closed) return;
    const client = new pg.Client({ connectionString: this.#url, keepAlive: true, application_name: 'assay wake-ups' });
    const lost = () => this.#lost(client);
    client.on('error', lost).on('end', lost);
    client.on('notification', ({ payload }) => {
      for (const wake of this.#listeners.get(payload ?? '') ?? []) wake();
    });
    this.#client = client;
    try {
      await client.connect();
      await client.query(`LISTEN ${CHANNEL}`);
      // What was missed meanwhile is unknown: everybody looks.
      for (const set of this.#listeners.values()) for (const wake of set) wake();
    } catch {
      this.#lost(client);
    }
  }

  #lost(client: pg.Client): void {
    if (this.#client !== client || this.#closed) return;
    this.#client = null;
    client.end().catch(() => {});
    setTimeout(() => void this.#connect(), 100).unref();
  }

  async #beat(): Promise<void> {
    const client = this.#client;
    if (client === null) return;
    const limit = new Promise((_, reject) => setTimeout(() => reject(new Error('no answer')), HEARTBEAT_MS).unref());
    await Promise.race([client.query('SELECT 1'), limit]).catch(() => this.#lost(client));
  }

  async close(): Promise<void> {
    this.#closed = true;
    clearInterval(this.#timer);
    await this.#client?.end().catch(() => {});
  }
}

/** Sends the hint when the surrounding transaction commits. */
export async function wakeUp(db: Queryable, key: string): Promise<void> {
  await db.$executeRaw`SELECT pg_notify(${CHANNEL}, ${key})`;
}

/** For statements that send the hint themselves: `pg_notify(WAKE_UP_CHANNEL, key)`. */
export const WAKE_UP_CHANNEL = CHANNEL;

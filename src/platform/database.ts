import { PrismaPg } from '@prisma/adapter-pg';
import type { SqlDriverAdapterFactory } from '@prisma/driver-adapter-utils';
import pg from 'pg';
import { Prisma, PrismaClient } from '../generated/prisma/client.js';
import { ScopedPool, type TransactionSetting } from './scopedPool.js';

export type {
  ApiKey,
  AuditEvent,
  Conversation,
  CriterionVerdict,
  Dataset,
  DatasetDownload,
  FailedCall,
  GraderTemplate,
  ModelEndpoint,
  Reply,
  RubricCriterion,
  Run,
  RunBudget,
  RunConversation,
  RunProgress,
  RunScore,
  RunStatusChange,
  RunTagScore,
  Team,
  UngradedCriterion,
  VerdictLog,
  Webhook,
  WebhookDelivery,
} from '../generated/prisma/client.js';
export {
  ActorKind,
  AuditOutcome,
  DatasetDownloadStatus,
  DatasetSource,
  Role,
  RunConversationStatus,
  RunStatus,
  WebhookDeliveryStatus,
  WebhookEvent,
} from '../generated/prisma/enums.js';
export type * from '../generated/prisma/models.js';
// The one importer of the generated client: everything else takes its types and enums from here.
export { Prisma };

export type Database = PrismaClient;
/** What runs inside or outside a transaction. */
export type Queryable = Prisma.TransactionClient;

export interface OpenDatabase {
  /** A client whose every statement and transaction runs under the setting. All clients share the connections. */
  client(setting: TransactionSetting): Database;
  /** Statements sent so far; tests count them to find N+1 queries. */
  statements(): number;
  close(): Promise<void>;
}

/** A statement that runs longer is cancelled; the longest that is meant freezes a million conversations. */
const STATEMENT_TIMEOUT_MS = 300_000;
/**
 * A transaction that waits for its client for longer is ended. The locks of a process that is paused or cut off would
 * else keep those who take over its work waiting; so this is no longer than a lease.
 */
const IDLE_TRANSACTION_TIMEOUT_MS = 10_000;
const TIMEOUTS = {
  statement_timeout: STATEMENT_TIMEOUT_MS,
  idle_in_transaction_session_timeout: IDLE_TRANSACTION_TIMEOUT_MS,
};

/**
 * Opens a pool of at most `maxConnections`, and Prisma clients over it.
 *
 * @param onError told about connections that break while idle; without a listener Node would end
 * @param proxied `url` leads through a proxy that gives a connection to another client after each transaction: nothing is
 *   kept on a connection, neither time-outs nor prepared statements
 */
export function openDatabase(
  url: string,
  maxConnections: number,
  onError: (error: Error) => void,
  proxied = false,
): OpenDatabase {
  let statements = 0;
  const pool = new pg.Pool({
    connectionString: url,
    max: maxConnections,
    keepAlive: true,
    ...(proxied ? {} : TIMEOUTS),
    // Statements go out without waiting for the answers to those before them.
    pipeline: true,
  } as pg.PoolConfig);
  pool.on('error', onError);
  // A connection killed right after connecting emits before the pool listens.
  pool.on('connect', (client) => client.on('error', onError));
  const names = new StatementNames();
  const always = proxied ? Object.entries(TIMEOUTS).map(([name, value]) => ({ name, value: String(value) })) : [];
  const adapter = new PrismaPg(pool, { statementNameGenerator: ({ sql }) => (proxied ? '' : names.of(sql)) }).connect();
  return {
    client(setting) {
      const scoped = new ScopedPool(pool, [setting, ...always], () => {
        statements += 1;
      });
      // Transactions are few statements each; the time-out is far above need and never a control.
      return new PrismaClient({
        adapter: scopedAdapter(adapter, scoped),
        transactionOptions: { maxWait: 30_000, timeout: 600_000 },
      });
    },
    statements: () => statements,
    close: () => pool.end(),
  };
}

/** The adapter with another pool under it. Its own factory would leave a listener on the pool for every client. */
function scopedAdapter(adapter: ReturnType<PrismaPg['connect']>, pool: ScopedPool): SqlDriverAdapterFactory {
  return {
    provider: 'postgres',
    adapterName: '@prisma/adapter-pg',
    async connect() {
      const base = await adapter;
      const own = { client: pool, dispose: async () => {} };
      return Object.assign(Object.create(Object.getPrototypeOf(base)), base, own);
    },
  };
}

/** Prepared statements by text: 0.64 → 0.34 ms for a small query. Bounded, since lists of values make new texts. */
class StatementNames {
  readonly #names = new Map<string, string>();

  of(sql: string): string {
    const known = this.#names.get(sql);
    if (known !== undefined) return known;
    if (this.#names.size >= 500) return '';
    const name = `assay_${this.#names.size}`;
    this.#names.set(sql, name);
    return name;
  }
}

/** Lets this transaction wait longer for its client: for an upload that may stall, but holds no lock that others need. */
export async function allowIdle(tx: Queryable, seconds: number): Promise<void> {
  await tx.$executeRaw`SELECT set_config('idle_in_transaction_session_timeout', ${`${seconds}s`}, true)`;
}

/**
 * Plans the statements of this transaction for any value and not for the one at hand: for one that fills tables with
 * rows which its own statements search. Statistics know nothing of them before the commit, so a plan for that value
 * takes them for one row and goes through all (2 ms a verdict for the foreign key alone, against 0.02).
 */
export async function planForAnyValue(tx: Queryable): Promise<void> {
  await tx.$executeRaw`SELECT set_config('plan_cache_mode', 'force_generic_plan', true)`;
}

/**
 * Has the statements of this connection planned anew when they come next: plans from when a table was empty read it from
 * end to end (179 s for 57,000 verdicts into new tables, against 15).
 */
export async function forgetPlans(tx: Queryable): Promise<void> {
  await tx.$executeRaw`DISCARD PLANS`;
}

/** Whether Postgres refused a text with a zero byte, which it can neither store nor compare with. */
export function isZeroByteRefusal(error: unknown): boolean {
  return error instanceof Error && /invalid byte sequence for encoding "UTF8": 0x00/.test(error.message);
}

/** True for a violation of a unique key, whatever layer reports it. */
export function isUniqueViolation(error: unknown): boolean {
  return hasCode(error, 'P2002', '23505');
}

/** True when Postgres ended a transaction because two waited for each other: done again, it may succeed. */
export function isDeadlock(error: unknown): boolean {
  return hasCode(error, 'P2034', '40P01');
}

/** Prisma and Postgres have codes of their own, and which one is where depends on how the statement was sent. */
function hasCode(error: unknown, prisma: string, postgres: string): boolean {
  const { code, meta, cause } = error as { code?: string; meta?: { code?: string }; cause?: { originalCode?: string } };
  return code === prisma || [code, meta?.code, cause?.originalCode].includes(postgres);
}

const lostConnection =
  /\b(08\d{3}|57P0\d|40001|40P01|P1001|P1002|P1008|P1017|P2024|P2034|ECONNRESET|ECONNREFUSED|EPIPE|ETIMEDOUT)\b|connection (terminated|closed|timeout)|closed the connection|ConnectionClosed|terminating connection|Client has encountered a connection error|not queryable/i;
const RECONNECT_MS = [50, 200, 500, 1_000, 2_000, 4_000];

/** True when the statement may not have reached the database, or its answer not us: it says nothing about the data. */
export function isConnectionLost(error: unknown): boolean {
  for (let at = error, depth = 0; typeof at === 'object' && at !== null && depth < 5; depth += 1) {
    const { code, message, originalCode, kind, cause, meta } = at as Record<string, unknown>;
    if (lostConnection.test([code, originalCode, kind, message, JSON.stringify(meta ?? '')].join(' '))) return true;
    at = cause;
  }
  return false;
}

/**
 * Does `write` again, for about eight seconds, when its connection breaks or it meets a deadlock. It must do no
 * harm twice: the first time may have succeeded without our hearing of it.
 */
export async function untilConnected<T>(write: () => Promise<T>): Promise<T> {
  for (const ms of RECONNECT_MS) {
    try {
      return await write();
    } catch (error) {
      if (!isConnectionLost(error)) throw error;
      await new Promise((resolve) => setTimeout(resolve, ms * (0.5 + Math.random())));
    }
  }
  return write();
}

import { PrismaPg } from '@prisma/adapter-pg';
import pg from 'pg';
import { Prisma, PrismaClient } from '../generated/prisma/client.js';

export type {
  ApiKey,
  Conversation,
  CriterionVerdict,
  Dataset,
  GraderTemplate,
  ModelEndpoint,
  Reply,
  RubricCriterion,
  Run,
  RunConversation,
  RunProgress,
  RunScore,
  RunTagScore,
  Team,
  UngradedCriterion,
  VerdictLog,
} from '../generated/prisma/client.js';
export { Role, RunConversationStatus, RunStatus } from '../generated/prisma/enums.js';
export type * from '../generated/prisma/models.js';
// The one importer of the generated client: everything else takes its types and enums from here.
export { Prisma };

export type Database = PrismaClient;
/** What runs inside or outside a transaction. */
export type Queryable = Prisma.TransactionClient;

export interface OpenDatabase {
  db: Database;
  /** Statements sent so far; tests count them to find N+1 queries. */
  statements(): number;
  close(): Promise<void>;
}

/**
 * Opens a pool of at most `maxConnections` and a Prisma client over it.
 *
 * @param onError told about connections that break while idle; without a listener Node would end
 */
export function openDatabase(url: string, maxConnections: number, onError: (error: Error) => void): OpenDatabase {
  let statements = 0;
  const pool = new pg.Pool({ connectionString: url, max: maxConnections, keepAlive: true });
  pool.on('error', onError);
  // A connection killed right after connecting emits before the pool listens.
  pool.on('connect', (client) => {
    client.on('error', onError);
    const query = client.query.bind(client) as (...args: unknown[]) => unknown;
    client.query = ((...args: unknown[]) => {
      statements += 1;
      return query(...args);
    }) as typeof client.query;
  });
  const names = new StatementNames();
  const adapter = new PrismaPg(pool, { statementNameGenerator: (query) => names.of(query.sql) });
  // Transactions are few statements each; the time-out is far above need and never a control.
  const db = new PrismaClient({ adapter, transactionOptions: { maxWait: 30_000, timeout: 600_000 } });
  return {
    db,
    statements: () => statements,
    async close() {
      await db.$disconnect();
      await pool.end();
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

/** True for a violation of a unique key, whatever layer reports it. */
export function isUniqueViolation(error: unknown): boolean {
  const { code, meta, cause } = error as { code?: string; meta?: { code?: string }; cause?: { originalCode?: string } };
  return code === 'P2002' || code === '23505' || meta?.code === '23505' || cause?.originalCode === '23505';
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

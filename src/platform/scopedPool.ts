import type pg from 'pg';

/** One setting of Postgres that holds for one transaction and no longer. */
export interface TransactionSetting {
  /** In the form `app.name`, or one of Postgres' own. */
  name: string;
  /** Letters, digits and dashes only. Empty: not set. */
  value: string;
}

/**
 * What stands in for a pg.Pool under one Prisma client: every statement runs in a transaction of its own that begins
 * with `settings`, and so does every transaction. Nothing is ever set on a connection, so nothing is left behind on one
 * after an error, an abort or behind a pooler. The statements of a query go out together: one round trip.
 */
export class ScopedPool {
  readonly #opening: string;

  /** @param onStatement called for every statement but those that frame others */
  constructor(
    private readonly pool: pg.Pool,
    settings: readonly TransactionSetting[],
    private readonly onStatement: () => void,
  ) {
    this.#opening = ['BEGIN', ...settings.map(setLocal)].join('; ');
  }

  /** One statement in a transaction of its own. Resolves when that is committed. */
  async query(statement: pg.QueryConfig): Promise<pg.QueryResult> {
    this.onStatement();
    const client = await this.pool.connect();
    const [opened, answer, ended] = await Promise.allSettled(this.#send(client, statement));
    release(client);
    // The first failure is the cause; what follows it only says that the transaction is aborted.
    for (const result of [opened, answer, ended]) if (result.status === 'rejected') throw result.reason;
    if (answer.status === 'rejected' || ended.status === 'rejected') throw new Error('unreachable');
    if (ended.value.command !== 'COMMIT') throw new Error('the statement was rolled back');
    return answer.value;
  }

  #send(client: pg.PoolClient, statement: pg.QueryConfig) {
    const { stream } = (client as unknown as { connection: { stream: { cork(): void; uncork(): void } } }).connection;
    stream.cork();
    try {
      return [client.query(this.#opening), client.query(statement), client.query('COMMIT')] as const;
    } finally {
      stream.uncork();
    }
  }

  /** A connection for a transaction: its BEGIN brings the setting along. */
  async connect(): Promise<ScopedClient> {
    return new ScopedClient(await this.pool.connect(), this.#opening, this.onStatement);
  }
}

function setLocal({ name, value }: TransactionSetting): string {
  // They become part of a statement: SET takes no parameters.
  if (!/^\w+(\.\w+)?$/.test(name) || !/^[\w-]*$/.test(value)) throw new Error('not a setting');
  return `SET LOCAL ${name} = '${value}'`;
}

/** As much of a pg.PoolClient as the adapter uses. */
class ScopedClient {
  constructor(
    private readonly client: pg.PoolClient,
    private readonly opening: string,
    private readonly onStatement: () => void,
  ) {}

  query(statement: pg.QueryConfig): Promise<unknown> {
    if (statement.text === 'BEGIN') return this.client.query(this.opening);
    this.onStatement();
    return this.client.query(statement);
  }

  on(event: 'error', listener: (error: Error) => void): void {
    this.client.on(event, listener);
  }

  removeListener(event: 'error', listener: (error: Error) => void): void {
    this.client.removeListener(event, listener);
  }

  release(): void {
    release(this.client);
  }
}

/** Back to the pool, or closed when it is not certain that its transaction is over. */
function release(client: pg.PoolClient): void {
  client.release(client.getTransactionStatus() !== 'I');
}

import { createHash } from 'node:crypto';
import { InvalidInput } from '../../errors.js';

export const DEFAULT_PAGE = 50;
export const MAX_PAGE = 200;

export interface PageRequest {
  first?: number | null;
  after?: string | null;
}

export interface Edge<T> {
  cursor: string;
  node: T;
}

export interface Connection<T> {
  edges: Edge<T>[];
  nodes: T[];
  pageInfo: { hasNextPage: boolean; hasPreviousPage: boolean; startCursor: string | null; endCursor: string | null };
  /** The total of all pages, counted only when it is asked for. */
  count: () => Promise<number>;
}

/** What a keyset cursor carries: the sort keys of its row, its id last. */
export type CursorKeys = (string | number | null)[];

/**
 * The page that was asked for. A cursor belongs to one filter and one order: used with another it
 * throws InvalidInput, as does a page outside 1..max.
 *
 * @param scope everything that decides which rows are listed and in which order
 */
export class Page {
  readonly first: number;
  readonly after: CursorKeys | null;
  readonly #hash: string;

  constructor(args: PageRequest, scope: unknown, max: number = MAX_PAGE) {
    this.first = args.first ?? Math.min(DEFAULT_PAGE, max);
    if (this.first < 1 || this.first > max) {
      throw new InvalidInput(`first must be between 1 and ${max}; ask for the next page with after.`, ['first']);
    }
    this.#hash = createHash('sha256').update(JSON.stringify(scope)).digest('base64url').slice(0, 10);
    this.after = args.after === undefined || args.after === null ? null : this.#decode(args.after);
  }

  /** One row more than the page, to know whether there is a next one. */
  get limit(): number {
    return this.first + 1;
  }

  encode(keys: CursorKeys): string {
    return Buffer.from(JSON.stringify([this.#hash, ...keys])).toString('base64url');
  }

  #decode(cursor: string): CursorKeys {
    try {
      const [hash, ...keys] = JSON.parse(Buffer.from(cursor, 'base64url').toString('utf8')) as CursorKeys;
      if (hash === this.#hash && keys.length > 0) return keys;
    } catch {
      // Falls through: a text that is no cursor gets the same answer as a cursor of another list.
    }
    throw new InvalidInput(
      'This cursor does not belong to this list with this filter and order: begin again without after.',
      ['after'],
    );
  }

  /** The connection of `rows`, of which there may be one more than the page. */
  connection<T>(rows: T[], keys: (row: T) => CursorKeys, count: () => Promise<number>): Connection<T> {
    const edges = rows.slice(0, this.first).map((row) => ({ cursor: this.encode(keys(row)), node: row }));
    return {
      edges,
      nodes: edges.map((edge) => edge.node),
      pageInfo: {
        hasNextPage: rows.length > this.first,
        hasPreviousPage: this.after !== null,
        startCursor: edges[0]?.cursor ?? null,
        endCursor: edges.at(-1)?.cursor ?? null,
      },
      count,
    };
  }
}

/** The same page with other nodes: rows are read by queries and shown by resolvers. */
export function mapConnection<R, T>(connection: Connection<R>, show: (row: R) => T): Connection<T> {
  const edges = connection.edges.map(({ cursor, node }) => ({ cursor, node: show(node) }));
  return { ...connection, edges, nodes: edges.map((edge) => edge.node) };
}

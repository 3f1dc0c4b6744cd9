import { validate } from 'uuid';
import type { Database, OpenDatabase } from '../platform/database.js';

/** What the policies of all tables read (migration row_level_security). */
const SETTING = 'app.team_id';
/** A client takes about a megabyte and some milliseconds at its first query. */
const MOST_CLIENTS = 100;

/**
 * The database as each team sees it: row-level security lets a client read and write the rows of its team and no
 * others, whatever the query says.
 *
 * One Prisma client per team, and not one client with an asynchronous context: Prisma merges the findUnique calls of
 * one tick into one statement per client, which would then run under the team of one of them.
 */
export class TeamDatabases {
  readonly #clients = new Map<string, Database>();

  constructor(
    private readonly database: Pick<OpenDatabase, 'client'>,
    private readonly most: number = MOST_CLIENTS,
  ) {}

  /** The team's client. The least recently asked for is forgotten when there are many; who holds it keeps it. */
  of(teamId: string): Database {
    if (!validate(teamId)) throw new Error('a team has a UUID');
    const client = this.#clients.get(teamId) ?? this.database.client({ name: SETTING, value: teamId });
    this.#clients.delete(teamId);
    this.#clients.set(teamId, client);
    const oldest = this.#clients.size > this.most ? this.#clients.keys().next().value : undefined;
    if (oldest !== undefined) this.#clients.delete(oldest);
    return client;
  }
}

/**
 * The database without a team: no row of any table is visible, only what the functions `assay_…` of the migration
 * row_level_security answer, and the queue.
 */
export function databaseWithoutTeam(database: Pick<OpenDatabase, 'client'>): Database {
  return database.client({ name: SETTING, value: '' });
}

import DataLoader from 'dataloader';
import { Forbidden, Unauthenticated } from '../errors.js';
import type { SourceFile } from '../healthbench/officialFiles.js';
import type { Database, DatasetSource, Queryable } from '../platform/database.js';
import type { Log } from '../platform/log.js';
import type { JobQueue } from '../platform/queue.js';
import type { SecretBox } from '../platform/secretBox.js';
import type { WakeUps } from '../platform/wakeUps.js';
import type { AccessRole } from './access.js';
import type { TeamDatabases } from './teamDatabase.js';

/** Where the official files are fetched from, and what they must be. */
export interface OfficialData {
  /** Ends with a slash; the file's name follows. */
  url: string;
  files: Readonly<Record<DatasetSource, SourceFile>>;
}

/** What the whole process shares. */
export interface Services {
  /** Without a team: sees no row of any. In a RequestContext it is the team's. */
  db: Database;
  teams: TeamDatabases;
  queue: JobQueue;
  wakeUps: WakeUps;
  secrets: SecretBox;
  official: OfficialData;
  /** Where the service is reached from outside, without a slash at the end; null: nobody has said. */
  publicUrl: string | null;
  log: Log;
}

/** Who asks: a key of a team, a person of it (who has no keyId), or the operator, who belongs to none. */
export interface Actor {
  role: AccessRole;
  teamId: string | null;
  keyId: string | null;
  keyName: string | null;
  /** When the key or the sign-in ends by itself; null: never. */
  expiresAt: Date | null;
  /** The credential is a link that somebody of the team has made. */
  viaLink?: true;
}

/** A change, as the audit log tells it. */
export interface Change {
  /** What was changed. */
  subject?: { type: string; key: string; name?: string | null } | null;
  /** More about it; never a secret or a text of a conversation. */
  details?: Record<string, string | number | boolean | null>;
  /** The team is erased, its log too: these counts of rows are what stays. */
  erased?: Record<string, number>;
}

/** Writes down a change of `teamId` in the transaction that makes it. */
export type RecordChange = (tx: Queryable, teamId: string, change: Change) => Promise<void>;

/** The context of one operation. The team comes from the credential and from nowhere else. */
export class RequestContext {
  // Not a #private field: Apollo hands resolvers a copy of the context.
  private readonly loaders = new Map<string, DataLoader<unknown, unknown>>();

  /** The process' services, with the database as the team of the credential sees it. */
  readonly services: Services;

  constructor(
    services: Services,
    readonly actor: Actor | null,
    readonly requestId: string,
    /** Where the request came from; null when that is unknown. */
    readonly address: string | null = null,
  ) {
    const teamId = actor?.teamId ?? null;
    this.services = teamId === null ? services : { ...services, db: services.teams.of(teamId) };
  }

  /**
   * For a mutation that opens its transactions itself: it calls this in the one that makes the change. Every other
   * mutation is written down without its help.
   */
  readonly recordChange: RecordChange = () => {
    throw new Error('only a mutation changes anything');
  };

  /** The same context, with the database or the recorder of one mutation. */
  with(parts: { db?: Database; recordChange?: RecordChange }): RequestContext {
    const { db = this.db, recordChange = this.recordChange } = parts;
    const own = { services: { ...this.services, db }, recordChange, loaders: new Map() };
    return Object.assign(Object.create(RequestContext.prototype), this, own);
  }

  /** Throws Unauthenticated without a credential, Forbidden for the operator. */
  get teamId(): string {
    if (this.actor === null) throw new Unauthenticated();
    if (this.actor.teamId === null) throw new Forbidden('The operator belongs to no team: use a key of the team.');
    return this.actor.teamId;
  }

  /** The database as this team sees it. */
  get db(): Database {
    return this.services.db;
  }

  /**
   * Keys asked for in one tick are answered by one call of `load`, which returns a map. Nothing is
   * cached: a subscription is one operation that lasts for hours, and its events must read fresh rows.
   */
  load<K, V>(name: string, key: K, load: (keys: readonly K[]) => Promise<Map<K, V>>): Promise<V | null> {
    let loader = this.loaders.get(name) as DataLoader<K, V | null> | undefined;
    if (loader === undefined) {
      const batch = async (keys: readonly K[]) => {
        const found = await load(keys);
        return keys.map((k) => found.get(k) ?? null);
      };
      loader = new DataLoader<K, V | null>(batch, { cache: false });
      this.loaders.set(name, loader as DataLoader<unknown, unknown>);
    }
    return loader.load(key);
  }
}

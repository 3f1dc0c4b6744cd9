import DataLoader from 'dataloader';
import { Forbidden, Unauthenticated } from '../errors.js';
import type { Database } from '../platform/database.js';
import type { Log } from '../platform/log.js';
import type { JobQueue } from '../platform/queue.js';
import type { SecretBox } from '../platform/secretBox.js';
import type { WakeUps } from '../platform/wakeUps.js';
import type { AccessRole } from './access.js';
import type { TeamDatabases } from './teamDatabase.js';

/** What the whole process shares. */
export interface Services {
  /** Without a team: sees no row of any. In a RequestContext it is the team's. */
  db: Database;
  teams: TeamDatabases;
  queue: JobQueue;
  wakeUps: WakeUps;
  secrets: SecretBox;
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
}

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
  ) {
    const teamId = actor?.teamId ?? null;
    this.services = teamId === null ? services : { ...services, db: services.teams.of(teamId) };
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

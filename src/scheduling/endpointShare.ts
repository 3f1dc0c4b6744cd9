import { randomUUID } from 'node:crypto';
import type { WakeUps } from '../platform/wakeUps.js';
import type { TeamDatabases } from '../tenancy/teamDatabase.js';

/** What a process wants of an endpoint's limits for the next seconds. */
export interface ShareAsk {
  teamId: string;
  endpointId: string;
  /** Calls that it has in flight or waiting; 0 gives everything back. */
  wanted: number;
  inFlight: number;
  /** Calls that it may begin, beyond what it still holds; negative gives back. Likewise tokens. */
  requests: number;
  tokens: number;
}

/** What it got, of the limits as they are now. */
export interface ShareGrant {
  /** Calls in flight, of the endpoint's maxConcurrency. */
  slots: number;
  maxConcurrency: number;
  /** Null: the endpoint has no such limit. */
  requests: number | null;
  tokens: number | null;
}

/** Where the shares of an endpoint are kept. */
export interface ShareSource {
  ask(ask: ShareAsk): Promise<ShareGrant>;
  /** Calls `look` when another process wants its part of the endpoint, or has given some back. */
  onChange(endpointId: string, look: () => void): () => void;
}

/** A share holds this long unless it is renewed; in the database a second longer, so that it ends here first. */
export const SHARE_MS = 5_000;
const SHARE_SECONDS_STORED = SHARE_MS / 1000 + 1;

/** The key of the wake-up that `lease_endpoint` sends. */
const shareKey = (endpointId: string): string => `endpoint:${endpointId}`;

/**
 * The limits of an endpoint hold over all processes together: each leases a share for a few seconds, by its
 * demand, through one statement (the function lease_endpoint, see its migration). A dead process' share ends.
 */
export class PostgresShares implements ShareSource {
  readonly #processId = randomUUID();

  constructor(
    private readonly teams: Pick<TeamDatabases, 'of'>,
    private readonly wakeUps: WakeUps,
  ) {}

  async ask({ teamId, endpointId, wanted, inFlight, requests, tokens }: ShareAsk): Promise<ShareGrant> {
    const rows = await this.teams.of(teamId).$queryRaw<ShareGrant[]>`
      SELECT slots, max_calls AS "maxConcurrency", requests, tokens FROM lease_endpoint(${teamId}::uuid,
        ${endpointId}::uuid, ${this.#processId}::uuid, ${SHARE_SECONDS_STORED}::float8, ${wanted}::int,
        ${inFlight}::int, ${requests}::float8, ${tokens}::float8)`;
    return rows[0] ?? { slots: 0, maxConcurrency: 0, requests: null, tokens: null };
  }

  onChange(endpointId: string, look: () => void): () => void {
    return this.wakeUps.on(shareKey(endpointId), look);
  }
}

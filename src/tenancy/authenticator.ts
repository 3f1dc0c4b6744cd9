import { timingSafeEqual } from 'node:crypto';
import type { Database, Role } from '../platform/database.js';
import { hashKey } from './apiKey.js';
import type { Actor } from './requestContext.js';
import type { SignIn } from './signIn.js';

interface LiveKey {
  id: string;
  teamId: string;
  name: string;
  role: Role;
  expiresAt: Date | null;
}

/** Turns credentials into actors; the same for both transports. */
export class Authenticator {
  /** @param db without a team: whose credential it is, is what is asked */
  constructor(
    private readonly db: Database,
    private readonly operatorToken: string | null,
    private readonly signIn: SignIn | null,
  ) {}

  /**
   * The actor of an `Authorization` header or of `connection_init`'s payload; null when it is missing, malformed,
   * unknown, revoked or expired, which callers answer alike.
   */
  async actorOf(authorization: string | undefined): Promise<Actor | null> {
    const secret = /^Bearer (\S{1,8192})$/i.exec(authorization ?? '')?.[1];
    if (secret === undefined) return null;
    if (this.operatorToken !== null && timingSafeEqual(hashKey(secret), hashKey(this.operatorToken))) {
      return { role: 'OPERATOR', teamId: null, keyId: null, keyName: 'operator', expiresAt: null };
    }
    // A JWT has three parts; a key has no dot.
    if (this.signIn !== null && secret.includes('.')) return this.signIn.actorOf(secret);
    const rows = await this.db.$queryRaw<LiveKey[]>`
      SELECT id, team_id AS "teamId", name, role::text, expires_at AS "expiresAt"
      FROM assay_authenticate(${hashKey(secret)})`;
    const key = rows[0];
    if (key === undefined) return null;
    return { role: key.role, teamId: key.teamId, keyId: key.id, keyName: key.name, expiresAt: key.expiresAt };
  }
}

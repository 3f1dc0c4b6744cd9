import { Unavailable } from '../errors.js';
import type { Database, Role } from '../platform/database.js';
import type { Log } from '../platform/log.js';
import { type TokenClaims, type TokenRules, TokenVerifier } from '../platform/tokenVerifier.js';
import type { Actor } from './requestContext.js';
import { roles } from './role.js';
import { findTeam } from './team.js';

export interface SignInConfig extends TokenRules {
  /** The claim that names the team, by name or id; dots lead into nested claims. */
  teamClaim: string;
  /** The claim that names the role, or a list of which the highest counts. */
  roleClaim: string;
  /** What the provider calls each role, for example `{ 'eval-admins': 'ADMIN' }`. */
  roles: Record<string, Role>;
}

/** People sign in with a token of an OpenID Connect provider, which also says their team and role. */
export class SignIn {
  readonly #verifier: TokenVerifier;

  /** @param db without a team */
  constructor(
    private readonly config: SignInConfig,
    private readonly db: Database,
    private readonly log: Log,
  ) {
    this.#verifier = new TokenVerifier(config);
  }

  /**
   * Null for a token that is not good, and for a good one without a known team and role. Throws Unavailable when the
   * provider's keys cannot be had: that the token is bad is not known then.
   */
  async actorOf(token: string): Promise<Actor | null> {
    const claims = await this.#verifier.verify(token).catch((error) => {
      this.log.warn({ err: error }, "the sign-in provider's keys cannot be had");
      throw new Unavailable('The sign-in provider cannot be reached now: try again in a moment, or use an API key.');
    });
    if (claims === null) return null;
    const team = claimOf(claims, this.config.teamClaim);
    const role = roleOf(claimOf(claims, this.config.roleClaim), this.config.roles);
    if (typeof team !== 'string' || role === null) return null;
    const teamId = await findTeam(this.db, team);
    if (teamId === null) return null;
    return { role, teamId, keyId: null, keyName: nameOf(claims), expiresAt: new Date(claims.exp * 1000) };
  }
}

/** The claim at a path such as `realm_access.roles`; a claim whose own name has dots is found as well. */
export function claimOf(claims: Record<string, unknown>, path: string): unknown {
  if (Object.hasOwn(claims, path)) return claims[path];
  let value: unknown = claims;
  for (const name of path.split('.')) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) return undefined;
    value = (value as Record<string, unknown>)[name];
  }
  return value;
}

/** The highest role that a claim names; null for none. */
export function roleOf(claim: unknown, names: Record<string, Role>): Role | null {
  const named = (Array.isArray(claim) ? claim : [claim]).flatMap((name) =>
    typeof name === 'string' && Object.hasOwn(names, name) ? [names[name] as Role] : [],
  );
  return roles.findLast((role) => named.includes(role)) ?? null;
}

function nameOf(claims: TokenClaims): string {
  const name = claims.email ?? claims.preferred_username ?? claims.sub;
  return typeof name === 'string' ? name.slice(0, 200) : 'signed in';
}

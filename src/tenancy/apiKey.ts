import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import { NotFound } from '../errors.js';
import type { ApiKey, Database, Queryable, Role } from '../platform/database.js';
import type { Actor } from './requestContext.js';

/** sha256 of a credential: keys have 192 random bits, so a slow hash would buy nothing. */
export const hashKey = (key: string): Uint8Array<ArrayBuffer> =>
  new Uint8Array(createHash('sha256').update(key).digest());

/**
 * Makes a key of the team. The secret is returned once and stored only as its hash.
 *
 * @param given take this secret instead of a random one
 */
export async function createApiKey(
  db: Queryable,
  input: { teamId: string; name: string; role: Role },
  given: string | null = null,
): Promise<{ apiKey: ApiKey; secret: string }> {
  const secret = given ?? `assay_${randomBytes(24).toString('base64url')}`;
  const apiKey = await db.apiKey.create({ data: { ...input, prefix: secret.slice(0, 10), hash: hashKey(secret) } });
  return { apiKey, secret };
}

/** Ends a key of the team at once. Throws NotFound when there is none (or it is another team's). */
export async function revokeApiKey(db: Queryable, teamId: string, id: string): Promise<ApiKey> {
  const rows = await db.apiKey.updateManyAndReturn({
    where: { id, teamId, revokedAt: null },
    data: { revokedAt: new Date() },
  });
  if (rows[0] === undefined) throw new NotFound('API key', ['apiKeyId']);
  return rows[0];
}

const LAST_USE_STEP_MS = 60_000;

/**
 * The actor of an `Authorization` header or of `connection_init`'s payload; null when it is missing,
 * malformed, unknown or revoked, which callers answer alike.
 */
export async function authenticate(
  db: Database,
  authorization: string | undefined,
  operatorToken: string | null,
): Promise<Actor | null> {
  const secret = /^Bearer (\S{1,512})$/i.exec(authorization ?? '')?.[1];
  if (secret === undefined) return null;
  if (operatorToken !== null && timingSafeEqual(hashKey(secret), hashKey(operatorToken))) {
    return { role: 'OPERATOR', teamId: null, keyId: null, keyName: 'operator' };
  }
  const key = await db.apiKey.findUnique({ where: { hash: hashKey(secret) } });
  if (key === null || key.revokedAt !== null) return null;
  if (Date.now() - (key.lastUsedAt?.getTime() ?? 0) > LAST_USE_STEP_MS) {
    await db.apiKey.update({ where: { id: key.id }, data: { lastUsedAt: new Date() } });
  }
  return { role: key.role, teamId: key.teamId, keyId: key.id, keyName: key.name };
}

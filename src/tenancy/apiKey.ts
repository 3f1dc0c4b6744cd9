import { createHash, randomBytes } from 'node:crypto';
import { Conflict, Forbidden, InvalidInput, NotFound } from '../errors.js';
import type { ApiKey, Database, Queryable, Role } from '../platform/database.js';
import { wakeUp } from '../platform/wakeUps.js';
import type { Actor } from './requestContext.js';
import { isAtLeast } from './role.js';

/** Whoever makes or changes a key can give no more than they have. */
export type Giver = Pick<Actor, 'role' | 'keyId' | 'expiresAt'>;

/** sha256 of a credential: keys have 192 random bits, so a slow hash would buy nothing. */
export const hashKey = (key: string): Uint8Array<ArrayBuffer> =>
  new Uint8Array(createHash('sha256').update(key).digest());

/** The key under which those who serve an API key's open sockets are woken when its rights change. */
export const apiKeyWakeKey = (id: string): string => `api-key:${id}`;

/**
 * Makes a key of the team. The secret is returned once and stored only as its hash.
 *
 * @param given take this secret instead of a random one
 */
export async function createApiKey(
  db: Queryable,
  input: { teamId: string; name: string; role: Role; expiresAt?: Date | null },
  given: string | null = null,
): Promise<{ apiKey: ApiKey; secret: string }> {
  const secret = given ?? `assay_${randomBytes(24).toString('base64url')}`;
  const apiKey = await db.apiKey.create({ data: { ...input, prefix: secret.slice(0, 10), hash: hashKey(secret) } });
  return { apiKey, secret };
}

/** `role`, or Forbidden when it is higher than the giver's. */
export function givenRole(giver: Giver, role: Role): Role {
  if (giver.role === 'OPERATOR' || !isAtLeast(giver.role, role)) {
    throw new Forbidden(`The role ${giver.role} cannot give the role ${role}.`);
  }
  return role;
}

/**
 * The expiry of a key that `giver` makes or changes; left out, it is that of the giver's key. Throws InvalidInput for
 * a time that has passed or that outlives the giver's key.
 */
export function givenExpiry(giver: Giver, wanted: Date | null | undefined): Date | null {
  // A person's sign-in lasts for minutes and says nothing about how long a key of theirs may live.
  const most = giver.keyId === null ? null : giver.expiresAt;
  const expiresAt = wanted ?? most;
  if (expiresAt !== null && expiresAt.getTime() <= Date.now()) {
    throw new InvalidInput('must be in the future.', ['expiresAt']);
  }
  if (expiresAt !== null && most !== null && expiresAt > most) {
    throw new InvalidInput(`must not be later than your own key's, ${most.toISOString()}.`, ['expiresAt']);
  }
  return expiresAt;
}

export interface KeyChange {
  name?: string;
  role?: Role;
  /** Null: it shall not end by itself. */
  expiresAt?: Date | null;
}

/**
 * Changes a live key; at once, for its open sockets too. Throws NotFound when there is none (or it is another team's),
 * Forbidden or InvalidInput when the giver has not as much, or Conflict when no admin key would be left.
 */
export function updateApiKey(
  db: Database,
  giver: Giver,
  key: { teamId: string; id: string },
  change: KeyChange,
): Promise<ApiKey> {
  return changeKey(db, giver, key, {
    ...(change.name === undefined ? {} : { name: change.name }),
    ...(change.role === undefined ? {} : { role: givenRole(giver, change.role) }),
    ...(change.expiresAt === undefined ? {} : { expiresAt: givenExpiry(giver, change.expiresAt) }),
  });
}

/** Ends a key of the team at once, its open sockets too. Throws as updateApiKey. */
export function revokeApiKey(db: Database, giver: Giver, key: { teamId: string; id: string }): Promise<ApiKey> {
  return changeKey(db, giver, key, { revokedAt: new Date() });
}

type KeyData = Partial<Pick<ApiKey, 'name' | 'role' | 'expiresAt' | 'revokedAt'>>;

function changeKey(
  db: Database,
  giver: Giver,
  { teamId, id }: { teamId: string; id: string },
  data: KeyData,
): Promise<ApiKey> {
  return db.$transaction(async (tx) => {
    // One at a time in a team, else two admins could end each other's keys and leave none.
    await tx.$queryRaw`SELECT 1 FROM team WHERE id = ${teamId}::uuid FOR UPDATE`;
    const present = await tx.apiKey.findFirst({ where: { id, teamId, revokedAt: null } });
    if (present === null) throw new NotFound('API key', ['apiKeyId']);
    const changed = await tx.apiKey.update({ where: { id }, data });
    // A person who signs in as an admin can always make another key.
    if (giver.keyId !== null && present.role === 'ADMIN') await requireAdminKey(tx, teamId);
    await wakeUp(tx, apiKeyWakeKey(id));
    return changed;
  });
}

async function requireAdminKey(tx: Queryable, teamId: string): Promise<void> {
  const expiry = { OR: [{ expiresAt: null }, { expiresAt: { gt: new Date() } }] };
  const left = await tx.apiKey.count({ where: { teamId, role: 'ADMIN', revokedAt: null, ...expiry } });
  if (left === 0) throw new Conflict('This is the last admin key of the team: make another one first.', ['apiKeyId']);
}

import { Conflict } from '../errors.js';
import { type Database, isUniqueViolation, type Team } from '../platform/database.js';
import { createApiKey } from './apiKey.js';

/**
 * Makes a team and its first key, an ADMIN one, whose secret is returned once.
 * Throws Conflict when the name is taken.
 */
export async function createTeam(
  db: Database,
  name: string,
  givenSecret: string | null = null,
): Promise<{ team: Team; secret: string }> {
  try {
    return await db.$transaction(async (tx) => {
      const team = await tx.team.create({ data: { name } });
      const { secret } = await createApiKey(tx, { teamId: team.id, name: 'admin', role: 'ADMIN' }, givenSecret);
      return { team, secret };
    });
  } catch (error) {
    if (isUniqueViolation(error)) throw new Conflict('There is a team of this name already.', ['name']);
    throw error;
  }
}

/** Makes the team `default` if there is no team at all; null when there is one. */
export async function bootstrap(
  db: Database,
  givenSecret: string | null,
): Promise<{ team: Team; secret: string } | null> {
  if ((await db.team.count()) > 0) return null;
  try {
    return await createTeam(db, 'default', givenSecret);
  } catch (error) {
    if (error instanceof Conflict) return null; // Another process was quicker.
    throw error;
  }
}

import { v7 as uuidv7 } from 'uuid';
import { Conflict } from '../errors.js';
import { isUniqueViolation, type Team } from '../platform/database.js';
import { createApiKey } from './apiKey.js';
import { countAll } from './installation.js';
import type { Services } from './requestContext.js';

/**
 * Makes a team and its first key, an ADMIN one, whose secret is returned once.
 * Throws Conflict when the name is taken.
 */
export async function createTeam(
  services: Pick<Services, 'teams'>,
  name: string,
  givenSecret: string | null = null,
): Promise<{ team: Team; secret: string }> {
  // The row of a team can be written by that team alone, so its id comes first.
  const id = uuidv7();
  try {
    return await services.teams.of(id).$transaction(async (tx) => {
      const team = await tx.team.create({ data: { id, name } });
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
  services: Pick<Services, 'db' | 'teams'>,
  givenSecret: string | null,
): Promise<{ team: Team; secret: string } | null> {
  if ((await countAll(services.db)).teams > 0) return null;
  try {
    return await createTeam(services, 'default', givenSecret);
  } catch (error) {
    if (error instanceof Conflict) return null; // Another process was quicker.
    throw error;
  }
}

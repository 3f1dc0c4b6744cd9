import { v7 as uuidv7 } from 'uuid';
import { Conflict, InvalidInput, NotFound } from '../errors.js';
import { type Database, isUniqueViolation, type Queryable, type Team } from '../platform/database.js';
import { createApiKey } from './apiKey.js';
import { countAll } from './installation.js';
import type { Services } from './requestContext.js';

/**
 * Makes a team and its first key, an ADMIN one, whose secret is returned once.
 * Throws Conflict when the name is taken.
 *
 * @param record called in the transaction that makes the team
 */
export async function createTeam(
  services: Pick<Services, 'teams'>,
  name: string,
  givenSecret: string | null = null,
  record: (tx: Queryable, team: Team) => Promise<void> = async () => {},
): Promise<{ team: Team; secret: string }> {
  // The row of a team can be written by that team alone, so its id comes first.
  const id = uuidv7();
  try {
    return await services.teams.of(id).$transaction(async (tx) => {
      const team = await tx.team.create({ data: { id, name } });
      const { secret } = await createApiKey(tx, { teamId: team.id, name: 'admin', role: 'ADMIN' }, givenSecret);
      await record(tx, team);
      return { team, secret };
    });
  } catch (error) {
    if (isUniqueViolation(error))
      throw new Conflict('There is a team of this name already: choose another name.', ['name']);
    throw error;
  }
}

/** The id of the team with this id or name; null when there is none. */
export async function findTeam(db: Database, idOrName: string): Promise<string | null> {
  const rows = await db.$queryRaw<{ id: string | null }[]>`SELECT assay_find_team(${idOrName}) AS id`;
  return rows[0]?.id ?? null;
}

/**
 * Limits the calls that a team has in flight at all its endpoints together; null takes the limit away.
 * Throws InvalidInput and NotFound.
 *
 * @param record called in the transaction that changes the team
 */
export async function limitTeam(
  { db, teams }: Pick<Services, 'db' | 'teams'>,
  name: string,
  maxConcurrency: number | null,
  record: (tx: Queryable, team: Team) => Promise<void>,
): Promise<Team> {
  if (maxConcurrency !== null && maxConcurrency < 1) throw new InvalidInput('must be at least 1.', ['maxConcurrency']);
  const id = await findTeam(db, name);
  if (id === null) throw new NotFound('Team', ['name']);
  return teams.of(id).$transaction(async (tx) => {
    // The search takes an id for a name.
    const [team] = await tx.team.updateManyAndReturn({ where: { id, name }, data: { maxConcurrency } });
    if (team === undefined) throw new NotFound('Team', ['name']);
    await record(tx, team);
    return team;
  });
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

import type { Services } from '../tenancy/requestContext.js';
import { openEndpointKey, sealEndpointKey } from './modelEndpoint.js';

const BATCH = 100;
const FIRST = '00000000-0000-0000-0000-000000000000';

/**
 * Seals every provider key that an earlier secret key sealed with the present one, so that the earlier can go. One that
 * cannot be opened stays as it is, and is counted. Several processes may do this at once.
 */
export async function resealEndpointKeys(
  services: Pick<Services, 'db' | 'teams' | 'secrets' | 'log'>,
): Promise<{ resealed: number; lost: number }> {
  const { db, secrets, log } = services;
  const counts = { resealed: 0, lost: 0 };
  for (let after = FIRST; ; ) {
    const stale = await db.$queryRaw<{ id: string; teamId: string }[]>`
      SELECT id, team_id AS "teamId" FROM assay_stale_secrets(${secrets.keyId}, ${after}::uuid, ${BATCH})`;
    for (const { id, teamId } of stale) counts[await reseal(services, teamId, id)] += 1;
    const last = stale.at(-1);
    if (last === undefined) break;
    after = last.id;
  }
  if (counts.resealed > 0) log.info(counts, 'provider keys were sealed with the present secret key');
  if (counts.lost > 0) log.warn(counts, 'provider keys were sealed with a secret key that is not configured any more');
  return counts;
}

async function reseal(
  { teams, secrets }: Pick<Services, 'teams' | 'secrets'>,
  teamId: string,
  id: string,
): Promise<'resealed' | 'lost'> {
  const db = teams.of(teamId);
  const endpoint = await db.modelEndpoint.findUniqueOrThrow({ where: { teamId_id: { teamId, id } } });
  const { baseUrl, secretKeyId } = endpoint;
  let key: string | null;
  try {
    key = openEndpointKey(secrets, endpoint);
  } catch {
    return 'lost';
  }
  // A key that was changed meanwhile is sealed anew already.
  await db.modelEndpoint.updateMany({
    where: { id, teamId, baseUrl, secretKeyId },
    data: sealEndpointKey(secrets, key, baseUrl),
  });
  return 'resealed';
}

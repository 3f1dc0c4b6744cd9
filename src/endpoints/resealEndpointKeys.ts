import type { Services } from '../tenancy/requestContext.js';
import { type Resealed, resealSecrets } from '../tenancy/resealSecrets.js';
import { openEndpointKey, sealEndpointKey } from './modelEndpoint.js';

/** Seals the provider keys of all teams with the present secret key (see resealSecrets). */
export function resealEndpointKeys(services: Pick<Services, 'db' | 'teams' | 'secrets' | 'log'>): Promise<Resealed> {
  const { secrets } = services;
  return resealSecrets(services, {
    name: 'provider keys',
    stale: (db, after, most) => db.$queryRaw`
      SELECT id, team_id AS "teamId" FROM assay_stale_secrets(${secrets.keyId}, ${after}::uuid, ${most}::int)`,
    async reseal(db, { id, teamId }) {
      const endpoint = await db.modelEndpoint.findUniqueOrThrow({ where: { teamId_id: { teamId, id } } });
      const { baseUrl, secretKeyId } = endpoint;
      let key: string | null;
      try {
        key = openEndpointKey(secrets, endpoint);
      } catch {
        return false;
      }
      // A key that was changed meanwhile is sealed anew already.
      await db.modelEndpoint.updateMany({
        where: { id, teamId, baseUrl, secretKeyId },
        data: sealEndpointKey(secrets, key, baseUrl),
      });
      return true;
    },
  });
}

import type { Services } from '../tenancy/requestContext.js';
import { type Resealed, resealSecrets } from '../tenancy/resealSecrets.js';
import { openSecrets, sealSecrets } from './webhookSecrets.js';

/** Seals the signing secrets of all teams with the present secret key (see resealSecrets). */
export function resealWebhookSecrets(services: Pick<Services, 'db' | 'teams' | 'secrets' | 'log'>): Promise<Resealed> {
  const { secrets } = services;
  return resealSecrets(services, {
    name: 'signing secrets of webhooks',
    stale: (db, after, most) => db.$queryRaw`
      SELECT id, team_id AS "teamId" FROM assay_stale_webhooks(${secrets.keyId}, ${after}::uuid, ${most}::int)`,
    async reseal(db, { id, teamId }) {
      const webhook = await db.webhook.findUniqueOrThrow({ where: { teamId_id: { teamId, id } } });
      const { secretKeyId, previousSecretExpiresAt } = webhook;
      let list: string[];
      try {
        list = openSecrets(secrets, webhook, new Date());
      } catch {
        return false;
      }
      // Secrets that were rotated meanwhile are sealed anew already.
      await db.webhook.updateMany({
        where: { id, teamId, secretKeyId, previousSecretExpiresAt },
        data: sealSecrets(secrets, id, list),
      });
      return true;
    },
  });
}

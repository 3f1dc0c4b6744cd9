import { randomBytes } from 'node:crypto';
import { Webhook as Signer } from 'standardwebhooks';
import type { Webhook } from '../platform/database.js';
import type { SecretBox } from '../platform/secretBox.js';

/** How long the secret before signs as well after a rotation. */
export const OVERLAP_HOURS = 24;

/** A new signing secret, as the Standard Webhooks specification writes one: 192 random bits. */
export const newSecret = (): string => `whsec_${randomBytes(24).toString('base64')}`;

/** How the secrets of a webhook are stored: sealed together, the present one first, with the present secret key. */
export function sealSecrets(secrets: SecretBox, webhookId: string, list: readonly string[]) {
  const sealed = secrets.seal(list.join(' '), bound(webhookId));
  return { secretsCiphertext: new Uint8Array(sealed), secretKeyId: secrets.keyId };
}

export type SealedSecrets = Pick<Webhook, 'id' | 'secretsCiphertext' | 'secretKeyId' | 'previousSecretExpiresAt'>;

/** The signing secrets that are good now, the present one first. Throws when the secret key that sealed them is gone. */
export function openSecrets(secrets: SecretBox, webhook: SealedSecrets, now: Date): string[] {
  const { id, secretsCiphertext, secretKeyId, previousSecretExpiresAt: until } = webhook;
  const list = secrets.open(secretsCiphertext, bound(id), secretKeyId).split(' ');
  return until !== null && until > now ? list : list.slice(0, 1);
}

const bound = (webhookId: string): string => `webhook ${webhookId}`;

/** The headers by which a receiver knows a message and whom it is from: one signature for each secret. */
export function signedHeaders(
  list: readonly string[],
  message: { id: string; at: Date; body: string },
): Record<string, string> {
  const { id, at, body } = message;
  return {
    'webhook-id': id,
    'webhook-timestamp': String(Math.floor(at.getTime() / 1000)),
    'webhook-signature': list.map((secret) => new Signer(secret).sign(id, at, body)).join(' '),
  };
}

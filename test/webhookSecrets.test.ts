import { randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { SecretBox } from '../src/platform/secretBox.js';
import { resealWebhookSecrets } from '../src/webhooks/resealWebhookSecrets.js';
import { openSecrets } from '../src/webhooks/webhookSecrets.js';
import { Assay, type Team } from './support/assay.js';
import { eventually } from './support/household.js';
import { Receiver } from './support/receiver.js';

describe('a webhook', () => {
  let assay: Assay;
  let receiver: Receiver;
  let team: Team;
  let webhookId: string;
  let secret: string;

  beforeAll(async () => {
    receiver = await Receiver.start();
    assay = await Assay.start();
  });
  afterAll(async () => {
    await assay.close();
    await receiver.close();
  });
  beforeEach(async () => {
    receiver.messages.length = 0;
    team = await assay.team();
    const made = await team.mutate('createWebhook', { name: 'ci', url: receiver.url }, 'webhook { id } secret');
    webhookId = made.webhook.id;
    secret = made.secret;
  });

  const told = (count = 1) => eventually(async () => receiver.messages.length >= count);

  it('shows its secret once, and keeps it sealed', async () => {
    expect(secret).toMatch(/^whsec_[A-Za-z0-9+/=]{32}$/);
    const rows = await assay.services.db.webhook.findMany();
    for (const row of rows)
      expect(Buffer.from(row.secretsCiphertext).toString('latin1')).not.toContain(secret.slice(6));
    const { errors } = await assay.graphql('{ webhooks { secret } }', {}, team.key);
    expect(errors?.[0]?.extensions.code).toBe('GRAPHQL_VALIDATION_FAILED');
  });

  it('is signed with both secrets for a day after a rotation, and with the new one then', async () => {
    const next = await team.mutate('rotateWebhookSecret', { webhookId }, 'secret webhook { previousSecretExpiresAt }');
    const day = Date.parse(next.webhook.previousSecretExpiresAt) - Date.now();
    expect(Math.round(day / 3_600_000)).toBe(24);
    await team.mutate('testWebhook', { webhookId }, 'delivery { id }');
    await told();
    for (const one of [secret, next.secret]) receiver.verified(receiver.messages[0] as never, one);
    await assay.services.db.webhook.updateMany({ data: { previousSecretExpiresAt: new Date() } });
    await team.mutate('testWebhook', { webhookId }, 'delivery { id }');
    await told(2);
    receiver.verified(receiver.messages[1] as never, next.secret);
    expect(() => receiver.verified(receiver.messages[1] as never, secret)).toThrow('No matching signature');
  });

  it('has its secrets sealed anew when the secret key is rotated, in every team; lost ones are left and counted', async () => {
    const { db } = assay.services;
    const rotated = await team.mutate('rotateWebhookSecret', { webhookId }, 'secret');
    const [key, count] = [randomBytes(32), await db.webhook.count()];
    const present = Buffer.from(await readFile(`${assay.dataDir}/secret.key`, 'utf8'), 'base64');
    const service = { ...assay.services, db: assay.serviceDb, secrets: new SecretBox(key, [present]) };
    expect(await resealWebhookSecrets(service)).toEqual({ resealed: count, lost: 0 });
    expect(await resealWebhookSecrets(service)).toEqual({ resealed: 0, lost: 0 });
    const row = await db.webhook.findFirstOrThrow({ orderBy: { id: 'desc' } });
    expect(openSecrets(new SecretBox(key), row, new Date())).toEqual([rotated.secret, secret]);
    const back = { ...service, secrets: assay.services.secrets };
    expect(await resealWebhookSecrets(back)).toEqual({ resealed: 0, lost: count });
    expect(await resealWebhookSecrets({ ...service, secrets: new SecretBox(present, [key]) })).toEqual({
      resealed: count,
      lost: 0,
    });
  });
});

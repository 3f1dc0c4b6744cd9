import { randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { resealEndpointKeys } from '../src/endpoints/resealEndpointKeys.js';
import { allowPrivateAddresses } from '../src/platform/outbound/addressGuard.js';
import { SecretBox } from '../src/platform/secretBox.js';
import { Assay, type Data, type Team } from './support/assay.js';
import { conversations, jsonl } from './support/dataset.js';

const KEY = 'sk-secret-of-the-provider-0123456789';

describe('a provider of a team', () => {
  let assay: Assay;
  let team: Team;
  let datasetId: string;
  let hits: string[] = [];
  let answer: { status: number; headers?: Record<string, string>; body: string } = { status: 500, body: '' };
  const server = createServer((request, response) => {
    hits.push(`${request.url} ${request.headers.authorization ?? ''}`);
    response.writeHead(answer.status, { 'content-type': 'application/json', ...answer.headers }).end(answer.body);
  });
  const port = () => (server.address() as AddressInfo).port;

  beforeAll(async () => {
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    assay = await Assay.start();
    team = await assay.team();
    datasetId = (await team.dataset(jsonl(conversations(2)))).id;
  });
  afterEach(async () => {
    allowPrivateAddresses(true);
    hits = [];
  });
  afterAll(async () => {
    await assay.close();
    await new Promise((resolve) => server.close(resolve));
  });

  const runPaused = async (baseUrl: string): Promise<string> => {
    const endpointId = await team.endpoint(baseUrl, { apiKey: KEY });
    const input = { name: 'run', datasetId, modelUnderTest: { endpointId }, grader: { endpointId } };
    const id = await team.start(input);
    for (;;) {
      const { status, statusReason } = await team.run(id, 'status statusReason');
      if (status === 'PAUSED') return statusReason;
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  };

  it.each([
    'http://169.254.169.254/v1',
    'http://[fe80::1]/v1',
    'http://metadata.google.internal/v1',
    'http://2852039166/v1',
  ])('cannot be at %s, whatever is allowed', async (baseUrl) => {
    const { userErrors } = await team.tryMutate('createModelEndpoint', { name: 'p', baseUrl }, 'modelEndpoint { id }');
    expect(userErrors).toMatchObject([{ code: 'INVALID_INPUT', path: ['baseUrl'] }]);
  });

  it('cannot be moved or made at a private address where these are not allowed', async () => {
    const endpointId = await team.endpoint('https://api.example.org/v1');
    allowPrivateAddresses(false);
    for (const baseUrl of ['http://10.0.0.7/v1', 'http://localhost:8000/v1', 'http://[::1]/v1']) {
      const made = await team.tryMutate('createModelEndpoint', { name: 'p', baseUrl }, 'modelEndpoint { id }');
      const moved = await team.tryMutate('updateModelEndpoint', { endpointId, baseUrl }, 'modelEndpoint { id }');
      for (const { userErrors } of [made, moved]) {
        expect(userErrors).toMatchObject([{ message: expect.stringContaining('ASSAY_ALLOW_PRIVATE_ADDRESSES') }]);
      }
    }
  });

  it('is checked again at each call: the run pauses with the reason, and nothing was sent', async () => {
    const endpointId = await team.endpoint(`http://localhost:${port()}/v1`, { apiKey: KEY });
    allowPrivateAddresses(false);
    const id = await team.start({ name: 'run', datasetId, modelUnderTest: { endpointId }, grader: { endpointId } });
    let run: Data = {};
    while (run.status !== 'PAUSED') {
      run = await team.run(id, 'status statusReason');
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    expect(run.statusReason).toMatch(/address_blocked.*ASSAY_ALLOW_PRIVATE_ADDRESSES/);
    expect(hits).toEqual([]);
  });

  it('cannot send the call, and the key with it, elsewhere by a redirect', async () => {
    answer = { status: 307, headers: { location: `http://127.0.0.1:${port()}/stolen` }, body: '' };
    expect(await runPaused(`http://127.0.0.1:${port()}/v1`)).toMatch(/redirect/i);
    expect(hits.length).toBeGreaterThan(0);
    expect(hits.filter((hit) => hit.startsWith('/stolen'))).toEqual([]);
  });

  it('is asked a few times and no more when it refuses the key, and its key shows nowhere', async () => {
    answer = { status: 401, body: JSON.stringify({ error: { message: `Incorrect API key provided: ${KEY}` } }) };
    const reason = await runPaused(`http://127.0.0.1:${port()}/v1`);
    expect(reason).not.toContain(KEY);
    // Two conversations in two calls at most, each asked once.
    expect(hits.length).toBeLessThanOrEqual(4);
    expect(hits[0]).toContain(KEY);
    const failed = await assay.services.db.failedCall.findMany();
    expect(JSON.stringify(failed, (_key, value) => (typeof value === 'bigint' ? String(value) : value))).not.toContain(
      KEY,
    );
  });

  it('keeps a key without the line break that came along, and never returns it', async () => {
    const input = { name: 'p', baseUrl: `http://127.0.0.1:${port()}/v1`, apiKey: `${KEY}\r\n` };
    const made = await team.mutate('createModelEndpoint', input, 'modelEndpoint { id hasApiKey baseUrl name }');
    expect(JSON.stringify(made)).not.toContain(KEY);
    const bad = await team.tryMutate('createModelEndpoint', { ...input, apiKey: 'sk a\nb' }, 'modelEndpoint { id }');
    expect(bad.userErrors).toMatchObject([{ path: ['apiKey'] }]);
    const { errors } = await assay.graphql('{ modelEndpoints { apiKey } }', {}, team.key);
    expect(errors?.[0]?.extensions.code).toBe('GRAPHQL_VALIDATION_FAILED');
    const rows = await assay.services.db.modelEndpoint.findMany();
    for (const { apiKeyCiphertext } of rows)
      expect(Buffer.from(apiKeyCiphertext ?? []).toString('latin1')).not.toContain(KEY);
  });

  it('has its key sealed anew when the secret key is rotated, in every team; a lost one is left and counted', async () => {
    const { db } = assay.services;
    const sealed = await db.modelEndpoint.count({ where: { apiKeyCiphertext: { not: null } } });
    const stranger = await assay.team();
    await stranger.endpoint('https://api.example.org/v1', { apiKey: KEY });
    const [next, present] = [randomBytes(32), await dataFolderKey()];
    const box = new SecretBox(next, [present]);
    const service = { ...assay.services, db: assay.serviceDb, secrets: box };
    expect(await resealEndpointKeys(service)).toEqual({ resealed: sealed + 1, lost: 0 });
    expect(await resealEndpointKeys(service)).toEqual({ resealed: 0, lost: 0 });
    // The earlier key can go.
    const alone = new SecretBox(next);
    for (const row of await db.modelEndpoint.findMany({ where: { apiKeyCiphertext: { not: null } } })) {
      expect(alone.open(row.apiKeyCiphertext as Uint8Array, new URL(row.baseUrl).host, row.secretKeyId)).toBe(KEY);
    }
    const unknowing = { ...service, secrets: new SecretBox(randomBytes(32)) };
    expect(await resealEndpointKeys(unknowing)).toEqual({ resealed: 0, lost: sealed + 1 });
  });

  async function dataFolderKey(): Promise<Buffer> {
    return Buffer.from(await readFile(`${assay.dataDir}/secret.key`, 'utf8'), 'base64');
  }
});

import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { type Client, createClient } from 'graphql-ws';
import WebSocket from 'ws';
import { parseConfig } from '../src/config.js';
import { type HttpServer, startHttpServer } from '../src/graphql/httpServer.js';
import { openServices } from '../src/openServices.js';
import { createLog } from '../src/platform/log.js';
import { Assay, type Data, OPERATOR_TOKEN, Team } from './support/assay.js';
import { conversations, jsonl } from './support/dataset.js';

const inMs = (ms: number) => new Date(Date.now() + ms).toISOString();
const DAY = 86_400_000;

describe('API keys', () => {
  let assay: Assay;
  let team: Team;
  /** Another process of the same installation, as far as hints go: it hears of changes by LISTEN alone. */
  let other: { server: HttpServer; close(): Promise<void> };

  beforeAll(async () => {
    assay = await Assay.start({ workers: false });
    other = await secondServer(assay);
    team = await assay.team();
    await team.endpoint('http://127.0.0.1:9/v1');
  });
  afterAll(async () => {
    await other.close();
    await assay.close();
  });

  const make = async (role: string, more: Data = {}, by: Team = team) => {
    const { secret, apiKey } = await by.mutate(
      'createApiKey',
      { name: role, role, ...more },
      'secret apiKey { id expiresAt }',
    );
    return {
      team: new Team(assay, secret),
      secret: secret as string,
      id: apiKey.id as string,
      expiresAt: apiKey.expiresAt,
    };
  };
  const codeOf = async (key: string, query = '{ viewer { role } }') =>
    (await assay.graphql(query, {}, key)).errors?.[0]?.extensions.code;

  it('expire by themselves', async () => {
    const { secret, id } = await make('VIEWER', { expiresAt: inMs(DAY) });
    expect(await codeOf(secret)).toBeUndefined();
    await assay.services.db.$executeRaw`UPDATE api_key SET expires_at = now() WHERE prefix = ${secret.slice(0, 10)}`;
    expect(await codeOf(secret)).toBe('UNAUTHENTICATED');
    await team.mutate('updateApiKey', { apiKeyId: id, expiresAt: null }, 'apiKey { expiresAt }');
    expect(await codeOf(secret)).toBeUndefined();
  });

  it('note their last use', async () => {
    const { secret, id } = await make('VIEWER');
    const lastUse = async () =>
      (await team.query('{ apiKeys { id lastUsedAt } }')).apiKeys.find((key: Data) => key.id === id).lastUsedAt;
    expect(await lastUse()).toBeNull();
    await codeOf(secret);
    expect(Date.now() - Date.parse(await lastUse())).toBeLessThan(60_000);
  });

  it('give no more than they have: no longer life, and no role above their own', async () => {
    const admin = await make('ADMIN', { expiresAt: inMs(DAY) });
    const inherited = await make('VIEWER', {}, admin.team);
    expect(inherited.expiresAt).toBe(admin.expiresAt);
    const create = (more: Data) =>
      admin.team.tryMutate('createApiKey', { name: 'n', role: 'VIEWER', ...more }, 'secret');
    expect(await create({ expiresAt: inMs(2 * DAY) })).toMatchObject({
      secret: null,
      userErrors: [{ code: 'INVALID_INPUT', path: ['expiresAt'] }],
    });
    expect(await create({ expiresAt: inMs(-1000) })).toMatchObject({ userErrors: [{ path: ['expiresAt'] }] });
    const longer = { apiKeyId: inherited.id, expiresAt: inMs(2 * DAY) };
    expect(await admin.team.tryMutate('updateApiKey', longer, 'apiKey { id }')).toMatchObject({ apiKey: null });
    const runner = await make('RUNNER');
    expect(
      await codeOf(runner.secret, 'mutation { createApiKey(input: { name: "n", role: RUNNER }) { secret } }'),
    ).toBe('FORBIDDEN');
  });

  it('lose rights at once when their role is lowered', async () => {
    const admin = await make('ADMIN');
    await team.mutate('updateApiKey', { apiKeyId: admin.id, role: 'VIEWER', name: 'reader' }, 'apiKey { role }');
    expect(await codeOf(admin.secret, '{ apiKeys { id } }')).toBe('FORBIDDEN');
    expect((await admin.team.query('{ viewer { role keyName } }')).viewer).toEqual({
      role: 'VIEWER',
      keyName: 'reader',
    });
  });

  it('leave a team its last admin', async () => {
    const other = await assay.team();
    const own = (await other.query('{ apiKeys { id } }')).apiKeys[0].id;
    for (const [field, more] of [
      ['revokeApiKey', {}],
      ['updateApiKey', { role: 'RUNNER' }],
    ] as const) {
      const { userErrors } = await other.tryMutate(field, { apiKeyId: own, ...more }, 'apiKey { id }');
      expect(userErrors).toMatchObject([{ code: 'CONFLICT', path: ['apiKeyId'] }]);
    }
    const second = await make('ADMIN', {}, other);
    await second.team.mutate('revokeApiKey', { apiKeyId: own }, 'apiKey { revokedAt }');
    expect(await codeOf(other.key)).toBe('UNAUTHENTICATED');
  });

  it('cannot be changed or revoked by another team', async () => {
    const other = await assay.team();
    const { id, secret } = await make('VIEWER');
    for (const field of ['revokeApiKey', 'updateApiKey']) {
      const { userErrors } = await other.tryMutate(field, { apiKeyId: id }, 'apiKey { id }');
      expect(userErrors).toMatchObject([{ code: 'NOT_FOUND' }]);
    }
    expect(await codeOf(secret)).toBeUndefined();
  });

  it('show the operator counts and nothing else', async () => {
    const { data } = await assay.graphql('{ installation { teams apiKeys runs verdicts } }', {}, OPERATOR_TOKEN);
    expect(data?.installation).toMatchObject({ runs: expect.any(Number), verdicts: 0 });
    expect(data?.installation.teams).toBeGreaterThanOrEqual(2);
    expect(await codeOf(team.key, '{ installation { teams } }')).toBe('FORBIDDEN');
  });

  describe('on open sockets', () => {
    const open: Client[] = [];
    afterEach(async () => {
      for (const client of open.splice(0)) await client.dispose();
    });

    /** A socket that watches a run; tells how it was closed and what came. */
    async function watch(secret: string) {
      const runId = await team.start({ datasetId: (await team.dataset(jsonl(conversations(2)))).id });
      const seen: unknown[] = [];
      let watching: () => void = () => {};
      const started = new Promise<void>((resolve) => {
        watching = resolve;
      });
      const closed = new Promise<{ code: number; at: number }>((resolve) => {
        const client = createClient({
          url: `${assay.server.url.replace('http', 'ws')}/graphql`,
          webSocketImpl: WebSocket,
          connectionParams: { authorization: `Bearer ${secret}` },
          retryAttempts: 0,
          on: { closed: (event) => resolve({ code: (event as CloseEvent).code, at: Date.now() }) },
        });
        open.push(client);
        const query = 'subscription ($runId: ID!) { runProgress(runId: $runId) { status } }';
        const next = (value: unknown) => {
          seen.push(value);
          watching();
        };
        client.subscribe({ query, variables: { runId } }, { next, error: () => {}, complete: () => {} });
      });
      await started;
      return { runId, seen, closed };
    }

    it.each([
      ['revoked', 4401, (id: string) => team.mutate('revokeApiKey', { apiKeyId: id }, 'apiKey { id }')],
      ['lowered', 4410, (id: string) => team.mutate('updateApiKey', { apiKeyId: id, role: 'VIEWER' }, 'apiKey { id }')],
    ] as const)('a %s key ends its subscriptions at once, with %i', async (_how, code, change) => {
      const { secret, id } = await make('RUNNER');
      const { runId, seen, closed } = await watch(secret);
      const before = Date.now();
      await change(id);
      const end = await closed;
      expect(end.code).toBe(code);
      expect(end.at - before).toBeLessThan(1_500);
      const count = seen.length;
      await team.mutate('cancelRun', { runId }, 'run { id }');
      await new Promise((resolve) => setTimeout(resolve, 500));
      expect(seen.length).toBe(count);
    });

    it.each([
      ['revoked', 4401, (id: string) => team.mutate('revokeApiKey', { apiKeyId: id }, 'apiKey { id }')],
      ['lowered', 4410, (id: string) => team.mutate('updateApiKey', { apiKeyId: id, role: 'VIEWER' }, 'apiKey { id }')],
      [
        'shortened',
        4401,
        (id: string) => team.mutate('updateApiKey', { apiKeyId: id, expiresAt: inMs(700) }, 'apiKey { id }'),
      ],
    ] as const)(
      'a %s key ends its event streams at once, with %i, in another process too',
      async (_how, code, change) => {
        const { secret, id } = await make('RUNNER', { expiresAt: inMs(40 * DAY) });
        const runId = await team.start({ datasetId: (await team.dataset(jsonl(conversations(2)))).id });
        const readers: ReadableStreamDefaultReader<string>[] = [];
        for (const { url } of [assay.server, other.server]) {
          const response = await fetch(`${url}/runs/${runId}/events`, {
            headers: { authorization: `Bearer ${secret}` },
          });
          const reader = (response.body as ReadableStream<Uint8Array>).pipeThrough(new TextDecoderStream()).getReader();
          expect((await reader.read()).value).toContain('event: verdicts');
          readers.push(reader);
        }
        const before = Date.now();
        await change(id);
        for (const reader of readers) {
          expect((await reader.read()).value).toContain(`event: closed\ndata: {"code":${code},`);
          expect((await reader.read()).done).toBe(true);
        }
        // Sooner than the next poll could have told.
        expect(Date.now() - before).toBeLessThan(5_000);
      },
    );

    it('an expired key ends its subscriptions, with 4401', async () => {
      const { secret } = await make('VIEWER', { expiresAt: inMs(1_500) });
      const { closed } = await watch(secret);
      expect((await closed).code).toBe(4401);
    });

    it('a change of name disturbs nobody', async () => {
      const { secret, id } = await make('VIEWER');
      const { runId, seen, closed } = await watch(secret);
      await team.mutate('updateApiKey', { apiKeyId: id, name: 'other' }, 'apiKey { id }');
      await team.mutate('cancelRun', { runId }, 'run { id }');
      const end = await Promise.race([closed, new Promise((resolve) => setTimeout(resolve, 1_500))]);
      expect(seen.at(-1)).toEqual({ data: { runProgress: { status: 'CANCELLED' } } });
      expect(end === undefined || (end as { code: number }).code === 1000).toBe(true);
    });
  });
});

async function secondServer({ databaseUrl, dataDir }: Assay) {
  const settings = { DATABASE_URL: databaseUrl, ASSAY_DATA_DIR: dataDir, ASSAY_MIGRATE: 'false' };
  const services = await openServices(parseConfig(settings), createLog('silent'));
  const server = await startHttpServer(services, {
    host: '127.0.0.1',
    port: 0,
    operatorToken: null,
    maxImportBytes: 1024,
  });
  return {
    server,
    async close() {
      await server.close();
      await services.close();
    },
  };
}

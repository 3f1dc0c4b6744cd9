import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createClient } from 'graphql-ws';
import WebSocket from 'ws';
import { Assay, OPERATOR_TOKEN, type Team } from './support/assay.js';
import { conversations, jsonl } from './support/dataset.js';

describe('teams, keys and roles', () => {
  let assay: Assay;
  let team: Team;

  beforeAll(async () => {
    assay = await Assay.start({ workers: false });
    team = await assay.team('first team');
  });
  afterAll(() => assay.close());

  it('says who asks', async () => {
    const { viewer } = await team.query('{ viewer { role keyName team { name } } }');
    expect(viewer).toEqual({ role: 'ADMIN', keyName: 'admin', team: { name: 'first team' } });
  });

  it.each([[null], ['assay_unknown'], ['']])('refuses the key %p without saying why', async (key) => {
    const { errors, data } = await assay.graphql('{ viewer { role } }', {}, key);
    expect(data).toBeNull();
    expect(errors?.[0]?.extensions.code).toBe('UNAUTHENTICATED');
  });

  it('shows a key once, stores only its hash, and ends it when it is revoked', async () => {
    const made = await team.mutate('createApiKey', { name: 'ci', role: 'RUNNER' }, 'secret apiKey { id prefix role }');
    expect(made.secret).toMatch(/^assay_[\w-]{32}$/);
    expect(made.secret.startsWith(made.apiKey.prefix)).toBe(true);
    const stored = await assay.services.db.apiKey.findMany();
    expect(JSON.stringify(stored)).not.toContain(made.secret);
    expect((await assay.graphql('{ viewer { role } }', {}, made.secret)).data?.viewer.role).toBe('RUNNER');
    await team.mutate('revokeApiKey', { apiKeyId: made.apiKey.id }, 'apiKey { revokedAt }');
    const after = await assay.graphql('{ viewer { role } }', {}, made.secret);
    expect(after.errors?.[0]?.extensions.code).toBe('UNAUTHENTICATED');
  });

  it('lets viewers read, runners also import and start, and only admins manage', async () => {
    const secretOf = async (role: string) => (await team.mutate('createApiKey', { name: role, role }, 'secret')).secret;
    const [viewer, runner] = [await secretOf('VIEWER'), await secretOf('RUNNER')];
    const importing = 'mutation { importDataset(input: { name: "n", jsonl: "{}" }) { userErrors { code } } }';
    const managing = 'mutation { createApiKey(input: { name: "n", role: ADMIN }) { secret } }';
    const code = async (query: string, key: string) =>
      (await assay.graphql(query, {}, key)).errors?.[0]?.extensions.code;
    expect(await code('{ runs { totalCount } }', viewer)).toBeUndefined();
    expect(await code(importing, viewer)).toBe('FORBIDDEN');
    expect(await code(importing, runner)).toBeUndefined();
    expect(await code(managing, runner)).toBe('FORBIDDEN');
    expect(await code(managing, team.key)).toBeUndefined();
  });

  it('lets the operator make teams and nothing else', async () => {
    const make = 'mutation { createTeam(input: { name: "made" }) { secret team { name } userErrors { code } } }';
    const made = await assay.graphql(make, {}, OPERATOR_TOKEN);
    expect(made.data?.createTeam).toMatchObject({ team: { name: 'made' }, userErrors: [] });
    const again = await assay.graphql(make, {}, OPERATOR_TOKEN);
    expect(again.data?.createTeam).toMatchObject({ team: null, userErrors: [{ code: 'CONFLICT' }] });
    for (const query of ['{ runs { totalCount } }', '{ viewer { role } }']) {
      expect((await assay.graphql(query, {}, OPERATOR_TOKEN)).errors?.[0]?.extensions.code).toBe('FORBIDDEN');
    }
    expect((await assay.graphql(make, {}, team.key)).errors?.[0]?.extensions.code).toBe('FORBIDDEN');
  });

  it("treats another team's ids like ids that do not exist", async () => {
    const other = await assay.team();
    const dataset = await other.dataset(jsonl(conversations(2)));
    const endpointId = await other.endpoint('http://127.0.0.1:9/v1');
    const runId = await other.start({ datasetId: dataset.id });
    for (const id of [dataset.id, endpointId, runId, Buffer.from('Run:nonsense').toString('base64url'), 'x']) {
      expect((await team.query('query ($id: ID!) { node(id: $id) { id } }', { id })).node).toBeNull();
    }
    expect((await team.query('query ($id: ID!) { run(id: $id) { id } }', { id: runId })).run).toBeNull();
    const cancelled = await team.tryMutate('cancelRun', { runId }, 'run { id }');
    expect(cancelled).toEqual({
      run: null,
      userErrors: [{ code: 'NOT_FOUND', message: expect.stringMatching(/^Run not found: /), path: ['runId'] }],
    });
    const started = await team.tryMutate('startRun', { datasetId: dataset.id }, 'run { id }');
    expect(started.userErrors).toMatchObject([{ code: 'NOT_FOUND', path: ['datasetId'] }]);
    const mine = await team.dataset(jsonl(conversations(2)));
    const withTheirs = { datasetId: mine.id, grader: { endpointId } };
    await team.endpoint('http://127.0.0.1:9/v1');
    const borrowed = await team.tryMutate('startRun', withTheirs, 'run { id }');
    expect(borrowed.userErrors).toMatchObject([{ code: 'NOT_FOUND', path: ['grader', 'endpointId'] }]);
    const watching = team.subscribe('subscription ($id: ID!) { runProgress(runId: $id) { id } }', { id: runId });
    await expect(watching.next()).rejects.toThrow(/NOT_FOUND/);
  });

  it("never returns a provider's key, and asks for it again when the host changes", async () => {
    const endpointId = await team.endpoint('http://127.0.0.1:9/v1', { apiKey: 'sk-very-secret\n' });
    const { modelEndpoints } = await team.query('{ modelEndpoints { id hasApiKey } }');
    expect(modelEndpoints).toContainEqual({ id: endpointId, hasApiKey: true });
    const stored = await assay.services.db.modelEndpoint.findMany();
    expect(Buffer.concat(stored.map((row) => Buffer.from(row.apiKeyCiphertext ?? []))).includes('sk-very')).toBe(false);
    const moved = await team.tryMutate(
      'updateModelEndpoint',
      { endpointId, baseUrl: 'https://other.example/v1' },
      'modelEndpoint { id }',
    );
    expect(moved.userErrors).toMatchObject([{ path: ['apiKey'] }]);
    const again = await team.mutate(
      'updateModelEndpoint',
      { endpointId, baseUrl: 'https://other.example/v1', apiKey: 'sk-other' },
      'modelEndpoint { baseUrl }',
    );
    expect(again.modelEndpoint.baseUrl).toBe('https://other.example/v1');
    await team.mutate('deleteModelEndpoint', { endpointId }, 'modelEndpoint { id }');
  });

  it.each([['ftp://host/v1'], ['https://user:pass@host/v1'], ['nonsense'], ['https://host/v1?key=1']])(
    'refuses %s as a base URL',
    async (baseUrl) => {
      const refused = await team.tryMutate('createModelEndpoint', { name: 'n', baseUrl }, 'modelEndpoint { id }');
      expect(refused.userErrors).toMatchObject([{ code: 'INVALID_INPUT', path: ['baseUrl'] }]);
    },
  );

  describe('over the WebSocket', () => {
    const closeCode = (connectionParams: Record<string, unknown>) =>
      new Promise<number>((resolve) => {
        const client = createClient({
          url: `${assay.server.url.replace('http', 'ws')}/graphql`,
          webSocketImpl: WebSocket,
          connectionParams,
          retryAttempts: 0,
          lazy: false,
          onNonLazyError: () => {},
          on: { closed: (event) => resolve((event as CloseEvent).code) },
        });
        void client;
      });

    it.each([[{}], [{ authorization: 'Bearer assay_unknown' }], [{ authorization: 7 }]])(
      'closes with 4403 for the credential %p',
      async (params) => {
        expect(await closeCode(params)).toBe(4403);
      },
    );

    it('closes with 4401 when something is asked before connection_init, and 4429 after a second one', async () => {
      const url = `${assay.server.url.replace('http', 'ws')}/graphql`;
      const codeAfter = (messages: unknown[]) =>
        new Promise<number>((resolve) => {
          const socket = new WebSocket(url, 'graphql-transport-ws');
          socket.on('open', () => {
            for (const message of messages) socket.send(JSON.stringify(message));
          });
          socket.on('close', (code) => resolve(code));
        });
      const init = { type: 'connection_init', payload: { authorization: `Bearer ${team.key}` } };
      const ask = { type: 'subscribe', id: '1', payload: { query: '{ viewer { role } }' } };
      expect(await codeAfter([ask])).toBe(4401);
      expect(await codeAfter([init, init])).toBe(4429);
    });

    it('answers queries under the same rules as HTTP, with masked errors', async () => {
      const client = team.socket();
      const results = [];
      for await (const result of client.iterate({ query: '{ runs(first: 1000) { totalCount } }' }))
        results.push(result);
      await client.dispose();
      expect(results[0]?.errors?.[0]).toMatchObject({
        extensions: { code: 'INVALID_INPUT', requestId: expect.any(String) },
      });
    });
  });
});

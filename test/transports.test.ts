import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import WebSocket from 'ws';
import { Assay, type Data, type Team } from './support/assay.js';

describe('the API over HTTP and WebSocket', () => {
  let assay: Assay;
  let team: Team;

  beforeAll(async () => {
    assay = await Assay.start({ workers: false });
    team = await assay.team();
  });
  afterAll(() => assay.close());

  const post = (body: RequestInit['body'], headers: Record<string, string> = {}) =>
    fetch(`${assay.server.url}/graphql`, {
      method: 'POST',
      headers: { authorization: `Bearer ${team.key}`, 'content-type': 'application/json', ...headers },
      body,
    });

  it('sends a subscription over HTTP to the WebSocket and to what there is over HTTP', async () => {
    const { status, errors } = await assay.graphql('subscription { runProgress(runId: "x") { id } }', {}, team.key);
    expect(status).toBe(400);
    expect(errors).toMatchObject([
      { message: expect.stringMatching(/WebSocket.*\/events.*runEvents/), extensions: { code: 'INVALID_INPUT' } },
    ]);
  });

  it('refuses batches as a whole', async () => {
    const response = await post(JSON.stringify([{ query: '{ __typename }' }, { query: '{ __typename }' }]));
    expect(response.status).toBe(400);
  });

  it('runs no mutation by GET, and no query by GET without a preflight header', async () => {
    const mutation = encodeURIComponent('mutation { createApiKey(input: { name: "n", role: VIEWER }) { secret } }');
    const headers = { authorization: `Bearer ${team.key}`, 'apollo-require-preflight': '1' };
    const response = await fetch(`${assay.server.url}/graphql?query=${mutation}`, { headers });
    expect([400, 405]).toContain(response.status);
    expect(await assay.services.db.apiKey.count({ where: { name: 'n' } })).toBe(0);
    const plain = await fetch(`${assay.server.url}/graphql?query=%7B__typename%7D`, {
      headers: { authorization: `Bearer ${team.key}` },
    });
    expect(plain.status).toBe(400);
  });

  it('has no multipart parser and takes no form', async () => {
    const form = new FormData();
    form.set('operations', '{"query":"{ __typename }"}');
    const headers = { authorization: `Bearer ${team.key}` };
    const response = await fetch(`${assay.server.url}/graphql`, { method: 'POST', headers, body: form });
    expect([400, 415]).toContain(response.status);
  });

  it('refuses a body above the limit, and does not unpack a compressed one', async () => {
    const large = await post(JSON.stringify({ query: `{ __typename } #${'x'.repeat(17 * 1024 * 1024)}` }));
    expect(large.status).toBe(413);
    const bomb = await post(gzipSync(Buffer.alloc(20 * 1024 * 1024)), { 'content-encoding': 'gzip' });
    expect(bomb.status).toBeGreaterThanOrEqual(400);
    expect(bomb.status).toBeLessThan(500);
  });

  it('answers a fragment cycle and an unknown field at once, with a code and a request id', async () => {
    const began = performance.now();
    const cycle = await assay.graphql(
      '{ runs { nodes { ...A } } } fragment A on Run { dataset { runs { nodes { ...A } } } }',
      {},
      team.key,
    );
    expect(cycle.errors?.[0]?.extensions).toMatchObject({
      code: 'GRAPHQL_VALIDATION_FAILED',
      requestId: expect.any(String),
    });
    const unknown = await assay.graphql('{ rums { id } }', {}, team.key);
    expect(unknown.errors?.[0]?.extensions.code).toBe('GRAPHQL_VALIDATION_FAILED');
    expect(performance.now() - began).toBeLessThan(2_000);
  });

  it('masks what is not expected: no message, stack or SQL of ours reaches the caller', async () => {
    await assay.services.db.$executeRaw`ALTER TABLE grader_template RENAME TO grader_template_away`;
    const { errors } = await assay.graphql('{ graderTemplates { name } }', {}, team.key);
    await assay.services.db.$executeRaw`ALTER TABLE grader_template_away RENAME TO grader_template`;
    expect(errors?.[0]?.extensions.code).toBe('INTERNAL_SERVER_ERROR');
    expect(errors?.[0]?.message).toContain(errors?.[0]?.extensions.requestId);
    expect(JSON.stringify(errors)).not.toMatch(/grader_template|prisma|at .*\.ts/i);
  });

  it('says 404 for other paths, and that it is healthy', async () => {
    expect((await fetch(`${assay.server.url}/nothing`)).status).toBe(404);
    const health = await fetch(`${assay.server.url}/health`);
    expect(await health.json()).toEqual({ status: 'ok', version: expect.any(String) });
  });

  describe('on a socket', () => {
    const open = async () => {
      const socket = new WebSocket(`${assay.server.url.replace('http', 'ws')}/graphql`, 'graphql-transport-ws');
      const closed = new Promise<number>((resolve) => socket.on('close', (code) => resolve(code)));
      await new Promise((resolve) => socket.on('open', resolve));
      const acknowledged = new Promise<void>((resolve) => {
        socket.on('message', (data) => {
          if ((JSON.parse(String(data)) as Data).type === 'connection_ack') resolve();
        });
      });
      socket.send(JSON.stringify({ type: 'connection_init', payload: { authorization: `Bearer ${team.key}` } }));
      await acknowledged;
      return { socket, closed };
    };

    it('closes with 1009 for a message above the limit', async () => {
      const { socket, closed } = await open();
      socket.on('error', () => {});
      socket.send(
        JSON.stringify({ type: 'subscribe', id: '1', payload: { query: `{ __typename } #${'x'.repeat(2_000_000)}` } }),
      );
      expect(await closed).toBe(1009);
    });

    it('closes with 4409 when an id is used twice', async () => {
      const { socket, closed } = await open();
      const runId = Buffer.from(`Run:${crypto.randomUUID()}`).toString('base64url');
      const payload = { query: 'subscription ($id: ID!) { runProgress(runId: $id) { id } }', variables: { id: runId } };
      socket.send(JSON.stringify({ type: 'subscribe', id: '1', payload }));
      socket.send(JSON.stringify({ type: 'subscribe', id: '1', payload }));
      expect(await closed).toBe(4409);
    });
  });
});

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { getIntrospectionQuery } from 'graphql';
import { Assay, type Data, type Team } from './support/assay.js';
import { RawSocket } from './support/rawSocket.js';

describe('the API towards browsers and strangers', () => {
  let assay: Assay;
  let team: Team;

  beforeAll(async () => {
    assay = await Assay.start({ workers: false, server: { corsOrigins: ['https://eval.example'] } });
    team = await assay.team();
  });
  afterAll(() => assay.close());

  it.each([
    ['GET', '/health'],
    ['GET', '/nothing'],
    ['POST', '/graphql'],
    ['POST', '/datasets'],
    ['GET', '/runs/export'],
  ])('sends security headers and a request id with %s %s', async (method, path) => {
    const { headers } = await fetch(assay.server.url + path, { method });
    expect(Object.fromEntries(headers)).toMatchObject({
      'x-content-type-options': 'nosniff',
      'x-frame-options': 'DENY',
      'referrer-policy': 'no-referrer',
      'cache-control': 'no-store',
      'content-security-policy': expect.stringContaining("default-src 'none'"),
      'strict-transport-security': expect.any(String),
      'x-request-id': expect.any(String),
    });
    expect(headers.get('server')).toBeNull();
    expect(headers.get('x-powered-by')).toBeNull();
    expect(headers.get('access-control-allow-origin')).toBeNull();
  });

  it('lets the pages of configured origins in, and no others', async () => {
    const preflight = (origin: string) =>
      fetch(`${assay.server.url}/graphql`, {
        method: 'OPTIONS',
        headers: { origin, 'access-control-request-method': 'POST', 'access-control-request-headers': 'authorization' },
      });
    const allowed = await preflight('https://eval.example');
    expect(allowed.status).toBe(204);
    expect(allowed.headers.get('access-control-allow-origin')).toBe('https://eval.example');
    expect(allowed.headers.get('access-control-allow-headers')).toContain('authorization');
    expect(allowed.headers.get('access-control-allow-credentials')).toBeNull();
    for (const origin of ['https://evil.example', 'https://eval.example.evil', 'null']) {
      const refused = await preflight(origin);
      expect(refused.status).toBe(404);
      expect(refused.headers.get('access-control-allow-origin')).toBeNull();
    }
    const answer = await fetch(`${assay.server.url}/health`, { headers: { origin: 'https://eval.example' } });
    expect(answer.headers.get('access-control-allow-origin')).toBe('https://eval.example');
    expect(answer.headers.get('vary')).toContain('Origin');
  });

  it.each([
    ['the schema', getIntrospectionQuery()],
    ['a field that exists', '{ runs { nodes { id } } }'],
    ['a field that does not', '{ rums { id } }'],
    ['nonsense', '{{{'],
    ['a type name', '{ __typename }'],
  ])('tells a stranger who asks for %s nothing', async (_what, query) => {
    const response = await fetch(`${assay.server.url}/graphql`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ query }),
    });
    expect(response.status).toBe(401);
    expect(response.headers.get('www-authenticate')).toBe('Bearer');
    const { requestId } = ((await response.clone().json()) as Data).errors[0].extensions;
    expect(await response.json()).toEqual({
      errors: [
        {
          message: 'A valid API key is needed: Authorization: Bearer assay_…',
          extensions: { code: 'UNAUTHENTICATED', requestId },
        },
      ],
    });
    expect(response.headers.get('x-request-id')).toBe(requestId);
  });

  it('does not wait for the body of a stranger', async () => {
    const endless = new ReadableStream({
      start(controller) {
        controller.enqueue(new TextEncoder().encode('{"query":"'));
      },
    });
    const response = await fetch(`${assay.server.url}/graphql`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: endless,
      duplex: 'half',
    });
    expect(response.status).toBe(401);
  });

  it('shows the schema and hints to those with a key', async () => {
    const { __schema } = await team.query(getIntrospectionQuery());
    expect(__schema.types.length).toBeGreaterThan(20);
    const { errors } = await assay.graphql('{ rums { id } }', {}, team.key);
    expect(errors?.[0]?.message).toMatch(/Did you mean "runs"/);
  });

  it('takes no cookie for a credential, from whatever origin a socket comes', async () => {
    const cookie = `authorization=Bearer ${team.key}`;
    const socket = await RawSocket.open(assay, { origin: 'https://evil.example', cookie, authorization: team.key });
    socket.send({ type: 'connection_init' });
    expect(await socket.closed).toBe(4403);
  });
});

describe('the API in production, without introspection', () => {
  let assay: Assay;
  let team: Team;

  beforeAll(async () => {
    assay = await Assay.start({ workers: false, server: { introspection: false, hints: false } });
    team = await assay.team();
  });
  afterAll(() => assay.close());

  /** What is said over HTTP, and over the socket. */
  const messages = async (query: string, variables: Data = {}): Promise<[string[], string[]]> => {
    const { errors = [] } = await assay.graphql(query, variables, team.key);
    const socket = await RawSocket.authenticated(assay, team.key);
    const others = await socket.errorsOf(query, variables);
    socket.close();
    return [errors.map(({ message }) => message), others.map(({ message }) => message)];
  };

  it.each<[string, string, Data]>([
    ['an unknown field', '{ rums { id } }', {}],
    ['an unknown argument', '{ runs(frist: 1) { nodes { id } } }', {}],
    ['an unknown type', '{ node(id: "x") { ... on Rum { id } } }', {}],
    ['an unknown enum value', '{ runs(orderBy: CREATED_AT_ASK) { nodes { id } } }', {}],
    ['an unknown input field', 'query ($f: RunFilter) { runs(filter: $f) { nodes { id } } }', { f: { nam: 'x' } }],
  ])('names nothing of the schema for %s, on both transports', async (_what, query, variables) => {
    const [http, socket] = await messages(query, variables);
    expect(http.length).toBeGreaterThan(0);
    for (const message of http) expect(message).not.toMatch(/did you mean|"runs?"|CREATED_AT_ASC|RunConversation/i);
    expect(socket).toEqual(http);
  });

  it.each(['{ __schema { types { name } } }', '{ __type(name: "Run") { fields { name } } }'])(
    'refuses %s, on both transports',
    async (query) => {
      for (const said of await messages(query)) expect(said.join()).toMatch(/introspection/i);
      expect((await assay.graphql(query, {}, team.key)).data).toBeNull();
      expect((await assay.graphql('{ __typename viewer { __typename } }', {}, team.key)).errors).toBeUndefined();
    },
  );
});

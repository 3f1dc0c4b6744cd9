import { once } from 'node:events';
import { request } from 'node:http';
import { connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Assay, type Team } from './support/assay.js';
import { conversations, jsonl } from './support/dataset.js';
import { RawSocket } from './support/rawSocket.js';

interface Failure {
  message: string;
  extensions: { code: string; requestId: string };
}

const many = (count: number, make: (at: number) => string) =>
  Array.from({ length: count }, (_, at) => make(at)).join(' ');

describe('what an operation may ask for', () => {
  let assay: Assay;
  let team: Team;
  let runId: string;
  let socket: RawSocket;

  beforeAll(async () => {
    assay = await Assay.start({ workers: false });
    team = await assay.team();
    await team.endpoint('http://127.0.0.1:9/v1');
    const dataset = await team.dataset(jsonl(conversations(2)));
    runId = await team.start({ name: 'run', datasetId: dataset.id });
    socket = await RawSocket.authenticated(assay, team.key);
  });
  afterAll(async () => {
    socket.close();
    await assay.close();
  });

  const overHttp = async (query: string): Promise<Failure[]> =>
    ((await assay.graphql(query, {}, team.key)).errors ?? []) as Failure[];

  const overSocket = async (query: string): Promise<Failure[]> => (await socket.errorsOf(query)) as Failure[];

  const chain = many(20, (at) => `fragment F${at} on Run { dataset { runs(first: 1) { nodes { ...F${at + 1} } } } }`);
  const spelledOut = `${'dataset { runs(first: 1) { nodes { '.repeat(20)}id${'} } }'.repeat(20)}`;

  describe.each([
    ['over HTTP', overHttp],
    ['over the socket', overSocket],
  ])('%s', (_transport, ask) => {
    it.each<[string, string, string]>([
      [
        '1,000 aliases of a list',
        `{ ${many(1000, (at) => `a${at}: runs(first: 50) { nodes { id } }`)} }`,
        'TOO_MANY_ALIASES',
      ],
      ['60 root fields', `{ ${many(60, () => 'viewer { role }')} }`, 'TOO_MANY_ROOT_FIELDS'],
      [
        'a list in a list',
        '{ datasets(first: 200) { nodes { runs(first: 200) { nodes { id } } } } }',
        'QUERY_TOO_EXPENSIVE',
      ],
      ['depth', `{ runs(first: 1) { nodes { ${spelledOut} } } }`, 'QUERY_TOO_DEEP'],
      [
        'depth in fragments',
        `{ runs(first: 1) { nodes { ...F0 } } } ${chain} fragment F20 on Run { id }`,
        'QUERY_TOO_DEEP',
      ],
      [
        'fragments that double',
        `{ runs(first: 1) { nodes { ...F30 } } } fragment F0 on Run { id } ${many(30, (at) => `fragment F${at + 1} on Run { ...F${at} ...F${at} }`)}`,
        'TOO_MANY_FIELDS',
      ],
      ['a very long document', `{ runs { nodes { ${'id name '.repeat(100_000)} } } }`, 'QUERY_TOO_LONG'],
    ])('refuses %s before anything runs', async (_what, query, code) => {
      await ask('{ viewer { role } }');
      const before = assay.services.statements();
      const began = performance.now();
      const errors = await ask(query);
      expect(performance.now() - began).toBeLessThan(2_000);
      expect(errors.map(({ extensions }) => extensions)).toEqual([{ code, requestId: expect.any(String) }]);
      // Only who asks is looked up.
      expect(assay.services.statements() - before).toBeLessThanOrEqual(1);
    });

    it('finds a circle of fragments at once', async () => {
      await ask('{ viewer { role } }');
      const began = performance.now();
      const errors = await ask('{ runs { nodes { ...A } } } fragment A on Run { dataset { runs { nodes { ...A } } } }');
      expect(performance.now() - began).toBeLessThan(1_000);
      expect(errors[0]?.extensions.code).toBe('GRAPHQL_VALIDATION_FAILED');
    });

    it('says how wide a page may be, and cuts nothing silently', async () => {
      for (const [query, most] of [
        ['{ runs(first: 100000) { nodes { id } } }', 200],
        [`{ run(id: "${runId}") { verdicts(first: 501) { nodes { id } } } }`, 500],
      ]) {
        const errors = await ask(query as string);
        expect(errors).toMatchObject([
          { extensions: { code: 'INVALID_INPUT' }, message: expect.stringContaining(`${most}`) },
        ]);
      }
    });

    it('answers what is meant: a wide page with everything about each run', async () => {
      expect(
        await ask(`{ runs(first: 200) { totalCount nodes { id dataset { name } modelUnderTest { model } progress { criteriaTotal }
          score { value interval { low } } tagScores { tag } histogram { count } usage { grader { calls } } } } }`),
      ).toEqual([]);
    });

    it('names syntax errors as such', async () => {
      expect((await ask('{ runs { '))[0]?.extensions.code).toBe('GRAPHQL_PARSE_FAILED');
    });
  });

  it('takes the same limits by GET, with variables', async () => {
    const query = 'query ($n: Int) { datasets(first: $n) { nodes { runs(first: $n) { nodes { id } } } } }';
    const ask = (n: number) =>
      fetch(`${assay.server.url}/graphql?${new URLSearchParams({ query, variables: JSON.stringify({ n }) })}`, {
        headers: { authorization: `Bearer ${team.key}`, 'apollo-require-preflight': '1' },
      });
    expect((await ask(10)).status).toBe(200);
    const refused = await ask(200);
    expect(refused.status).toBe(400);
    expect(await refused.json()).toMatchObject({ errors: [{ extensions: { code: 'QUERY_TOO_EXPENSIVE' } }] });
  });

  it('knows no persisted queries, which would come without their text', async () => {
    const sha256Hash = 'a'.repeat(64);
    const response = await fetch(`${assay.server.url}/graphql`, {
      method: 'POST',
      headers: { authorization: `Bearer ${team.key}`, 'content-type': 'application/json' },
      body: JSON.stringify({ extensions: { persistedQuery: { version: 1, sha256Hash } } }),
    });
    expect(await response.json()).toMatchObject({
      errors: [{ extensions: { code: 'PERSISTED_QUERY_NOT_SUPPORTED', requestId: expect.any(String) } }],
    });
  });

  it('refuses a batch of 200 as a whole, with a request id', async () => {
    const response = await fetch(`${assay.server.url}/graphql`, {
      method: 'POST',
      headers: { authorization: `Bearer ${team.key}`, 'content-type': 'application/json' },
      body: JSON.stringify(Array.from({ length: 200 }, () => ({ query: '{ __typename }' }))),
    });
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({ errors: [{ extensions: { requestId: expect.any(String) } }] });
  });
});

describe('uploads', () => {
  let assay: Assay;
  let team: Team;

  beforeAll(async () => {
    assay = await Assay.start({ workers: false, server: { maxImportBytes: 64 * 1024 } });
    team = await assay.team();
  });
  afterAll(() => assay.close());

  const upload = (body: RequestInit['body']) =>
    fetch(`${assay.server.url}/datasets?name=file`, {
      method: 'POST',
      headers: { authorization: `Bearer ${team.key}`, 'content-type': 'application/x-ndjson' },
      body,
      duplex: 'half',
    });

  it('are taken up to the byte, and refused one byte above with the limit, leaving nothing', async () => {
    const file = jsonl(conversations(3));
    const padded = file + ' '.repeat(64 * 1024 - Buffer.byteLength(file));
    const over = await upload(`${padded} `);
    expect(over.status).toBe(400);
    expect(JSON.stringify(await over.json())).toMatch(/65536 bytes.*ASSAY_MAX_IMPORT_MB/);
    expect(await assay.services.db.dataset.count()).toBe(0);
    expect(await assay.services.db.conversation.count()).toBe(0);
    expect((await upload(padded)).status).toBe(201);
  });

  it('are few at the same time, so that slow ones cannot hold every database connection', async () => {
    const slow = Array.from({ length: 2 }, () => {
      const headers = { authorization: `Bearer ${team.key}` };
      const sent = request(`${assay.server.url}/datasets?name=slow`, { method: 'POST', headers, agent: false });
      sent.write('{');
      return {
        end: () => sent.end(),
        status: once(sent, 'response').then(([response]) => response.resume().statusCode),
      };
    });
    await waitFor(async () => {
      const held = await assay.services.db.$queryRaw<{ count: number }[]>`
        SELECT count(*)::int FROM pg_stat_activity
        WHERE datname = current_database() AND state = 'idle in transaction'`;
      return held[0]?.count === 2;
    });
    const third = await upload('{}');
    expect(third.status).toBe(429);
    expect(await third.json()).toMatchObject({ error: { code: 'TOO_MANY_UPLOADS' } });
    for (const { end } of slow) end();
    expect(await Promise.all(slow.map(({ status }) => status))).toEqual([400, 400]);
    await waitFor(async () => (await upload('{}')).status === 400);
  });

  it('that are broken off before they are looked at hold no place', async () => {
    const { hostname, port } = new URL(assay.server.url);
    for (let sent = 0; sent < 8; sent += 1) {
      const socket = connect(Number(port), hostname);
      await once(socket, 'connect');
      const head = `POST /datasets?name=gone HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${team.key}\r\n`;
      socket.write(`${head}content-type: application/x-ndjson\r\ncontent-length: 10\r\n\r\n`, () => socket.destroy());
      await once(socket, 'close');
    }
    await waitFor(async () => (await upload('{}')).status === 400);
    expect((await Promise.all([upload('{}'), upload('{}')])).map(({ status }) => status)).toEqual([400, 400]);
  });
});

async function waitFor(fact: () => Promise<boolean>): Promise<void> {
  for (let attempt = 0; !(await fact()); attempt += 1) {
    if (attempt === 200) throw new Error('it did not come true');
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

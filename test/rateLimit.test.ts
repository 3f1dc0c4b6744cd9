import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { type HttpServer, startHttpServer } from '../src/graphql/httpServer.js';
import { Assay, type Data, OPERATOR_TOKEN, Team } from './support/assay.js';
import { conversations, jsonl } from './support/dataset.js';
import { RawSocket } from './support/rawSocket.js';

const rateLimits = { reads: 100, starts: 5 };

describe('rate limits of a key', () => {
  let assay: Assay;
  let other: HttpServer;
  let team: Team;
  let datasetId: string;

  beforeAll(async () => {
    assay = await Assay.start({ workers: false, server: { rateLimits } });
    // A second process of the same installation.
    const options = { host: '127.0.0.1', port: 0, operatorToken: null, maxImportBytes: 1_000_000, rateLimits };
    const { db, ...services } = assay.services;
    const own = services.teams.of('00000000-0000-7000-8000-000000000000');
    other = await startHttpServer({ ...services, db: own }, options);
    team = await assay.team();
    datasetId = (await team.dataset(jsonl(conversations(1)))).id;
    await team.endpoint('http://127.0.0.1:9/v1');
  });
  afterAll(async () => {
    await other.close();
    await assay.close();
  });
  beforeEach(async () => {
    await assay.services.db.rateBucket.deleteMany();
    // What this process has taken in advance goes with a fresh key.
    team = new Team(assay, (await freshKey()) as string);
  });

  async function freshKey(): Promise<string> {
    const { db } = assay.services;
    const { secret } = await team.mutate('createApiKey', { name: 'fresh', role: 'ADMIN' }, 'secret');
    await db.rateBucket.deleteMany();
    return secret;
  }

  const post = async (url: string, query: string, variables: Data = {}) => {
    const response = await fetch(`${url}/graphql`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${team.key}` },
      body: JSON.stringify({ query, variables }),
    });
    const { errors } = (await response.json()) as { errors?: { extensions: { code: string } }[] };
    return { response, code: errors?.[0]?.extensions.code ?? null };
  };
  const read = (url = assay.server.url) => post(url, '{ viewer { role } }');
  const start = (url = assay.server.url) =>
    post(url, 'mutation ($input: StartRunInput!) { startRun(input: $input) { userErrors { code } } }', {
      input: { name: 'run', datasetId },
    });
  const times = <T>(count: number, make: (at: number) => Promise<T>) =>
    Promise.all(Array.from({ length: count }, (_, at) => make(at)));

  it('let starts through up to the limit, over all processes, and say when to try again', async () => {
    const answers = await times(8, (at) => start(at % 2 === 0 ? assay.server.url : other.url));
    const codes = answers.map(({ code }) => code);
    expect(codes.filter((code) => code === null)).toHaveLength(5);
    expect(codes.filter((code) => code === 'RATE_LIMITED')).toHaveLength(3);
    const refused = answers.find(({ code }) => code !== null)?.response;
    expect(refused?.status).toBe(429);
    // Five a minute: the next in 12 seconds.
    const seconds = Number(refused?.headers.get('retry-after'));
    expect(seconds).toBeGreaterThanOrEqual(1);
    expect(seconds).toBeLessThanOrEqual(12);
  });

  it('count each start of a document with several', async () => {
    const once = 'startRun(input: $input) { userErrors { code } }';
    const query = `mutation ($input: StartRunInput!) { ${[1, 2, 3].map((at) => `a${at}: ${once}`).join(' ')} }`;
    const input = { name: 'run', datasetId };
    expect((await post(assay.server.url, query, { input })).code).toBeNull();
    expect((await post(assay.server.url, query, { input })).code).toBe('RATE_LIMITED');
  });

  it('count uploads as starts', async () => {
    const upload = () =>
      fetch(`${assay.server.url}/datasets?name=n`, {
        method: 'POST',
        headers: { authorization: `Bearer ${team.key}`, 'content-type': 'application/x-ndjson' },
        body: '{}',
      });
    const statuses: number[] = [];
    for (let at = 0; at < 6; at += 1) statuses.push((await upload()).status);
    expect(statuses).toEqual([400, 400, 400, 400, 400, 429]);
  });

  it('never keep a run from being cancelled, or a key from being revoked', async () => {
    await times(6, () => start());
    const runId = (await team.query('{ runs(first: 1) { nodes { id } } }')).runs.nodes[0].id;
    expect((await start()).code).toBe('RATE_LIMITED');
    expect((await team.mutate('cancelRun', { runId }, 'run { status }')).run.status).toBe('CANCELLED');
  });

  it('fill up again with time', async () => {
    await times(6, () => start());
    expect((await start()).code).toBe('RATE_LIMITED');
    await assay.services.db.$executeRaw`UPDATE rate_bucket SET updated_at = updated_at - interval '25 seconds'`;
    expect((await times(3, () => start())).filter(({ code }) => code === null)).toHaveLength(2);
  });

  it('hold for reads, over all processes and both transports', async () => {
    const codes = (await times(120, (at) => read(at % 2 === 0 ? assay.server.url : other.url))).map(({ code }) => code);
    const passed = codes.filter((code) => code === null).length;
    // A process takes reads in packs, so another may find fewer; meanwhile some more come.
    expect(passed).toBeGreaterThanOrEqual(50);
    expect(passed).toBeLessThanOrEqual(115);
    const socket = await RawSocket.authenticated(assay, team.key);
    await times(60, () => read());
    expect(await socket.errorsOf('{ viewer { role } }')).toMatchObject([{ extensions: { code: 'RATE_LIMITED' } }]);
    socket.close();
  });

  it('cost a statement for one read in fifty only', async () => {
    await read();
    const before = assay.services.statements();
    for (let at = 0; at < 20; at += 1) await read();
    // Who asks, and the team's row.
    expect(assay.services.statements() - before).toBe(40);
  });

  it('count a large read as several', async () => {
    const large =
      '{ runs(first: 200) { nodes { tagScores { tag } histogram { count } dataset { name } progress { criteriaTotal } } } }';
    const codes: (string | null)[] = [];
    for (let at = 0; at < 25; at += 1) codes.push((await post(assay.server.url, large)).code);
    expect(codes.filter((code) => code === null).length).toBeLessThan(22);
    expect(codes).toContain('RATE_LIMITED');
  });

  it('are one key’s own, and not the operator’s', async () => {
    await times(6, () => start());
    expect((await start()).code).toBe('RATE_LIMITED');
    const { errors } = await assay.graphql(
      'mutation { createTeam(input: { name: "x" }) { userErrors { code } } }',
      {},
      OPERATOR_TOKEN,
    );
    expect(errors).toBeUndefined();
    const fresh = await assay.team();
    expect((await fresh.mutate('createApiKey', { name: 'k', role: 'VIEWER' }, 'secret')).secret).toBeDefined();
  });

  it('let reads go on and refuse starts when they cannot be checked', async () => {
    const { db } = assay.services;
    await db.$executeRaw`ALTER TABLE rate_bucket RENAME TO rate_bucket_away`;
    try {
      expect((await read()).code).toBeNull();
      const { response, code } = await start();
      expect([response.status, code]).toEqual([503, 'UNAVAILABLE']);
      const runs = await db.run.count();
      const socket = await RawSocket.authenticated(assay, team.key);
      expect(await socket.errorsOf('{ viewer { role } }')).toEqual([]);
      const starting = `mutation { startRun(input: { name: "n", datasetId: "${datasetId}" }) { userErrors { code } } }`;
      expect(await socket.errorsOf(starting)).toMatchObject([{ extensions: { code: 'UNAVAILABLE' } }]);
      socket.close();
      expect(await db.run.count()).toBe(runs);
    } finally {
      await db.$executeRaw`ALTER TABLE rate_bucket_away RENAME TO rate_bucket`;
    }
  });

  it('do not wait for a row that somebody holds', async () => {
    await start();
    const { db } = assay.services;
    await db.$transaction(async (tx) => {
      await tx.$executeRaw`UPDATE rate_bucket SET tokens = tokens`;
      const began = performance.now();
      expect((await start()).code).toBe('UNAVAILABLE');
      expect(performance.now() - began).toBeLessThan(5_000);
    });
  });
});

import { once } from 'node:events';
import { connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import pg from 'pg';
import { Assay, type Data, type Team } from './support/assay.js';
import { conversations, jsonl } from './support/dataset.js';
import { RawSocket } from './support/rawSocket.js';

const PROGRESS = 'subscription ($id: ID!) { runProgress(runId: $id) { id } }';

describe('sockets', () => {
  let assay: Assay;
  let team: Team;
  let runId: string;

  beforeAll(async () => {
    const socketLimits = { socketsPerKey: 4, subscriptionsPerSocket: 20, subscriptionsPerKey: 30, strangers: 3 };
    assay = await Assay.start({ workers: false, server: { socketLimits } });
    team = await assay.team();
    await team.endpoint('http://127.0.0.1:9/v1');
    const dataset = await team.dataset(jsonl(conversations(2)));
    runId = await team.start({ name: 'run', datasetId: dataset.id });
  });
  afterAll(() => assay.close());

  const freshKey = async (): Promise<string> =>
    (await team.mutate('createApiKey', { name: 'fresh', role: 'VIEWER' }, 'secret')).secret;
  const refusals = (socket: RawSocket): Data[] => socket.messages.filter(({ type }) => type === 'error');

  it('close with 4408 when nothing comes for ten seconds', async () => {
    const socket = await RawSocket.open(assay);
    expect(await socket.closed).toBe(4408);
  }, 15_000);

  it('answer a flood of subscriptions up to the cap and refuse the others, while the process serves everybody', async () => {
    const socket = await RawSocket.authenticated(assay, await freshKey());
    for (let at = 0; at < 1_000; at += 1) socket.subscribe(String(at), PROGRESS, { id: runId });
    const began = performance.now();
    await team.query('{ viewer { role } }');
    // Generous: the tests share a machine.
    expect(performance.now() - began).toBeLessThan(5_000);
    await socket.until(() => refusals(socket).length === 980);
    expect(refusals(socket)[0]?.payload).toMatchObject([
      { extensions: { code: 'TOO_MANY_SUBSCRIPTIONS', requestId: expect.any(String) } },
    ]);
    // A place that is given back can be taken again.
    socket.send({ type: 'complete', id: '0' });
    await eventually(async () => (await socket.errorsOf('{ viewer { role } }')).length === 0);
    socket.close();
  });

  it('share the cap on subscriptions of their key', async () => {
    const key = await freshKey();
    const [first, second] = [await RawSocket.authenticated(assay, key), await RawSocket.authenticated(assay, key)];
    for (let at = 0; at < 20; at += 1) first.subscribe(String(at), PROGRESS, { id: runId });
    await first.until(() => first.messages.filter(({ type }) => type === 'next').length === 20);
    for (let at = 0; at < 20; at += 1) second.subscribe(String(at), PROGRESS, { id: runId });
    await second.until(() => refusals(second).length === 10);
    // The places of a socket that is gone are free.
    first.close();
    await eventually(async () => (await second.errorsOf('{ viewer { role } }')).length === 0);
    second.close();
  });

  it('leave their places to others, also event streams that are broken off before they begin', async () => {
    const key = await freshKey();
    const { hostname, port } = new URL(assay.server.url);
    for (let sent = 0; sent < 40; sent += 1) {
      const gone = connect(Number(port), hostname);
      await once(gone, 'connect');
      const head = `GET /runs/${runId}/events HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${key}\r\n\r\n`;
      gone.write(head, () => gone.destroy());
      await once(gone, 'close');
    }
    const open = new AbortController();
    const stream = () =>
      fetch(`${assay.server.url}/runs/${runId}/events`, {
        headers: { authorization: `Bearer ${key}` },
        signal: open.signal,
      });
    await eventually(async () => (await stream()).status === 200);
    const places = await Promise.all(Array.from({ length: 20 }, stream));
    expect(places.map(({ status }) => status)).toEqual(Array(20).fill(200));
    open.abort();
  });

  it('are closed with 4411 when their key has too many, and not for others', async () => {
    const key = await freshKey();
    const open: RawSocket[] = [];
    for (let at = 0; at < 4; at += 1) open.push(await RawSocket.authenticated(assay, key));
    const fifth = await RawSocket.open(assay);
    fifth.init(key);
    expect(await fifth.closed).toBe(4411);
    (await RawSocket.authenticated(assay, await freshKey())).close();
    open[0]?.close();
    await eventually(async () => {
      const again = await RawSocket.open(assay);
      again.init(key);
      const acknowledged = await Promise.race([again.closed, again.until(() => again.messages.length > 0)]);
      again.close();
      return acknowledged === undefined;
    });
    for (const socket of open) socket.close();
  });

  it('of strangers are few, and closed with 1013 beyond that', async () => {
    const strangers = [await RawSocket.open(assay), await RawSocket.open(assay), await RawSocket.open(assay)];
    expect(await (await RawSocket.open(assay)).closed).toBe(1013);
    for (const socket of strangers) socket.close();
    await eventually(async () => {
      const socket = await RawSocket.authenticated(assay, team.key).catch(() => null);
      socket?.close();
      return socket !== null;
    });
  });

  it('survive nonsense: bytes, other protocols, unknown types', async () => {
    for (const text of ['{', '[]', '{"type":"nothing"}', '{"type":"subscribe","id":"1","payload":{"query":7}}']) {
      const socket = await RawSocket.authenticated(assay, team.key);
      socket.socket.send(text);
      expect(await socket.closed).toBe(4400);
    }
    const odd = await RawSocket.authenticated(assay, team.key);
    expect(await odd.errorsOf('query A { viewer { role } } query B { viewer { role } }')).toHaveLength(1);
    odd.close();
  });
});

describe('a reader of a busy run', () => {
  let assay: Assay;
  let team: Team;
  let runId: string;
  const TOTAL = 20_000;
  const VERDICTS = `subscription ($id: ID!, $after: Int) {
    runVerdicts(runId: $id, after: $after) { cursor verdicts { sequence explanation } } }`;

  beforeAll(async () => {
    assay = await Assay.start({ workers: false });
    team = await assay.team();
    await team.endpoint('http://127.0.0.1:9/v1');
    const [one] = conversations(1);
    const criteria = Array.from({ length: 1_000 }, (_, no) => ({ ...one?.criteria[0], text: `Says ${no}.` }));
    const dataset = await team.dataset(jsonl([{ ...one, criteria }] as never));
    runId = await team.start({ name: 'run', datasetId: dataset.id, repeats: TOTAL / 1_000 });
    // Two kilobytes each: 40 MB in all, far more than a connection holds.
    await assay.services.db.$executeRaw`
      INSERT INTO criterion_verdict (run_id, sequence, team_id, ordinal, criterion_no, criteria_met, explanation, attempts, latency_ms)
      SELECT r.run_id, row_number() OVER (ORDER BY r.ordinal, c.no), r.team_id, r.ordinal, c.no, true, repeat('word ', 400), 1, 1
      FROM run_conversation r, rubric_criterion c`;
    await assay.services.db.verdictLog.updateMany({ data: { lastSequence: TOTAL, positiveGraded: TOTAL } });
  });
  afterAll(() => assay.close());

  const sequences = (socket: RawSocket): number[] =>
    socket.messages.flatMap(({ payload }) => payload?.data?.runVerdicts.verdicts ?? []).map(({ sequence }) => sequence);

  it('who stops reading is waited for in the log, not in memory, and misses nothing afterwards', async () => {
    const socket = await RawSocket.authenticated(assay, team.key);
    socket.socket.pause();
    const query = jest.spyOn(pg.Client.prototype, 'query');
    socket.subscribe('1', VERDICTS, { id: runId });
    const pages = await settled(
      () => query.mock.calls.filter((call) => JSON.stringify(call[0]).includes('FROM criterion_verdict')).length,
    );
    query.mockRestore();
    // What fits into the connection has been read, in pages of 500; the other 30 pages have not.
    expect(pages).toBeLessThan(10);
    socket.socket.resume();
    await socket.until(() => sequences(socket).length >= TOTAL);
    expect(sequences(socket)).toEqual(Array.from({ length: TOTAL }, (_, at) => at + 1));
    socket.close();
  }, 60_000);

  it('who comes back with the last number it saw gets each later verdict once', async () => {
    const socket = await RawSocket.authenticated(assay, team.key);
    socket.subscribe('1', VERDICTS, { id: runId, after: TOTAL - 10 });
    await socket.until(() => sequences(socket).length >= 10);
    expect(sequences(socket)).toEqual(Array.from({ length: 10 }, (_, at) => TOTAL - 9 + at));
    socket.close();
  });
});

async function eventually(fact: () => Promise<boolean>): Promise<void> {
  for (let attempt = 0; !(await fact()); attempt += 1) {
    if (attempt === 200) throw new Error('it did not come true');
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

/** The number when it has not changed for a second. */
async function settled(number: () => number): Promise<number> {
  for (let last = -1; ; ) {
    if (last > 0 && last === number()) return last;
    last = number();
    await new Promise((resolve) => setTimeout(resolve, 2_000));
  }
}

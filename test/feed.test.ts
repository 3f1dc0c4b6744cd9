import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import { uuidOf } from '../src/platform/relay/globalId.js';
import { type SimulatedProvider, startSimulatedProvider } from '../src/simulator/simulatedProvider.js';
import { Assay, type Data, type Team } from './support/assay.js';
import { until } from './support/consistency.js';
import { conversations, jsonl } from './support/dataset.js';
import { RawSocket } from './support/rawSocket.js';
import { serverUrl } from './support/serverProcess.js';
import { WorkerProcesses } from './support/workerProcess.js';

const list = conversations(80);
const criteria = list.reduce((sum, conversation) => sum + conversation.criteria.length, 0);
const upTo = (count: number) => Array.from({ length: count }, (_, at) => at + 1);

const VERDICTS = `subscription ($id: ID!, $after: Int) { runVerdicts(runId: $id, after: $after) { cursor runStatus
  verdicts { sequence runConversation { promptId } } } }`;

const batchesOf = (socket: RawSocket): Data[] =>
  socket.messages.flatMap(({ type, payload }) => (type === 'next' ? [payload.data.runVerdicts] : []));
const sequencesOf = (socket: RawSocket): number[] =>
  batchesOf(socket).flatMap(({ verdicts }) => verdicts.map(({ sequence }: Data) => sequence));
const isComplete = (socket: RawSocket) => socket.messages.some(({ type }) => type === 'complete');

describe('the feed of a run', () => {
  let assay: Assay;
  let team: Team;
  let provider: SimulatedProvider;
  let datasetId: string;
  let runId: string;
  let processes: WorkerProcesses;

  beforeAll(async () => {
    assay = await Assay.start({ workers: false });
    processes = new WorkerProcesses(assay);
    provider = await startSimulatedProvider({ latencyMs: 20 });
    team = await assay.team();
    await team.endpoint(provider.url, { maxConcurrency: 4 });
    datasetId = (await team.dataset(jsonl(list))).id;
  });
  beforeEach(async () => {
    runId = await team.start({ datasetId });
  });
  afterEach(async () => {
    await processes.killAll();
    await team.tryMutate('cancelRun', { runId }, 'run { id }');
  });
  afterAll(async () => {
    await provider.close();
    await assay.close();
  });

  const follow = async (key = team.key, after = 0): Promise<RawSocket> => {
    const socket = await RawSocket.authenticated(assay, key);
    socket.subscribe('1', VERDICTS, { id: runId, after });
    return socket;
  };

  it('is read and answered once for all who follow it', async () => {
    const statements = async (readers: number): Promise<number> => {
      const sockets = await Promise.all(Array.from({ length: readers }, () => follow()));
      await Promise.all(sockets.map((socket) => socket.until(() => batchesOf(socket).length > 0)));
      const before = assay.services.statements();
      processes.start();
      await Promise.all(sockets.map((socket) => socket.until(() => isComplete(socket))));
      for (const socket of sockets) {
        expect(sequencesOf(socket)).toEqual(upTo(criteria));
        expect(batchesOf(socket).at(-1)).toMatchObject({ runStatus: 'COMPLETED', cursor: criteria });
        socket.close();
      }
      const events = Math.max(...sockets.map((socket) => batchesOf(socket).length));
      return (assay.services.statements() - before) / events;
    };
    const one = await statements(1);
    runId = await team.start({ datasetId });
    // Reading the run, its log and what the verdicts stand on is a handful of statements, for 40 as for one.
    expect(await statements(40)).toBeLessThan(2 * one);
  }, 90_000);

  it('loses nothing with the connections that bring its hints', async () => {
    const socket = await follow();
    processes.start();
    for (let kills = 0; !isComplete(socket); kills += 1) {
      await assay.services.db
        .$executeRaw`SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'assay wake-ups'`;
      await sleep(100);
      if (kills > 600) throw new Error('the run does not end');
    }
    expect(sequencesOf(socket)).toEqual(upTo(criteria));
  }, 90_000);

  it('goes on at another process when the one that served it is killed', async () => {
    const servers = new WorkerProcesses(assay, 'server');
    const [first, second] = [servers.start(), servers.start()];
    const [here, there] = await Promise.all([serverUrl(first), serverUrl(second)]);
    const followAt = async (url: string, after: number) => {
      const socket = await RawSocket.authenticated({ server: { ...assay.server, url } }, team.key);
      socket.subscribe('1', VERDICTS, { id: runId, after });
      return socket;
    };
    const before = await followAt(here, 0);
    await before.until(() => sequencesOf(before).length > 50);
    await servers.kill(first);
    await before.closed;
    const after = await followAt(there, batchesOf(before).at(-1)?.cursor);
    await after.until(() => isComplete(after));
    expect([...sequencesOf(before), ...sequencesOf(after)]).toEqual(upTo(criteria));
    await servers.killAll();
  }, 90_000);

  it('gives each reader of a storm of reconnections every verdict once', async () => {
    const readers = Array.from({ length: 20 }, async () => {
      const seen: number[] = [];
      for (let over = false; !over; ) {
        const socket = await follow(team.key, seen.length);
        await socket.until(() => sequencesOf(socket).length > 0 || isComplete(socket));
        socket.close();
        seen.push(...sequencesOf(socket));
        over = isComplete(socket) || seen.length === criteria;
      }
      return seen;
    });
    processes.start();
    for (const seen of await Promise.all(readers)) expect(seen).toEqual(upTo(criteria));
  }, 90_000);

  it('is closed for a revoked key and for no other', async () => {
    const { apiKey, secret } = await team.mutate(
      'createApiKey',
      { name: 'revoked soon', role: 'VIEWER' },
      'secret apiKey { id }',
    );
    const [mine, others] = await Promise.all([follow(secret), follow()]);
    await Promise.all([mine, others].map((socket) => socket.until(() => batchesOf(socket).length > 0)));
    await team.mutate('revokeApiKey', { apiKeyId: apiKey.id }, 'apiKey { id }');
    expect(await mine.closed).toBe(4401);
    processes.start();
    await others.until(() => isComplete(others));
    expect(sequencesOf(mine)).toEqual([]);
    expect(sequencesOf(others)).toEqual(upTo(criteria));
  }, 90_000);

  it('of a cancelled run ends after the verdicts of the calls that were in flight', async () => {
    const socket = await follow();
    processes.start();
    await socket.until(() => sequencesOf(socket).length > 20);
    // What the workers have in hand cannot be written until this transaction ends.
    const holder = new pg.Client({ connectionString: assay.databaseUrl });
    await holder.connect();
    await holder.query('BEGIN');
    await holder.query('SELECT 1 FROM verdict_log WHERE run_id = $1 FOR UPDATE', [uuidOf('Run', runId)]);
    await until(async () => {
      const waiting = await holder.query("SELECT 1 FROM pg_locks WHERE NOT granted AND locktype = 'transactionid'");
      return waiting.rows.length > 0;
    });
    await team.mutate('cancelRun', { runId }, 'run { id }');
    const polled = () =>
      team.query('query ($id: ID!) { runEvents(runId: $id) { runStatus } }', { id: runId }).then((d) => d.runEvents);
    expect(await polled()).toEqual({ runStatus: 'RUNNING' });
    expect(isComplete(socket)).toBe(false);
    await holder.query('COMMIT');
    await holder.end();
    await socket.until(() => isComplete(socket));
    const stored = await assay.services.db.criterionVerdict.count({ where: { runId: uuidOf('Run', runId) as string } });
    expect(sequencesOf(socket)).toEqual(upTo(stored));
    expect(batchesOf(socket).at(-1)).toMatchObject({ runStatus: 'CANCELLED', cursor: stored });
    expect(await polled()).toEqual({ runStatus: 'CANCELLED' });
  }, 90_000);
});

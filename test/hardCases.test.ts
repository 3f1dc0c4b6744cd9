import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type SimulatedProvider, startSimulatedProvider } from '../src/simulator/simulatedProvider.js';
import { Assay, type Data, type Team } from './support/assay.js';
import { conversations, jsonl } from './support/dataset.js';
import { SEED } from './support/expected.js';
import { RawSocket } from './support/rawSocket.js';

const BATCHES = 'subscription ($id: ID!) { runVerdicts(runId: $id) { cursor runStatus } }';

describe('hard moments', () => {
  let assay: Assay;
  let team: Team;
  let provider: SimulatedProvider;
  let datasetId: string;

  beforeAll(async () => {
    provider = await startSimulatedProvider({ seed: SEED });
    assay = await Assay.start();
    team = await assay.team();
    await team.endpoint(provider.url);
    datasetId = (await team.dataset(jsonl(conversations(1)))).id;
  });
  afterAll(async () => {
    await assay.close();
    await provider.close();
  });

  const over = ['CANCELLED', 'COMPLETED', 'FAILED'];
  const ended = async (id: string): Promise<Data> => {
    for (;;) {
      const run = await team.run(id, 'status finishedAt progress { criteriaDone criteriaTotal criteriaGraded }');
      if (over.includes(run.status)) return run;
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
  };

  it('cancelling at the moment of finishing gives one final state, which stays', async () => {
    const seen = new Set<string>();
    for (let at = 0; at < 20; at += 1) {
      const id = await team.start({ name: `race ${at}`, datasetId });
      // A little later each time, so that some are over before and some after.
      await new Promise((resolve) => setTimeout(resolve, at * 15));
      await team.tryMutate('cancelRun', { runId: id }, 'run { status }');
      const run = await ended(id);
      seen.add(run.status);
      await new Promise((resolve) => setTimeout(resolve, 20));
      expect(await team.run(id, 'status finishedAt')).toEqual({ status: run.status, finishedAt: run.finishedAt });
    }
    expect([...seen].every((status) => ['CANCELLED', 'COMPLETED'].includes(status))).toBe(true);
  }, 60_000);

  it('resuming twice at once grades each criterion once', async () => {
    const id = await team.start({ name: 'twice', datasetId });
    await team.tryMutate('pauseRun', { runId: id }, 'run { status }');
    await Promise.all([1, 2].map(() => team.tryMutate('resumeRun', { runId: id }, 'run { status }')));
    const run = await ended(id);
    expect(run.status).toBe('COMPLETED');
    expect(run.progress).toMatchObject({ criteriaDone: run.progress.criteriaTotal });
    const { verdicts } = await team.run(id, 'verdicts(first: 500) { totalCount nodes { id } }');
    expect(new Set(verdicts.nodes.map((verdict: Data) => verdict.id)).size).toBe(verdicts.totalCount);
    expect(verdicts.totalCount).toBe(run.progress.criteriaGraded);
  });

  it.each([
    ['a zero byte', 'a\u0000b'],
    ['half an emoji', 'a\ud83d'],
  ])('%s in a name is refused as input, and in filters finds nothing or is refused', async (_what, name) => {
    const started = await team.tryMutate('startRun', { name, datasetId }, 'run { id }');
    expect(started.userErrors[0]?.code).toBe('INVALID_INPUT');
    const key = await team.tryMutate('createApiKey', { name, role: 'VIEWER' }, 'secret');
    expect(key.userErrors[0]?.code).toBe('INVALID_INPUT');
    const query = 'query ($f: RunFilter) { runs(filter: $f) { nodes { id } } }';
    for (const filter of [{ name }, { model: name }, { grader: name }]) {
      const { errors } = await assay.graphql(query, { f: filter }, team.key);
      expect(errors?.[0]?.extensions.code ?? 'nothing').not.toBe('INTERNAL_SERVER_ERROR');
    }
    const id = await team.start({ name: 'run', datasetId, idempotencyKey: crypto.randomUUID() });
    const { errors } = await assay.graphql(
      'query ($id: ID!, $f: RunConversationFilter, $v: VerdictFilter) { run(id: $id) { conversations(filter: $f) { nodes { id } } verdicts(filter: $v) { nodes { id } } } }',
      { id, f: { theme: name }, v: { tag: name } },
      team.key,
    );
    expect(errors?.[0]?.extensions.code ?? 'nothing').not.toBe('INTERNAL_SERVER_ERROR');
    const again = await team.tryMutate('startRun', { name: 'n', datasetId, idempotencyKey: name }, 'run { id }');
    expect(again.userErrors[0]?.code).toBe('INVALID_INPUT');
  });
});

describe('shutting down during a run', () => {
  let provider: SimulatedProvider;
  let server: ChildProcess;
  let dataDir: string;
  let assay: Assay;

  beforeAll(async () => {
    provider = await startSimulatedProvider({ seed: SEED, latencyMs: 300 });
    // Its database; the server under test is a process of its own.
    assay = await Assay.start({ workers: false });
    dataDir = await mkdtemp(path.join(tmpdir(), 'assay-shutdown-'));
  });
  afterAll(async () => {
    server?.kill('SIGKILL');
    await assay.close();
    await provider.close();
    await rm(dataDir, { recursive: true, force: true });
  });

  it('closes 200 subscribers with 1001, finishes the calls in flight and exits; the run goes on elsewhere', async () => {
    const port = await freePort();
    const env = { PATH: process.env.PATH, DATABASE_URL: assay.databaseUrl, ASSAY_DATA_DIR: assay.dataDir };
    const more = { PORT: String(port), ASSAY_MIGRATE: 'false', LOG_LEVEL: 'warn', ASSAY_DRAIN_SECONDS: '10' };
    server = spawn(process.execPath, ['dist/server.js'], { env: { ...env, ...more }, stdio: 'inherit' });
    const url = `http://127.0.0.1:${port}`;
    for (;;) {
      if (
        await fetch(`${url}/health`).then(
          ({ ok }) => ok,
          () => false,
        )
      )
        break;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    const team = await assay.team();
    await team.endpoint(provider.url, { maxConcurrency: 20 });
    const id = await team.start({ name: 'run', datasetId: (await team.dataset(jsonl(conversations(30)))).id });
    const there = { server: { ...assay.server, url } };
    const sockets = await Promise.all(Array.from({ length: 200 }, () => RawSocket.authenticated(there, team.key)));
    for (const socket of sockets) socket.subscribe('1', BATCHES, { id });
    const cursor = () => sockets[0]?.messages.at(-1)?.payload?.data?.runVerdicts.cursor ?? 0;
    await sockets[0]?.until(() => cursor() > 20);
    const exited = once(server, 'exit');
    const began = performance.now();
    server.kill('SIGTERM');
    const codes = await Promise.all(sockets.map(({ closed }) => closed));
    expect(performance.now() - began).toBeLessThan(10_000);
    expect(new Set(codes)).toEqual(new Set([1001]));
    expect((await exited)[0]).toBe(0);
    expect(performance.now() - began).toBeLessThan(20_000);
    expect((await team.run(id, 'status')).status).toBe('RUNNING');
    const answered = provider.stats().ok;
    const { progress } = await team.run(id, 'progress { criteriaGraded repliesDone }');
    // What was answered was kept.
    expect(progress.criteriaGraded + progress.repliesDone).toBe(answered);
  }, 90_000);
});

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as { port: number };
  await new Promise((resolve) => server.close(resolve));
  return port;
}

import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { createClient } from 'graphql-ws';
import WebSocket from 'ws';
import { type SimulatedProvider, startSimulatedProvider } from '../src/simulator/simulatedProvider.js';
import { Assay, type Data, type Team } from './support/assay.js';
import { expectComplete, until } from './support/consistency.js';
import { conversations, jsonl } from './support/dataset.js';
import { serverUrl } from './support/serverProcess.js';
import { WorkerProcesses } from './support/workerProcess.js';

const list = conversations(40);
const criteria = list.reduce((sum, conversation) => sum + conversation.criteria.length, 0);

async function stop(child: ChildProcess): Promise<{ code: number | null; ms: number }> {
  const at = Date.now();
  const exited = once(child, 'exit');
  child.kill('SIGTERM');
  const [code] = await exited;
  return { code, ms: Date.now() - at };
}

describe('SIGTERM', () => {
  let assay: Assay;
  let team: Team;
  let provider: SimulatedProvider;
  let runId: string;
  let workers: WorkerProcesses;
  let servers: WorkerProcesses;

  beforeAll(async () => {
    assay = await Assay.start({ workers: false });
    workers = new WorkerProcesses(assay);
    servers = new WorkerProcesses(assay, 'server');
  });
  beforeEach(async () => {
    provider = await startSimulatedProvider({ latencyMs: 150 });
    team = await assay.team();
    await team.endpoint(provider.url);
    runId = await team.start({ datasetId: (await team.dataset(jsonl(list))).id });
  });
  afterEach(async () => {
    await Promise.all([workers.killAll(), servers.killAll()]);
    await provider.close();
  });
  afterAll(() => assay.close());

  const graded = async () => (await team.run(runId, 'progress { criteriaGraded }')).progress.criteriaGraded;
  const isOver = async () => (await team.run(runId, 'status')).status === 'COMPLETED';

  it('lets a worker finish its calls, exit with 0 and hand the rest over at once', async () => {
    const first = workers.start();
    await until(async () => (await graded()) > 20);
    const { code, ms } = await stop(first);
    expect(code).toBe(0);
    expect(ms).toBeLessThan(5_000);
    // Nothing that it held waits for a lease to end or for a delay to pass, and its share is free.
    const jobs = await assay.services.db.$queryRaw<{ state: string; ready: boolean }[]>`
      SELECT state::text, start_after <= now() AS ready FROM pgboss.job
      WHERE name IN ('generate-reply', 'grade-conversation') AND state <= 'active'`;
    expect(jobs.filter(({ state }) => state === 'retry').length).toBeGreaterThan(0);
    expect(jobs.filter(({ state, ready }) => state === 'active' || !ready)).toEqual([]);
    expect(await assay.services.db.endpointShare.count()).toBe(0);

    const second = workers.start();
    await until(isOver, 30);
    await expectComplete(assay, runId);
    expect(provider.stats()).toMatchObject({ repeatedOk: 0, failed: {} });
    expect((await stop(second)).code).toBe(0);
  }, 90_000);

  it('aborts what takes longer than the time to drain', async () => {
    provider.configure({ latencyMs: 60_000 });
    const worker = workers.start({ ASSAY_DRAIN_SECONDS: '1' });
    await until(() => provider.stats().inFlight > 0);
    const { code, ms } = await stop(worker);
    expect(code).toBe(0);
    expect(ms).toBeLessThan(4_000);
    provider.configure({ latencyMs: 1 });
    const second = workers.start();
    await until(isOver, 30);
    await expectComplete(assay, runId);
    await stop(second);
  }, 90_000);

  it('tells subscribers with 1001, and they find everything again at another process', async () => {
    const url = async (server: ChildProcess) => `${(await serverUrl(server)).replace('http', 'ws')}/graphql`;
    const first = servers.start();
    const seen: number[] = [];
    let closed: number | null = null;
    const follow = async (at: string, after: number) => {
      const client = createClient({
        url: at,
        webSocketImpl: WebSocket,
        connectionParams: { authorization: `Bearer ${team.key}` },
        retryAttempts: 0,
        on: { closed: (event) => (closed = (event as { code: number }).code) },
      });
      const query = `subscription ($runId: ID!, $after: Int) { runVerdicts(runId: $runId, after: $after) { verdicts { sequence } } }`;
      for await (const { data } of client.iterate<Data>({ query, variables: { runId, after } })) {
        seen.push(...(data as Data).runVerdicts.verdicts.map((verdict: Data) => verdict.sequence));
      }
    };
    const following = follow(await url(first), 0).catch((error) => error);
    await until(() => seen.length > 20);
    expect((await stop(first)).code).toBe(0);
    await following;
    expect(closed).toBe(1001);

    const second = servers.start();
    await follow(await url(second), seen.at(-1) ?? 0);
    expect(seen).toEqual(Array.from({ length: criteria }, (_, i) => i + 1));
    expect((await stop(second)).code).toBe(0);
  }, 90_000);
});

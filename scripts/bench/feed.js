import { setTimeout as sleep } from 'node:timers/promises';
import { uuidOf } from '../../dist/platform/relay/globalId.js';
import { noUsage } from '../../dist/runs/usage.js';
import { recordVerdicts } from '../../dist/verdicts/recordVerdicts.js';
import { CRITERIA } from './material.js';
import { withService, withServices } from './place.js';
import { cpuSeconds, residentMb, startSubscribers } from './programs.js';
import { percent, table } from './report.js';

const PER_SECOND = 500;
const BATCH = 25;
const SECONDS = 20;
const SUBSCRIBERS = [1, 1_000];
const NOTHING = { promptTokens: null, completionTokens: null, cachedTokens: null, reasoningTokens: null };

/** From the commit of a verdict to those who follow the run, while verdicts come at a steady pace. */
export async function feed(bench) {
  const conversations = Math.ceil((PER_SECOND * SECONDS) / CRITERIA);
  const rows = [];
  const work = (place) =>
    withServices(place, async ({ db }) => {
      for (const subscribers of SUBSCRIBERS) rows.push(await follow(place, db, conversations, subscribers));
    });
  await withService(bench, conversations, work, { ASSAY_ROLE: 'server' });
  table(
    `Commit to subscriber at ${PER_SECOND} verdicts a second for ${SECONDS} s (bar: p99 under 150 ms, none missed)`,
    ['subscribers', 'deliveries', 'missed', 'double', 'p50', 'p95', 'p99', 'max', 'CPU of the service', 'memory'],
    rows,
  );
}

async function follow({ client, dataset, pid, key }, db, conversations, subscribers) {
  const total = conversations * CRITERIA;
  const endpointId = await client.endpoint('http://127.0.0.1:9/v1', subscribers);
  const model = { endpointId };
  const input = { name: `bench ${subscribers}`, datasetId: dataset, modelUnderTest: model, grader: model };
  const { id } = (await client.mutate('startRun', input, 'run { id }')).run;
  const runId = uuidOf('Run', id);
  await db.$executeRaw`UPDATE run_conversation SET status = 'REPLIED' WHERE run_id = ${runId}::uuid`;
  const followers = await startSubscribers(client.url, key, id, subscribers, total);
  const [cpu, started] = [await cpuSeconds(pid), performance.now()];
  const committed = await write(db, runId, total);
  const { arrivals, gaps, doubles } = await followers.result();
  const load = (await cpuSeconds(pid)) - cpu;
  const seconds = (performance.now() - started) / 1000;
  const latencies = [];
  for (const [first, last, at] of arrivals) {
    for (let sequence = first; sequence <= last; sequence += 1) latencies.push(Math.max(0, at - committed[sequence]));
  }
  const sorted = Float64Array.from(latencies).sort();
  const at = (share) => `${sorted[Math.floor(share * (sorted.length - 1))].toFixed(0)} ms`;
  const missed = subscribers * total - sorted.length + gaps;
  const counts = [subscribers, sorted.length, missed, doubles].map(String);
  return [
    ...counts,
    at(0.5),
    at(0.95),
    at(0.99),
    at(1),
    percent(load / seconds),
    `${(await residentMb(pid)).toFixed(0)} MB`,
  ];
}

/** Appends all verdicts of the run at the pace. Returns when each was committed, by its sequence number. */
async function write(db, runId, total) {
  const committed = [];
  const start = performance.now();
  for (let done = 0; done < total; ) {
    const size = Math.min(BATCH, total - done);
    await recordVerdicts(
      db,
      runId,
      Array.from({ length: size }, (_, i) => verdict(done + i)),
    );
    const at = performance.timeOrigin + performance.now();
    for (let i = 0; i < size; i += 1) committed[++done] = at;
    await sleep(Math.max(0, start + (1000 * done) / PER_SECOND - performance.now()));
  }
  return committed;
}

const verdict = (i) => ({
  ordinal: Math.floor(i / CRITERIA),
  criterionNo: i % CRITERIA,
  points: 5,
  criteriaMet: i % 2 === 0,
  explanation: 'The invented reply says so in its second sentence, and nothing in it speaks against that.',
  latencyMs: 200,
  usage: { ...noUsage, calls: 1, unmeasuredCalls: 1 },
  reported: NOTHING,
  failedAttempts: [],
});

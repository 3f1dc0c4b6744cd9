/**
 * `npm run bench`: how much of the machine's speed Assay leaves to the models, as ratios within one run.
 *
 *   npm run bench                     all parts
 *   npm run bench -- throughput       one part: throughput, pace or memory
 *   npm run bench -- --profile DIR    writes CPU profiles of the service into DIR
 *
 * See docs/performance.md.
 */
import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { cpus, tmpdir } from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { startEmbeddedPostgres } from '../../dist/platform/embeddedPostgres.js';
import { Client } from './client.js';
import { CRITERIA, datasetOf } from './material.js';
import { bareLoop, startProvider, startService } from './programs.js';

const CONNECTIONS = 64;
const ROUNDS = 3;
const LATENCY_MS = 200;
/** Calls that the endpoint allows in the measurement of wall time. */
const ALLOWED = [16, 64];

const median = (values) => [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)];
const percent = (value) => `${(100 * value).toFixed(1)} %`;

/** A service of its own on the shared database, with a dataset of `conversations`. */
async function withService(bench, conversations, work) {
  const key = `assay_${randomBytes(24).toString('hex')}`;
  const databaseUrl = await bench.createDatabase();
  const dataDir = path.join(bench.folder, `data-${bench.databases}`);
  const service = await startService(databaseUrl, dataDir, key, bench.profile);
  try {
    const client = new Client(service.url, key);
    const dataset = await client.dataset(datasetOf(conversations));
    return await work({ client, dataset, pid: service.pid });
  } finally {
    await service.stop();
  }
}

/** Orchestration at zero model latency: calls per second beside those of bare loops, in turn, several times. */
async function throughput(bench) {
  const conversations = 400;
  const calls = conversations * (CRITERIA + 1);
  const provider = await startProvider(0);
  const rates = { openai: [], fetch: [], assay: [] };
  try {
    await withService(bench, conversations, async ({ client, dataset, pid }) => {
      const endpoint = await client.endpoint(provider.url, CONNECTIONS);
      await client.run(dataset, 50, endpoint, pid); // The first run pays for compiling and for cold caches.
      for (let round = 0; round < ROUNDS; round += 1) {
        rates.openai.push(await bareLoop('openai', provider.url, calls, CONNECTIONS));
        rates.fetch.push(await bareLoop('fetch', provider.url, calls, CONNECTIONS));
        const run = await client.run(dataset, conversations, endpoint, pid);
        rates.assay.push(run.calls / run.seconds);
      }
    });
  } finally {
    await provider.stop();
  }
  const [openai, fetched, assay] = [median(rates.openai), median(rates.fetch), median(rates.assay)];
  const row = (name, rate) => [name, `${rate.toFixed(0)}/s`, (rate / openai).toFixed(2), (rate / fetched).toFixed(2)];
  table(
    `Calls per second at zero latency, ${CONNECTIONS} connections (bar: Assay at least 0.50 of the openai loop)`,
    ['', 'calls', 'of openai loop', 'of fetch loop'],
    [row('fetch loop', fetched), row('openai loop', openai), row('Assay', assay)],
  );
}

/** Wall time where only the model's latency and the endpoint's limit should count. */
async function pace(bench) {
  const rows = [];
  const provider = await startProvider(LATENCY_MS);
  try {
    await withService(bench, 640, async ({ client, dataset, pid }) => {
      for (const allowed of ALLOWED) {
        const endpoint = await client.endpoint(provider.url, allowed);
        await client.run(dataset, allowed, endpoint, pid); // As above.
        const run = await client.run(dataset, allowed * 8, endpoint, pid);
        const ideal = (run.calls * LATENCY_MS) / 1000 / allowed;
        const bare = run.calls / (await bareLoop('openai', provider.url, run.calls, allowed));
        const over = (seconds) => `${seconds.toFixed(1)} s (+${percent(seconds / ideal - 1)})`;
        rows.push([String(allowed), String(run.calls), `${ideal.toFixed(1)} s`, over(bare), over(run.seconds)]);
      }
    });
  } finally {
    await provider.stop();
  }
  table(
    `Wall time at ${LATENCY_MS} ms latency (bar: within 5 % of calls × latency / calls allowed)`,
    ['calls allowed', 'calls', 'ideal', 'openai loop', 'Assay'],
    rows,
  );
}

/** Memory of a small and of a large run, each in a fresh process. */
async function memory(bench) {
  const peaks = [];
  const provider = await startProvider(0);
  try {
    for (const conversations of [500, 5_000]) {
      await withService(bench, 5_000, async ({ client, dataset, pid }) => {
        const endpoint = await client.endpoint(provider.url, CONNECTIONS);
        peaks.push((await client.run(dataset, conversations, endpoint, pid)).peakMb);
      });
    }
  } finally {
    await provider.stop();
  }
  const [small, large] = peaks;
  table(
    'Resident memory of the service at its highest (bar: 5,000 conversations within 20 % of 500)',
    ['500', '5,000', 'growth'],
    [[`${small.toFixed(0)} MB`, `${large.toFixed(0)} MB`, percent(large / small - 1)]],
  );
}

function table(title, head, rows) {
  const widths = head.map((name, i) => Math.max(name.length, ...rows.map((row) => row[i].length)));
  const line = (cells) => `  ${cells.map((cell, i) => cell.padStart(widths[i])).join('   ')}`;
  console.log(`\n${title}\n${[head, ...rows].map(line).join('\n')}`);
}

/** A Postgres of its own, with the settings that it has out of the box: every commit reaches the disk. */
async function startBench(profile) {
  const folder = await mkdtemp(path.join(tmpdir(), 'assay-bench-'));
  const server = await startEmbeddedPostgres(folder, { max_connections: '200' });
  const { default: pg } = await import('pg');
  return {
    folder,
    profile,
    databases: 0,
    async createDatabase() {
      this.databases += 1;
      const admin = new pg.Client({ connectionString: server.url });
      await admin.connect();
      await admin.query(`CREATE DATABASE bench_${this.databases}`);
      await admin.end();
      return Object.assign(new URL(server.url), { pathname: `/bench_${this.databases}` }).href;
    },
    async stop() {
      await server.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

const { values, positionals } = parseArgs({ allowPositionals: true, options: { profile: { type: 'string' } } });
const parts = { throughput, pace, memory };
const chosen = positionals.length > 0 ? positionals : Object.keys(parts);
const bench = await startBench(values.profile);
try {
  const processors = cpus();
  console.log(`Node ${process.version}, ${processors.length} × ${processors[0]?.model.trim()}`);
  for (const part of chosen) await parts[part](bench);
} finally {
  await bench.stop();
}

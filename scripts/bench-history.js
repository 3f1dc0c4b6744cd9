/**
 * `node scripts/bench-history.js [RUNS]` (after `npm run build`; 200 runs by default, some 6 GB in a temporary folder):
 * fills a database with full-size runs and measures what a dashboard reads, over HTTP. DATABASE_URL names an empty
 * database to use instead of an embedded one.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import pg from 'pg';
import { parseConfig } from '../dist/config.js';
import { startHttpServer } from '../dist/graphql/httpServer.js';
import { openServices } from '../dist/openServices.js';
import { startEmbeddedPostgres } from '../dist/platform/embeddedPostgres.js';
import { createLog } from '../dist/platform/log.js';
import { globalId } from '../dist/platform/relay/globalId.js';
import { scoreRunHandler } from '../dist/scoring/scoreRun.job.js';
import { createTeam } from '../dist/tenancy/team.js';
import { seedDataset, seedRun } from './bench/history.js';

const RUNS = Number(process.argv[2] ?? 200);
const REQUESTS = 60;
const SCORE = `value unclippedMean median n coverage criteriaCoverage standardError bootstrapStd lowerBound upperBound
  interval { low high method } lengthAdjusted lengthAdjustment { interval { low high } } perfect belowZero`;
const RATES = 'positiveCriteria { met graded rate } negativeCriteria { met graded rate }';
const ONE = `query ($id: ID!) { run(id: $id) { name status score { ${SCORE} } ${RATES}
  tagScores { tag value n interval { low high } ${RATES} } histogram { from to count } warnings { code } } }`;
const LIST = `{ runs(first: 50) { nodes { id name status score { ${SCORE} } ${RATES} progress { conversationsDone } } } }`;

const folder = await mkdtemp(path.join(tmpdir(), 'assay-history-'));
const embedded =
  process.env.DATABASE_URL === undefined
    ? await startEmbeddedPostgres(folder, { fsync: 'off', synchronous_commit: 'off', max_wal_size: '4GB' })
    : null;
const databaseUrl = embedded?.url ?? process.env.DATABASE_URL;
const services = await openServices(
  parseConfig({ DATABASE_URL: databaseUrl, ASSAY_DATA_DIR: folder }),
  createLog('silent'),
);
const server = await startHttpServer(services, {
  host: '127.0.0.1',
  port: 0,
  operatorToken: null,
  maxImportBytes: 1e9,
  signIn: null,
});
try {
  await measureHistory();
} finally {
  await server.close();
  await services.close();
  await embedded?.stop();
  await rm(folder, { recursive: true, force: true });
}
process.exit(0);

async function measureHistory() {
  const { team, secret } = await createTeam(services, 'history');
  const db = services.teams.of(team.id);
  const endpoint = await db.modelEndpoint.create({
    data: { teamId: team.id, name: 'made up', baseUrl: 'http://127.0.0.1:9/v1', simulated: true },
  });
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  let start = performance.now();
  const datasetId = await seedDataset(client, team.id);
  const of = { teamId: team.id, datasetId, endpointId: endpoint.id };
  const first = await seedRun(client, { ...of, no: 0 });
  const scored = performance.now();
  await scoreRunHandler({ db, queue: services.queue }).run(
    { teamId: team.id, runId: first },
    new AbortController().signal,
  );
  report('aggregates of a run computed and stored', `${Math.round(performance.now() - scored)} ms`);
  let last = first;
  for (let no = 1; no < RUNS; no += 1) {
    last = await seedRun(client, { ...of, no });
    await copyAggregates(client, first, last);
  }
  await client.query('ANALYZE');
  const size = await client.query('SELECT pg_size_pretty(pg_database_size(current_database())) AS size');
  const seconds = Math.round((performance.now() - start) / 1000);
  report(`${RUNS} runs of 57,000 verdicts`, `${size.rows[0].size}, filled in ${seconds} s`);
  const ask = asker(secret);
  await measure('one finished run: score, hit rates, tags, histogram (bar 20 ms)', () =>
    ask(ONE, { id: globalId('Run', last) }),
  );
  await measure('the list of 50 runs with scores (bar 50 ms)', () => ask(LIST));
  start = performance.now();
  const going = await seedRun(client, { ...of, no: RUNS, share: 0.6 });
  for (let no = 1; no < 10; no += 1) await seedRun(client, { ...of, no: RUNS + no, share: no / 10 });
  await client.query('ANALYZE run_conversation');
  await measure('one going run: the same, from its conversations', () => ask(ONE, { id: globalId('Run', going) }));
  await measure('the list of 50 runs, 10 of them going', () => ask(LIST));
  await client.end();
}

/** A finished run like `from`: the numbers are not this run's, but they take as long to read. */
async function copyAggregates(client, from, to) {
  for (const table of ['run_score', 'run_tag_score']) {
    const { rows } = await client.query(
      `SELECT string_agg(quote_ident(column_name), ', ') AS list FROM information_schema.columns
       WHERE table_name = $1 AND table_schema = current_schema() AND column_name <> 'run_id'`,
      [table],
    );
    const { list } = rows[0];
    await client.query(`INSERT INTO ${table} (run_id, ${list}) SELECT $2, ${list} FROM ${table} WHERE run_id = $1`, [
      from,
      to,
    ]);
  }
  await client.query("UPDATE run SET status = 'COMPLETED', finished_at = now() WHERE id = $1", [to]);
}

function asker(secret) {
  return async (query, variables = {}) => {
    const response = await fetch(`${server.url}/graphql`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${secret}` },
      body: JSON.stringify({ query, variables }),
    });
    const { data, errors } = await response.json();
    if (errors !== undefined) throw new Error(JSON.stringify(errors));
    return data;
  };
}

async function measure(what, ask) {
  for (let i = 0; i < 5; i += 1) await ask();
  const before = services.statements();
  const times = [];
  const cpu = process.cpuUsage();
  for (let i = 0; i < REQUESTS; i += 1) {
    const start = performance.now();
    await ask();
    times.push(performance.now() - start);
  }
  times.sort((a, b) => a - b);
  const at = (share) => times[Math.floor(share * (times.length - 1))].toFixed(1);
  const { user, system } = process.cpuUsage(cpu);
  const busy = ((user + system) / 1000 / REQUESTS).toFixed(1);
  const statements = (services.statements() - before) / REQUESTS;
  report(what, `median ${at(0.5)} ms, p95 ${at(0.95)} ms, ${busy} ms of CPU here, ${statements} statements`);
}

function report(what, result) {
  console.log(`${what.padEnd(70)} ${result}`);
}

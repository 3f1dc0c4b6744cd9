/**
 * What row-level security costs: the same statements with it (the limited role, a client per team, each statement in
 * its own transaction with the team set) and without (the owner, one plain client), in turns on one machine.
 *
 *   npm run build && node scripts/bench-rls.js
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { PrismaPg } from '@prisma/adapter-pg';
import pg from 'pg';
import { PrismaClient } from '../dist/generated/prisma/client.js';
import { prepareDatabase } from '../dist/openServices.js';
import { openDatabase } from '../dist/platform/database.js';
import { startEmbeddedPostgres } from '../dist/platform/embeddedPostgres.js';
import { createLog } from '../dist/platform/log.js';
import { serviceAccess } from '../dist/platform/serviceRole.js';
import { TeamDatabases } from '../dist/tenancy/teamDatabase.js';
import { recordVerdicts } from '../dist/verdicts/recordVerdicts.js';

const TEAMS = 20;
const TEMPLATES = 20;
const ROUNDS = 7;
const ROUND_MS = 1_500;
const CONVERSATIONS = 200_000;
/** Of the next verdict. */
let next = 0;

const folder = await mkdtemp(path.join(tmpdir(), 'assay-bench-rls-'));
const server = await startEmbeddedPostgres(folder, { shared_buffers: '512MB' });
try {
  await prepareDatabase(server.url, createLog('warn'));
  const { teamIds, runId } = await seed(server.url);
  const ways = [withSecurity((await serviceAccess(server.url)).url), without(server.url)];
  const results = new Map();
  for (let round = 0; round <= ROUNDS; round += 1) {
    for (const way of round % 2 === 0 ? ways : [...ways].reverse()) {
      for (const [name, measured] of Object.entries(await measure(way, teamIds, runId))) {
        const key = `${name}\t${way.name}`;
        // The first round only warms up.
        if (round > 0) results.set(key, [...(results.get(key) ?? []), measured]);
      }
    }
  }
  for (const way of ways) await way.close();
  report(results);
} finally {
  await server.stop();
  await rm(folder, { recursive: true, force: true });
}
// The schema engine leaves a timer behind.
process.exit(0);

function withSecurity(url) {
  const database = openDatabase(url, 20, () => {});
  const teams = new TeamDatabases(database);
  return { name: 'with', of: (teamId) => teams.of(teamId), close: () => database.close() };
}

function without(url) {
  const pool = new pg.Pool({ connectionString: url, max: 20, keepAlive: true });
  const names = new Map();
  const statementNameGenerator = ({ sql }) => {
    if (!names.has(sql)) names.set(sql, `plain_${names.size}`);
    return names.get(sql);
  };
  const client = new PrismaClient({ adapter: new PrismaPg(pool, { statementNameGenerator }) });
  return { name: 'without', of: () => client, close: () => pool.end() };
}

async function measure(way, teamIds, runId) {
  const query = (i) => {
    const teamId = teamIds[i % TEAMS];
    return way.of(teamId).graderTemplate.findMany({ where: { teamId }, orderBy: { id: 'asc' } });
  };
  const single = await repeat(1, query);
  const parallel = await repeat(32, query);
  const writing = (size) => repeat(1, () => write(way.of(teamIds[0]), runId, size));
  const ten = await writing(10);
  const hundred = await writing(100);
  return {
    'query, one at a time: ms': single.ms,
    'query, 32 at a time: a second': parallel.perSecond,
    'query, 32 at a time: CPU ms of the service': parallel.cpuMs,
    'verdicts a second, 10 a statement': ten.perSecond * 10,
    'verdicts a second, 100 a statement': hundred.perSecond * 100,
  };
}

async function repeat(parallel, run) {
  const cpu = process.cpuUsage();
  const begun = performance.now();
  const times = [];
  let i = 0;
  await Promise.all(
    Array.from({ length: parallel }, async () => {
      while (performance.now() - begun < ROUND_MS) {
        const at = performance.now();
        await run(i++);
        times.push(performance.now() - at);
      }
    }),
  );
  const used = process.cpuUsage(cpu);
  const seconds = (performance.now() - begun) / 1000;
  return {
    ms: median(times),
    perSecond: times.length / seconds,
    cpuMs: (used.user + used.system) / 1000 / times.length,
  };
}

function write(db, runId, size) {
  const verdicts = Array.from({ length: size }, () => {
    const n = next++;
    return {
      ordinal: n % CONVERSATIONS,
      criterionNo: Math.floor(n / CONVERSATIONS),
      points: 5,
      criteriaMet: n % 3 === 0,
      explanation: 'An invented explanation of about the length of a real one. '.repeat(5),
      attempts: 1,
      latencyMs: 900,
      promptTokens: 800,
      completionTokens: 60,
    };
  });
  return recordVerdicts(db, runId, verdicts);
}

async function seed(url) {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  const { rows } = await client.query(
    `INSERT INTO team (id, name) SELECT gen_random_uuid(), 'team ' || n FROM generate_series(1, ${TEAMS}) n RETURNING id`,
  );
  const teamIds = rows.map((row) => row.id);
  await client.query(
    `INSERT INTO grader_template (id, team_id, name, text, sha256)
     SELECT gen_random_uuid(), team.id, 'template ' || n, repeat('x', 500), n::text FROM team, generate_series(1, ${TEMPLATES}) n`,
  );
  const runId = await seedRun(client, teamIds[0]);
  await client.query('ANALYZE');
  await client.end();
  return { teamIds, runId };
}

async function seedRun(client, teamId) {
  const insert = async (table, values) => {
    const columns = await client.query(
      `SELECT column_name AS name, data_type AS type, udt_name AS udt FROM information_schema.columns
       WHERE table_name = $1 AND table_schema = 'public' AND is_nullable = 'NO' AND column_default IS NULL`,
      [table],
    );
    // What later migrations add is filled with something of its type.
    const filled = { ...Object.fromEntries(columns.rows.map(({ name, type }) => [name, anything(type)])), ...values };
    const names = Object.keys(filled);
    const places = names.map((_, i) => `$${i + 1}`);
    await client.query(
      `INSERT INTO ${table} (${names.join(', ')}) VALUES (${places.join(', ')})`,
      Object.values(filled),
    );
  };
  const [datasetId, runId] = [crypto.randomUUID(), crypto.randomUUID()];
  await insert('dataset', { id: datasetId, team_id: teamId, conversation_count: 1, criterion_count: 1 });
  await insert('run', {
    id: runId,
    team_id: teamId,
    dataset_id: datasetId,
    status: 'RUNNING',
    repeats: 1,
    conversation_count: 1,
    criterion_count: 1,
  });
  await insert('verdict_log', { run_id: runId, team_id: teamId });
  await client.query(
    `INSERT INTO run_conversation (run_id, team_id, ordinal, conversation_no, repeat, criterion_count)
     SELECT $1, $2, n, n, 1, 1 FROM generate_series(0, ${CONVERSATIONS - 1}) n`,
    [runId, teamId],
  );
  return runId;
}

function anything(type) {
  if (type === 'uuid') return crypto.randomUUID();
  if (type === 'jsonb' || type === 'json') return '{}';
  if (type === 'boolean') return false;
  if (type === 'ARRAY') return [];
  if (type.startsWith('timestamp')) return new Date();
  return type === 'text' ? 'x' : 1;
}

function median(values) {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)];
}

function report(results) {
  const names = [...new Set([...results.keys()].map((key) => key.split('\t')[0]))];
  for (const name of names) {
    const [on, off] = ['with', 'without'].map((way) => median(results.get(`${name}\t${way}`)));
    const [a, b] = [on, off].map((value) => value.toFixed(value < 10 ? 2 : 0));
    console.log(`${name}: ${b} without, ${a} with (${(on / off).toFixed(2)} times)`);
  }
}

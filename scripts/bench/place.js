import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import pg from 'pg';
import { parseConfig } from '../../dist/config.js';
import { openServices } from '../../dist/openServices.js';
import { startEmbeddedPostgres } from '../../dist/platform/embeddedPostgres.js';
import { createLog } from '../../dist/platform/log.js';
import { uuidOf } from '../../dist/platform/relay/globalId.js';
import { Client } from './client.js';
import { datasetOf } from './material.js';
import { startService } from './programs.js';

/** A Postgres of its own, with the settings that it has out of the box: every commit reaches the disk. */
export async function startBench({ profile, runs }) {
  const folder = await mkdtemp(path.join(tmpdir(), 'assay-bench-'));
  const server = await startEmbeddedPostgres(folder, { max_connections: '200', max_wal_size: '4GB' });
  return {
    folder,
    profile,
    runs: Number(runs),
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

/** A service of its own on a database of its own, with a dataset of `conversations`; `env` are further settings. */
export async function withService(bench, conversations, work, env = {}) {
  const key = `assay_${randomBytes(24).toString('hex')}`;
  const databaseUrl = await bench.createDatabase();
  const dataDir = path.join(bench.folder, `data-${bench.databases}`);
  const service = await startService(databaseUrl, dataDir, key, bench.profile, env);
  try {
    const client = new Client(service.url, key);
    const dataset = await client.dataset(datasetOf(conversations));
    return await work({ client, dataset, databaseUrl, dataDir, key, pid: service.pid });
  } finally {
    await service.stop();
  }
}

/** The same database seen from here, past the API: for what a benchmark writes itself. */
export async function withServices({ databaseUrl, dataDir, client }, work) {
  const config = parseConfig({ DATABASE_URL: databaseUrl, ASSAY_DATA_DIR: dataDir });
  const services = await openServices(config, createLog('silent'));
  try {
    const teamId = uuidOf('Team', (await client.query('{ viewer { team { id } } }')).viewer.team.id);
    return await work({ db: services.teams.of(teamId), queue: services.queue, teamId });
  } finally {
    await services.close();
  }
}

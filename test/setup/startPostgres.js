/**
 * Once per test run: an embedded Postgres (or the one of TEST_DATABASE_URL, to try an older server), and a
 * template database with everything applied, which each test file clones in a quarter of a second.
 */
import { execFile } from 'node:child_process';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import pg from 'pg';
import { startEmbeddedPostgres } from '../../dist/platform/embeddedPostgres.js';

export default async function startPostgres() {
  const settings = { fsync: 'off', synchronous_commit: 'off', full_page_writes: 'off', max_connections: '300' };
  const folder = await mkdtemp(path.join(tmpdir(), 'assay-test-'));
  const server =
    process.env.TEST_DATABASE_URL === undefined
      ? await startEmbeddedPostgres(folder, settings)
      : { url: process.env.TEST_DATABASE_URL, stop: async () => {} };
  const template = `assay_template_${process.pid}`;
  const client = new pg.Client({ connectionString: server.url });
  await client.connect();
  await client.query(`CREATE DATABASE ${template}`);
  await client.end();
  const templateUrl = Object.assign(new URL(server.url), { pathname: `/${template}` }).href;
  await promisify(execFile)(process.execPath, ['dist/migrate.js'], {
    env: { ...process.env, NODE_OPTIONS: '', DATABASE_URL: templateUrl },
  });
  process.env.ASSAY_TEST_SERVER_URL = server.url;
  process.env.ASSAY_TEST_TEMPLATE = template;
  globalThis.assayTestServer = { folder, ...server, template };
}

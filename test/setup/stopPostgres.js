import { rm } from 'node:fs/promises';
import pg from 'pg';

export default async function stopPostgres() {
  const { folder, url, stop, template } = globalThis.assayTestServer;
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await client.query(`DROP DATABASE ${template} WITH (FORCE)`);
  await client.end();
  await stop();
  await rm(folder, { recursive: true, force: true });
}

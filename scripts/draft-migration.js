/** `npm run migration -- NAME`: writes the next migration, from what the migrations make to schema.prisma. */
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { startEmbeddedPostgres } from '../dist/platform/embeddedPostgres.js';
import { migrate, schemaDrift } from '../dist/platform/migrate.js';

const name = process.argv[2];
if (!/^[a-z0-9_]+$/.test(name ?? '')) throw new Error('usage: npm run migration -- name_in_snake_case');
const folder = await mkdtemp(path.join(tmpdir(), 'assay-migration-'));
const database = await startEmbeddedPostgres(folder, { fsync: 'off' });
try {
  await migrate(database.url);
  const sql = await schemaDrift(database.url);
  if (sql === null) {
    console.log('The migrations already make what schema.prisma says.');
  } else {
    const time = new Date().toISOString().replaceAll(/\D/g, '').slice(0, 14);
    const target = path.join('prisma', 'migrations', `${time}_${name}`);
    await mkdir(target, { recursive: true });
    await writeFile(path.join(target, 'migration.sql'), sql);
    console.log(`${target}/migration.sql: read it, add checks by hand, commit it.`);
  }
} finally {
  await database.stop();
  await rm(folder, { recursive: true, force: true });
}

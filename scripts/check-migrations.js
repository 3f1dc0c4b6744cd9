/** Fails when the migrations do not make what schema.prisma says. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { startEmbeddedPostgres } from '../dist/platform/embeddedPostgres.js';
import { migrate, schemaDrift } from '../dist/platform/migrate.js';

const folder = await mkdtemp(path.join(tmpdir(), 'assay-check-'));
const database = await startEmbeddedPostgres(folder, { fsync: 'off' });
let drift = null;
try {
  await migrate(database.url);
  const again = await migrate(database.url);
  if (again.length > 0) throw new Error('a second migration applied something again');
  drift = await schemaDrift(database.url);
} finally {
  await database.stop();
  await rm(folder, { recursive: true, force: true });
}
if (drift !== null) {
  console.error(
    `The migrations do not make what schema.prisma says (npm run migration -- NAME drafts the next one):\n${drift}`,
  );
}
// The schema engine leaves a timer behind.
process.exit(drift === null ? 0 : 1);

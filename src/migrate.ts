import { readConfig } from './config.js';
import { prepareDatabase } from './openServices.js';
import { startEmbeddedPostgres } from './platform/embeddedPostgres.js';
import { createLog } from './platform/log.js';

/** Brings the database to the newest schema and ends; servers and workers also do it when they start. */
const config = readConfig();
const embedded = config.databaseUrl === null ? await startEmbeddedPostgres(config.dataDir) : null;
try {
  await prepareDatabase(config.databaseUrl ?? (embedded?.url as string), createLog(config.logLevel));
} finally {
  await embedded?.stop();
}
// The schema engine leaves a timer of ten seconds behind.
process.exit(0);

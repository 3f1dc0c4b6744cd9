import path from 'node:path';
import type { Config } from './config.js';
import { allJobs } from './jobs.js';
import { openDatabase } from './platform/database.js';
import { startEmbeddedPostgres } from './platform/embeddedPostgres.js';
import type { Log } from './platform/log.js';
import { migrate } from './platform/migrate.js';
import { installQueue, JobQueue } from './platform/queue.js';
import { openSecretBox } from './platform/secretBox.js';
import { WakeUps } from './platform/wakeUps.js';
import type { Services } from './tenancy/requestContext.js';

export interface OpenServices extends Services {
  databaseUrl: string;
  /** Statements sent to the database so far. */
  statements(): number;
  close(): Promise<void>;
}

/** Brings the database to the newest schema: tables, queues. Several processes may call it at once. */
export async function prepareDatabase(databaseUrl: string, log: Log): Promise<void> {
  for (const name of await migrate(databaseUrl)) log.info({ migration: name }, 'migration applied');
  await installQueue(databaseUrl, allJobs as never);
}

/** Opens everything that a process needs: the database (embedded unless configured), queue, wake-ups, secrets. */
export async function openServices(config: Config, log: Log): Promise<OpenServices> {
  const embedded = config.databaseUrl === null ? await startEmbeddedPostgres(config.dataDir) : null;
  const databaseUrl = config.databaseUrl ?? (embedded?.url as string);
  try {
    if (config.migrate) await prepareDatabase(databaseUrl, log);
    const secrets = await openSecretBox(config.secretKey, path.resolve(config.dataDir));
    const broken = (error: Error) => log.warn({ err: error }, 'a database connection broke');
    const database = openDatabase(databaseUrl, config.databasePool, broken);
    // The first query loads Prisma's query compiler: before anybody waits for an answer.
    await database.db.$queryRaw`SELECT 1`;
    const queue = new JobQueue(databaseUrl, (error) => log.warn({ err: error }, 'the queue reports an error'));
    await queue.start();
    const wakeUps = new WakeUps(databaseUrl);
    await wakeUps.start();
    return {
      db: database.db,
      queue,
      wakeUps,
      secrets,
      log,
      databaseUrl,
      statements: database.statements,
      async close() {
        await wakeUps.close();
        await queue.close();
        await database.close();
        await embedded?.stop();
      },
    };
  } catch (error) {
    await embedded?.stop();
    throw error;
  }
}

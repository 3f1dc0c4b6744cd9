import path from 'node:path';
import type { Config } from './config.js';
import { ConfigurationError } from './errors.js';
import { SOURCE_FILES } from './healthbench/officialFiles.js';
import { allJobs } from './jobs.js';
import { openDatabase } from './platform/database.js';
import { startEmbeddedPostgres } from './platform/embeddedPostgres.js';
import type { Log } from './platform/log.js';
import { migrate } from './platform/migrate.js';
import { allowPrivateAddresses } from './platform/outbound/addressGuard.js';
import { installQueue, JobQueue } from './platform/queue.js';
import { openSecretBox } from './platform/secretBox.js';
import { grantServiceRole, SERVICE_ROLE, serviceAccess } from './platform/serviceRole.js';
import { WakeUps } from './platform/wakeUps.js';
import type { Services } from './tenancy/requestContext.js';
import { databaseWithoutTeam, TeamDatabases } from './tenancy/teamDatabase.js';

export interface OpenServices extends Services {
  /** As the service connects: under the limited role. */
  databaseUrl: string;
  /** Statements sent to the database so far. */
  statements(): number;
  close(): Promise<void>;
}

/** Brings the database to the newest schema: tables, queues, roles. Several processes may call it at once. */
export async function prepareDatabase(databaseUrl: string, log: Log): Promise<void> {
  for (const name of await migrate(databaseUrl)) log.info({ migration: name }, 'migration applied');
  await installQueue(databaseUrl, allJobs as never);
  await grantServiceRole(databaseUrl);
}

/** How the service connects: never as a user whom row-level security does not bind. */
async function limitedUrl(url: string, log: Log): Promise<string> {
  const access = await serviceAccess(url);
  if (access.reason !== null) {
    log.info({ role: SERVICE_ROLE }, `${access.reason}: the service works as the role ${SERVICE_ROLE} instead`);
  }
  return access.url;
}

/** A proxy cannot be asked for a role at connecting, so its user must be limited by itself. */
async function refuseMightyProxy(url: string): Promise<void> {
  const { url: needed, reason } = await serviceAccess(url);
  if (needed === url) return;
  const why = reason ?? `its user does not inherit ${SERVICE_ROLE}`;
  throw new ConfigurationError(`DATABASE_PROXY_URL must name a user made for the service (docs/security.md): ${why}.`);
}

/** Opens everything that a process needs: the database (embedded unless configured), queue, wake-ups, secrets. */
export async function openServices(config: Config, log: Log): Promise<OpenServices> {
  const embedded = config.databaseUrl === null ? await startEmbeddedPostgres(config.dataDir) : null;
  const ownerUrl = config.databaseUrl ?? (embedded?.url as string);
  allowPrivateAddresses(config.allowPrivateAddresses);
  try {
    if (config.migrate) await prepareDatabase(ownerUrl, log);
    const databaseUrl = await limitedUrl(ownerUrl, log);
    const secrets = await openSecretBox(config.secretKey, config.previousSecretKeys, path.resolve(config.dataDir));
    const broken = (error: Error) => log.warn({ err: error }, 'a database connection broke');
    const proxyUrl = config.databaseProxyUrl;
    if (proxyUrl !== null) await refuseMightyProxy(proxyUrl);
    const database = openDatabase(proxyUrl ?? databaseUrl, config.databasePool, broken, proxyUrl !== null);
    const db = databaseWithoutTeam(database);
    // The first query loads Prisma's query compiler: before anybody waits for an answer.
    await db.$queryRaw`SELECT 1`;
    const queue = new JobQueue(databaseUrl, (error) => log.warn({ err: error }, 'the queue reports an error'));
    await queue.start();
    const wakeUps = new WakeUps(databaseUrl);
    await wakeUps.start();
    return {
      db,
      teams: new TeamDatabases(database),
      queue,
      wakeUps,
      secrets,
      official: { url: config.healthbenchUrl, files: SOURCE_FILES },
      publicUrl: config.publicUrl,
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

import { bootstrapTeam } from './bootstrap.js';
import { type Config, readConfig } from './config.js';
import { resealEndpointKeys } from './endpoints/resealEndpointKeys.js';
import { startHttpServer } from './graphql/httpServer.js';
import { openServices } from './openServices.js';
import { createLog } from './platform/log.js';
import { runProcess } from './runProcess.js';
import { startWorkers } from './startWorkers.js';
import { resealWebhookSecrets } from './webhooks/resealWebhookSecrets.js';

/** The API, and the workers as well unless ASSAY_ROLE says otherwise. */
export const runServer = () =>
  runProcess(async () => {
    const config = readConfig();
    const log = createLog(config.logLevel);
    const services = await openServices(config, log);
    const secret = await bootstrapTeam(services, config);
    await resealEndpointKeys(services);
    await resealWebhookSecrets(services);
    const server = await startHttpServer(services, config);
    const workers = config.role === 'server' ? null : startWorkers(services);
    welcome(config, server.url, secret);
    return {
      log,
      async stop() {
        // Both at once, so that the time to drain bounds the whole: subscribers look for another process meanwhile.
        await Promise.all([server.close(), workers?.stop(config.drainMs)]);
        await services.close();
      },
    };
  });

function welcome(config: Config, url: string, secret: string | null): void {
  const lines = [`Assay listens on ${url}/graphql`];
  if (config.databaseUrl === null) lines.push(`Database: the embedded Postgres in ${config.dataDir}`);
  if (secret !== null) {
    lines.push(`Admin key of team default (shown only now, kept in ${config.dataDir}/admin.key): ${secret}`);
    if (config.provider === null) {
      lines.push(
        'No provider is configured: set BASE_URL and friends before the first start, or use `assay endpoints add`.',
      );
    }
  }
  process.stdout.write(`${lines.join('\n')}\n`);
}

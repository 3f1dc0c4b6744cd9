import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { Config } from './config.js';
import { createModelEndpoint } from './endpoints/modelEndpoint.js';
import type { Services } from './tenancy/requestContext.js';
import { bootstrap } from './tenancy/team.js';

/**
 * At the first start with an empty database: makes the team `default`, its admin key and, if a provider
 * is configured, its first model endpoint. Returns the key to show once, or null when there was a team.
 */
export async function bootstrapTeam(services: Services, config: Config): Promise<string | null> {
  const made = await bootstrap(services, config.bootstrapKey);
  if (made === null) return null;
  if (config.provider !== null) {
    const { provider } = config;
    await createModelEndpoint(services.teams.of(made.team.id), services.secrets, made.team.id, {
      ...provider,
      name: provider.simulated ? 'simulated' : new URL(provider.baseUrl).hostname,
    });
  }
  // So that `assay` works on this machine without further ado. Readable by its owner only.
  await mkdir(config.dataDir, { recursive: true });
  await writeFile(path.join(config.dataDir, 'admin.key'), `${made.secret}\n`, { mode: 0o600 });
  return made.secret;
}

import { UpdateModelEndpointDocument } from '../client/generated/operations.js';
import { checkUserErrors, request } from '../client/request.js';
import { CliError } from './cliError.js';
import { addEndpoint } from './commands/endpointChanges.js';
import { listEndpoints } from './findThings.js';
import type { Settings } from './settings.js';

/** Where the demo's replies and verdicts come from. */
export interface DemoProvider {
  readonly baseUrl: string;
  readonly apiKey: string | undefined;
  readonly model: string;
  readonly grader: string;
  readonly maxConcurrency: number | undefined;
  readonly simulated: boolean;
}

/** The provider of the environment, or null when none is configured; half a configuration is a mistake. */
export function configuredProvider(env: Readonly<Record<string, string | undefined>>): DemoProvider | null {
  const { BASE_URL, API_KEY, MODEL_TEST, MODEL_GRADER, MAX_CONCURRENCY } = env;
  if (!BASE_URL && !MODEL_TEST && !MODEL_GRADER) return null;
  if (!BASE_URL || !MODEL_TEST) {
    throw new CliError('For real models set BASE_URL, MODEL_TEST and MODEL_GRADER (and API_KEY): see .env.example.');
  }
  return {
    baseUrl: BASE_URL,
    apiKey: API_KEY || undefined,
    model: MODEL_TEST,
    grader: MODEL_GRADER || MODEL_TEST,
    maxConcurrency: Number(MAX_CONCURRENCY) || undefined,
    simulated: false,
  };
}

/** The simulated provider on a port of this machine. */
export function simulatedProvider(port: number): DemoProvider {
  return {
    baseUrl: `http://127.0.0.1:${port}/v1`,
    apiKey: 'simulated',
    model: 'simulated-model',
    grader: 'simulated-grader',
    // Few calls at once, so that the bar is seen to move.
    maxConcurrency: 4,
    simulated: true,
  };
}

/** What the service makes its first model endpoint of. */
export function providerVariables(provider: DemoProvider): Record<string, string> {
  return {
    BASE_URL: provider.baseUrl,
    API_KEY: provider.apiKey ?? '',
    MODEL_TEST: provider.model,
    MODEL_GRADER: provider.grader,
    MAX_CONCURRENCY: String(provider.maxConcurrency ?? ''),
    ASSAY_SIMULATED: String(provider.simulated),
  };
}

/**
 * The id of an endpoint that points to the provider. The database may be of an earlier demo, whose simulated
 * provider had another port.
 */
export async function endpointFor(settings: Settings, provider: DemoProvider): Promise<string> {
  const values = {
    baseUrl: provider.baseUrl,
    apiKey: provider.apiKey,
    maxConcurrency: provider.maxConcurrency,
    defaultModel: provider.model,
    defaultGrader: provider.grader,
  };
  const existing = (await listEndpoints(settings)).find((endpoint) => {
    return endpoint.simulated === provider.simulated && (provider.simulated || endpoint.baseUrl === provider.baseUrl);
  });
  if (!existing) {
    const name = provider.simulated ? 'simulated' : new URL(provider.baseUrl).host;
    return (await addEndpoint(settings, { name, ...values, simulated: provider.simulated })).id;
  }
  const input = { endpointId: existing.id, ...values };
  checkUserErrors((await request(settings, UpdateModelEndpointDocument, { input })).updateModelEndpoint);
  return existing.id;
}

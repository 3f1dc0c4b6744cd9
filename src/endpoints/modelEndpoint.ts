import { Conflict, InvalidInput, NotFound } from '../errors.js';
import type { Database, ModelEndpoint, Queryable } from '../platform/database.js';
import { cleanUrl } from '../platform/outbound/cleanUrl.js';
import { cleanText } from '../platform/relay/wellFormed.js';
import type { SecretBox } from '../platform/secretBox.js';
import { cleanPrices, type ModelPriceInput } from './price.js';

export interface EndpointInput {
  name: string;
  baseUrl: string;
  apiKey?: string | null;
  maxConcurrency?: number | null;
  requestsPerMinute?: number | null;
  tokensPerMinute?: number | null;
  defaultModel?: string | null;
  defaultGrader?: string | null;
  simulated?: boolean;
  /** The whole list; null: none. */
  prices?: ModelPriceInput[] | null;
}

/** Stores a provider of the team; its key is sealed and never comes back. */
export async function createModelEndpoint(
  db: Queryable,
  secrets: SecretBox,
  teamId: string,
  input: EndpointInput,
): Promise<ModelEndpoint> {
  const baseUrl = cleanBaseUrl(input.baseUrl);
  return db.modelEndpoint.create({
    data: {
      teamId,
      name: cleanText(input.name, ['name']),
      baseUrl,
      ...sealEndpointKey(secrets, input.apiKey, baseUrl),
      maxConcurrency: cleanConcurrency(input.maxConcurrency) ?? 16,
      ...cleanRates(input),
      defaultModel: input.defaultModel ?? null,
      defaultGrader: input.defaultGrader ?? null,
      simulated: input.simulated ?? false,
      prices: storedPrices(input.prices),
    },
  });
}

/**
 * Changes what is given. The stored key belongs to the host it was given for: a new base URL without
 * the key again would send it to somebody else, and is refused with InvalidInput.
 */
export async function updateModelEndpoint(
  db: Queryable,
  secrets: SecretBox,
  teamId: string,
  id: string,
  input: Partial<EndpointInput>,
): Promise<ModelEndpoint> {
  const endpoint = await findModelEndpoint(db, teamId, id);
  const baseUrl = input.baseUrl === undefined ? endpoint.baseUrl : cleanBaseUrl(input.baseUrl);
  const moved = new URL(baseUrl).host !== new URL(endpoint.baseUrl).host;
  if (moved && endpoint.apiKeyCiphertext !== null && input.apiKey === undefined) {
    throw new InvalidInput('Another host needs the API key again (or null for none).', ['apiKey']);
  }
  const key = input.apiKey === undefined ? {} : sealEndpointKey(secrets, input.apiKey, baseUrl);
  return db.modelEndpoint.update({
    where: { teamId_id: { teamId, id } },
    data: {
      baseUrl,
      ...key,
      ...(input.name === undefined ? {} : { name: cleanText(input.name, ['name']) }),
      ...(input.defaultModel === undefined ? {} : { defaultModel: input.defaultModel }),
      ...(input.defaultGrader === undefined ? {} : { defaultGrader: input.defaultGrader }),
      ...(input.simulated === undefined ? {} : { simulated: input.simulated }),
      ...cleanRates(input),
      ...(input.prices === undefined ? {} : { prices: storedPrices(input.prices) }),
      ...(input.maxConcurrency == null ? {} : { maxConcurrency: cleanConcurrency(input.maxConcurrency) ?? 16 }),
    },
  });
}

/** Hides the endpoint and forgets its key; runs keep naming it. Refused while a run uses it. */
export async function deleteModelEndpoint(db: Database, teamId: string, id: string): Promise<ModelEndpoint> {
  return db.$transaction(async (tx) => {
    // A run that is being started holds the row shared until it is committed, and is seen after this.
    await tx.$queryRaw`SELECT 1 FROM model_endpoint WHERE id = ${id}::uuid AND team_id = ${teamId}::uuid FOR UPDATE`;
    await findModelEndpoint(tx, teamId, id);
    await refuseWhileUsed(tx, teamId, id);
    return tx.modelEndpoint.update({
      where: { teamId_id: { teamId, id } },
      data: { deletedAt: new Date(), apiKeyCiphertext: null, secretKeyId: null },
    });
  });
}

async function refuseWhileUsed(tx: Queryable, teamId: string, id: string): Promise<void> {
  const using = await tx.run.findFirst({
    where: {
      teamId,
      finishedAt: null,
      OR: [{ modelEndpointId: id }, { graderEndpointId: id }],
    },
    select: { name: true },
  });
  if (using !== null) throw new Conflict(`Run “${using.name}” uses this endpoint: cancel it first.`, ['endpointId']);
}

/**
 * As findModelEndpoint, for a run that is about to use it: until the transaction ends it cannot be deleted.
 */
export async function holdModelEndpoint(
  tx: Queryable,
  teamId: string,
  id: string,
  path: string[],
): Promise<ModelEndpoint> {
  await tx.$queryRaw`SELECT 1 FROM model_endpoint WHERE id = ${id}::uuid AND team_id = ${teamId}::uuid FOR SHARE`;
  return findModelEndpoint(tx, teamId, id, path);
}

/** Throws NotFound for one that is missing, deleted or another team's. */
export async function findModelEndpoint(
  db: Queryable,
  teamId: string,
  id: string,
  path: string[] = ['endpointId'],
): Promise<ModelEndpoint> {
  const endpoint = await db.modelEndpoint.findFirst({ where: { id, teamId, deletedAt: null } });
  if (endpoint === null) throw new NotFound('Model endpoint', path);
  return endpoint;
}

/** The key to send to the provider; null when it needs none. Throws when the secret key that sealed it is gone. */
export function openEndpointKey(
  secrets: SecretBox,
  endpoint: Pick<ModelEndpoint, 'apiKeyCiphertext' | 'secretKeyId' | 'baseUrl'>,
): string | null {
  if (endpoint.apiKeyCiphertext === null) return null;
  return secrets.open(endpoint.apiKeyCiphertext, new URL(endpoint.baseUrl).host, endpoint.secretKeyId);
}

/** How a key is stored: sealed for its host, with the present secret key. Throws InvalidInput. */
export function sealEndpointKey(secrets: SecretBox, apiKey: string | null | undefined, baseUrl: string) {
  // A key copied from a web page often brings its line break along.
  const key = apiKey?.trim();
  if (key === undefined || key === '') return { apiKeyCiphertext: null, secretKeyId: null };
  if (!/^[\x21-\x7e]{1,1000}$/.test(key)) {
    throw new InvalidInput('An API key has only visible ASCII characters.', ['apiKey']);
  }
  return { apiKeyCiphertext: new Uint8Array(secrets.seal(key, new URL(baseUrl).host)), secretKeyId: secrets.keyId };
}

/** As Prisma takes a JSON column. */
const storedPrices = (prices: ModelPriceInput[] | null | undefined) =>
  cleanPrices(prices ?? []).map((price) => ({ ...price }));

function cleanBaseUrl(text: string): string {
  const url = cleanUrl(text, ['baseUrl'], 'https://api.openai.com/v1', 'give the key as apiKey');
  if (url.search !== '' || url.hash !== '') throw new InvalidInput('must not hold a query or a fragment.', ['baseUrl']);
  return url.href.replace(/\/+$/, '');
}

function cleanConcurrency(value: number | null | undefined): number | null {
  if (value === null || value === undefined) return null;
  if (value < 1 || value > 1000) throw new InvalidInput('must be between 1 and 1000.', ['maxConcurrency']);
  return value;
}

/** What is given of the limits per minute; null takes a limit away. */
function cleanRates(input: Partial<EndpointInput>): {
  requestsPerMinute?: number | null;
  tokensPerMinute?: number | null;
} {
  const given = Object.entries({ requestsPerMinute: input.requestsPerMinute, tokensPerMinute: input.tokensPerMinute });
  for (const [name, value] of given) {
    if (value != null && value < 1) throw new InvalidInput('must be at least 1, or null for no limit.', [name]);
  }
  return Object.fromEntries(given.filter(([, value]) => value !== undefined));
}

import { holdModelEndpoint, openEndpointKey } from '../endpoints/modelEndpoint.js';
import { type Price, priceOf } from '../endpoints/price.js';
import { InvalidInput } from '../errors.js';
import type { FingerprintModel } from '../healthbench/fingerprint.js';
import type { ModelEndpoint, Queryable } from '../platform/database.js';
import { requireUuid } from '../platform/relay/globalId.js';
import { cleanText } from '../platform/relay/wellFormed.js';
import type { SecretBox } from '../platform/secretBox.js';

/** A model of a run with all that is sent to it, as the run keeps it. The key is not in it. */
export interface ModelSettings extends FingerprintModel {
  /** Null, as the name and the address: of an imported run. */
  endpointId: string | null;
  endpointName: string | null;
  /** At the start of the run; null: the endpoint's list has none, so costs are unknown. Missing in old runs. */
  price?: Price | null;
}

/** Of a model that can be called. */
export interface EndpointSettings extends ModelSettings {
  endpointId: string;
  endpointName: string;
  baseUrl: string;
}

export interface ModelInput {
  endpointId?: string | null;
  model?: string | null;
  temperature?: number | null;
  reasoningEffort?: string | null;
  maxTokens?: number | null;
  systemMessage?: string | null;
}

/** The source harness' setting for the model under test. */
export const MODEL_TEMPERATURE = 0.3;
/** A judge should decide alike twice; the reference has 0.5, so set it to reproduce the reference. */
export const GRADER_TEMPERATURE = 0;

/**
 * Completes and checks the settings of one of a run's two models. Left out, the endpoint is the team's
 * first and the model the endpoint's default. A temperature of null asks for the provider's default.
 * Throws InvalidInput or NotFound with a path that begins with `role`.
 */
export async function modelSettings(
  db: Queryable,
  secrets: SecretBox,
  teamId: string,
  role: 'modelUnderTest' | 'grader',
  input: ModelInput,
): Promise<EndpointSettings> {
  const endpoint = await endpointOf(db, teamId, role, input.endpointId ?? null);
  const standard = role === 'grader' ? endpoint.defaultGrader : endpoint.defaultModel;
  const model = input.model ?? standard;
  if (model === null) {
    throw new InvalidInput(`Name the model: the endpoint “${endpoint.name}” has no default.`, [role, 'model']);
  }
  try {
    openEndpointKey(secrets, endpoint);
  } catch {
    throw new InvalidInput(
      `The stored key of endpoint “${endpoint.name}” cannot be opened (ASSAY_SECRET_KEY has changed): store it again.`,
      [role, 'endpointId'],
    );
  }
  const temperature = role === 'grader' ? GRADER_TEMPERATURE : MODEL_TEMPERATURE;
  const name = cleanText(model, [role, 'model']);
  return {
    endpointId: endpoint.id,
    endpointName: endpoint.name,
    baseUrl: endpoint.baseUrl,
    model: name,
    ...modelParameters(role, input, temperature),
    simulated: endpoint.simulated,
    price: priceOf(endpoint.prices, name),
  };
}

/**
 * Checks the parameters of a model; one that is left out is null, the temperature the standard one. Throws InvalidInput
 * with a path that begins with `role`.
 */
export function modelParameters(role: string, input: ModelInput, standardTemperature: number | null) {
  const temperature = input.temperature === undefined ? standardTemperature : input.temperature;
  return {
    temperature: within(temperature, 0, 2, [role, 'temperature']),
    reasoningEffort: effort(input.reasoningEffort ?? null, [role, 'reasoningEffort']),
    maxTokens: within(input.maxTokens ?? null, 1, 10_000_000, [role, 'maxTokens']),
    systemMessage: input.systemMessage ? cleanText(input.systemMessage, [role, 'systemMessage'], 100_000) : null,
  };
}

async function endpointOf(db: Queryable, teamId: string, role: string, id: string | null): Promise<ModelEndpoint> {
  const path = [role, 'endpointId'];
  if (id !== null) return holdModelEndpoint(db, teamId, requireUuid('ModelEndpoint', id, ...path), path);
  const first = await db.modelEndpoint.findFirst({ where: { teamId, deletedAt: null }, orderBy: { id: 'asc' } });
  if (first === null) {
    throw new InvalidInput(
      'The team has no model endpoint: createModelEndpoint, or set BASE_URL and start again.',
      path,
    );
  }
  return holdModelEndpoint(db, teamId, first.id, path);
}

function within(value: number | null, low: number, high: number, path: string[]): number | null {
  if (value === null || (value >= low && value <= high)) return value;
  throw new InvalidInput(`must be between ${low} and ${high}.`, path);
}

function effort(value: string | null, path: string[]): string | null {
  if (value === null || /^[a-z]{1,20}$/.test(value)) return value;
  throw new InvalidInput('must be a word such as minimal, low, medium or high.', path);
}

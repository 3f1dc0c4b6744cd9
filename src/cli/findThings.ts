import { ApiError } from '../client/errors.js';
import {
  DatasetsDocument,
  type EndpointFragment,
  EndpointsDocument,
  FindDatasetDocument,
  FindRunDocument,
  RunNamesDocument,
  type WebhookFragment,
  WebhooksDocument,
} from '../client/generated/operations.js';
import { request } from '../client/request.js';
import { CliError, UsageError } from './cliError.js';
import { firstNodes, type LoadPage } from './pages.js';
import type { Settings } from './settings.js';

/** The team's model endpoints, oldest first. */
export async function listEndpoints(settings: Settings): Promise<EndpointFragment[]> {
  return (await request(settings, EndpointsDocument)).modelEndpoints;
}

/** The id of the endpoint with this id or unique name. */
export async function findEndpoint(settings: Settings, reference: string): Promise<string> {
  const endpoints = await listEndpoints(settings);
  const known = endpoints.map(({ name }) => name).join(', ') || 'none yet: assay endpoints add';
  return pick('model endpoint', reference, endpoints, `Known: ${known}.`);
}

/** The team's webhooks, oldest first. */
export async function listWebhooks(settings: Settings): Promise<WebhookFragment[]> {
  return (await request(settings, WebhooksDocument)).webhooks;
}

/** The id of the webhook with this id or unique name. */
export async function findWebhook(settings: Settings, reference: string): Promise<string> {
  return pick('webhook', reference, await listWebhooks(settings), 'assay webhooks lists them.');
}

/** The id of the run with this id or unique name; `latest` is the newest run. */
export async function findRun(settings: Settings, reference: string): Promise<string> {
  if (reference === 'latest') {
    const [latest] = (await request(settings, RunNamesDocument, { first: 1 })).runs.nodes;
    if (!latest) throw new CliError('There is no run yet. Start one with: assay run --dataset FILE');
    return latest.id;
  }
  const byId = await orNull(request(settings, FindRunDocument, { id: reference }));
  if (byId?.run) return byId.run.id;
  const filter = { name: reference };
  const page: LoadPage<Named> = async (first, after) =>
    (await request(settings, RunNamesDocument, { first, after, filter })).runs;
  return pick('run', reference, await named(page, reference), 'assay runs lists them.');
}

/** The id of the dataset with this id or unique name. */
export async function findDataset(settings: Settings, reference: string): Promise<string> {
  const byId = await orNull(request(settings, FindDatasetDocument, { id: reference }));
  if (byId?.dataset) return byId.dataset.id;
  const page: LoadPage<Named> = async (first, after) =>
    (await request(settings, DatasetsDocument, { first, after, name: reference })).datasets;
  const advice = 'Neither is there a file of this name. Import one with: assay import FILE';
  return pick('dataset', reference, await named(page, reference), advice);
}

interface Named {
  id: string;
  name: string;
}

/** A text that is no id at all is as unknown as an id that is not there. */
async function orNull<T>(answer: Promise<T>): Promise<T | null> {
  try {
    return await answer;
  } catch (error) {
    if (error instanceof ApiError && ['NOT_FOUND', 'INVALID_INPUT', 'BAD_USER_INPUT'].includes(error.code)) return null;
    throw error;
  }
}

/** The service finds parts of names in any case; a reference is a whole name. */
async function named(load: LoadPage<Named>, name: string): Promise<Named[]> {
  const { nodes } = await firstNodes(load, Number.POSITIVE_INFINITY);
  return nodes.filter((node) => node.name === name);
}

function pick(kind: string, reference: string, candidates: readonly Named[], advice: string): string {
  const matches = candidates.filter(({ id, name }) => id === reference || name === reference);
  const [match] = matches;
  if (!match) throw new CliError(`There is no ${kind} with the id or name "${reference}". ${advice}`);
  if (matches.length > 1) {
    const ids = matches.map(({ id }) => `  ${id}`).join('\n');
    throw new UsageError(`${matches.length} ${kind}s are named "${reference}". Say which by its id:\n${ids}`);
  }
  return match.id;
}

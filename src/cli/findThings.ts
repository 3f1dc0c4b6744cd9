import { ApiError, CliError, UsageError } from './cliError.js';
import { request } from './client.js';
import type { Settings } from './settings.js';

interface Named {
  id: string;
  name: string;
}

/** What a model endpoint looks like from outside; its key is never shown. */
export interface Endpoint extends Named {
  baseUrl: string;
  hasApiKey: boolean;
  maxConcurrency: number;
  defaultModel: string | null;
  defaultGrader: string | null;
  simulated: boolean;
}

const ENDPOINTS = `query Endpoints {
  modelEndpoints { id name baseUrl hasApiKey maxConcurrency defaultModel defaultGrader simulated }
}`;

/** The team's model endpoints, oldest first. */
export async function listEndpoints(settings: Settings): Promise<Endpoint[]> {
  return (await request<{ modelEndpoints: Endpoint[] }>(settings, ENDPOINTS)).modelEndpoints;
}

/** The id of the endpoint with this id or unique name. */
export async function findEndpoint(settings: Settings, reference: string): Promise<string> {
  const endpoints = await listEndpoints(settings);
  const known = endpoints.map(({ name }) => name).join(', ') || 'none yet: assay endpoints add';
  return pick('model endpoint', reference, endpoints, `Known: ${known}.`);
}

/** The id of the run with this id or unique name; `latest` is the newest run. */
export async function findRun(settings: Settings, reference: string): Promise<string> {
  if (reference === 'latest') {
    const { runs } = await request<Page<'runs'>>(settings, pageQuery('runs', 1, 'orderBy: CREATED_AT_DESC'));
    const [latest] = runs.nodes;
    if (!latest) throw new CliError('There is no run yet. Start one with: assay run --dataset FILE');
    return latest.id;
  }
  return (
    (await findById(settings, 'run', reference)) ?? findByName(settings, 'run', reference, 'assay runs lists them.')
  );
}

/** The id of the dataset with this id or unique name. */
export async function findDataset(settings: Settings, reference: string): Promise<string> {
  const advice = 'Neither is there a file of this name. Import one with: assay import FILE';
  return (await findById(settings, 'dataset', reference)) ?? findByName(settings, 'dataset', reference, advice);
}

type Page<K extends string> = Record<
  K,
  { nodes: Named[]; pageInfo: { hasNextPage: boolean; endCursor: string | null } }
>;

const pageQuery = (field: string, first: number, more = '') => `query Names($after: String) {
  ${field}(first: ${first}, after: $after ${more}) { nodes { id name } pageInfo { hasNextPage endCursor } }
}`;

/** A text that is no id at all is as unknown as an id that is not there. */
async function findById(settings: Settings, kind: 'run' | 'dataset', reference: string): Promise<string | null> {
  try {
    const document = `query Find($id: ID!) { ${kind}(id: $id) { id } }`;
    const found = await request<Record<string, { id: string } | null>>(settings, document, { id: reference });
    return found[kind]?.id ?? null;
  } catch (error) {
    if (error instanceof ApiError && ['NOT_FOUND', 'INVALID_INPUT', 'BAD_USER_INPUT'].includes(error.code)) return null;
    throw error;
  }
}

async function findByName(settings: Settings, kind: 'run' | 'dataset', name: string, advice: string): Promise<string> {
  const field = `${kind}s` as const;
  const found: Named[] = [];
  for (let after: string | null = null, more = true; more; ) {
    const page: Page<typeof field> = await request(settings, pageQuery(field, 200), { after });
    found.push(...page[field].nodes.filter((node) => node.name === name));
    more = page[field].pageInfo.hasNextPage;
    after = page[field].pageInfo.endCursor;
  }
  return pick(kind, name, found, advice);
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

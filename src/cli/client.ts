import { createReadStream } from 'node:fs';
import { Readable } from 'node:stream';
import { ApiError, CliError } from './cliError.js';
import type { Settings } from './settings.js';

/** An expected failure inside a mutation's payload. */
export interface UserError {
  code: string;
  message: string;
  path: string[];
}

/** What `POST /datasets` says about the imported file. */
export interface ImportAnswer {
  dataset: {
    id: string;
    name: string;
    sha256: string;
    officialName: string | null;
    conversationCount: number;
    criterionCount: number;
    warnings: string[];
  };
  created: boolean;
}

interface GraphqlAnswer<T> {
  data?: T | null;
  errors?: readonly GraphqlFailure[];
}

/** One entry of `errors` in a GraphQL answer. */
export interface GraphqlFailure {
  message: string;
  extensions?: { code?: string; requestId?: string };
}

/** Sends one operation over HTTP and returns its data; every failure is a CliError that says what to do. */
export async function request<T>(settings: Settings, document: string, variables: object = {}): Promise<T> {
  const response = await send(settings, '/graphql', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ query: document, variables }),
  });
  const answer = await readJson<GraphqlAnswer<T>>(response);
  if (answer.errors?.length) throw graphqlError(answer.errors);
  if (!answer.data) throw notAssay(response);
  return answer.data;
}

/** Streams a JSONL file to `POST /datasets` without holding it in memory. */
export async function uploadDataset(settings: Settings, file: string, name: string): Promise<ImportAnswer> {
  const response = await send(settings, `/datasets?name=${encodeURIComponent(name)}`, {
    method: 'POST',
    headers: { 'content-type': 'application/x-ndjson' },
    body: Readable.toWeb(createReadStream(file)) as RequestInit['body'],
    duplex: 'half',
  });
  const answer = await readJson<Partial<ImportAnswer> & { error?: GraphqlFailure & { code: string } }>(response);
  if (answer.error) throw apiError(answer.error.code, answer.error.message);
  if (!answer.dataset) throw notAssay(response);
  return { dataset: answer.dataset, created: answer.created ?? true };
}

/** Throws when a mutation's payload carries user errors; prints each with its code and path. */
export function checkUserErrors(payload: { userErrors: readonly UserError[] }): void {
  const [first] = payload.userErrors;
  if (!first) return;
  const lines = payload.userErrors.map(({ code, message, path }) => {
    return `${code}${path.length > 0 ? ` at ${path.join('.')}` : ''}: ${message}`;
  });
  throw new ApiError(lines.join('\n'), first.code);
}

/** The error to show for the `errors` of a GraphQL answer, the same over HTTP and the socket. */
export function graphqlError(errors: readonly GraphqlFailure[]): ApiError {
  const [first] = errors;
  const code = first?.extensions?.code ?? 'UNKNOWN';
  const requestId = code === 'INTERNAL_SERVER_ERROR' ? first?.extensions?.requestId : undefined;
  const message = [...new Set(errors.map((error) => error.message))].join('\n');
  return apiError(code, requestId ? `${message} (request ${requestId}; the service's log has the cause)` : message);
}

/** The error for a code, with what to do about it where that is known. */
export function apiError(code: string, message: string): ApiError {
  const advice: Record<string, string> = {
    UNAUTHENTICATED:
      'The service does not accept the API key. Set ASSAY_API_KEY, or use the data folder of the running service (ASSAY_DATA_DIR).',
    FORBIDDEN: `${message}\nThis key's role is too low. Make another with: assay keys create NAME --role runner|admin`,
  };
  return new ApiError(advice[code] ?? `${code}: ${message}`, code);
}

/** What to say when nothing answers. */
export function unreachable(url: string, cause: string): CliError {
  return new CliError(
    `No service answers at ${url} (${cause}). Start it with "npm start", or name another with --url or ASSAY_URL.`,
  );
}

async function send(settings: Settings, path: string, init: RequestInit): Promise<Response> {
  const headers = { ...init.headers, accept: 'application/json', authorization: `Bearer ${settings.apiKey}` };
  try {
    return await fetch(settings.url + path, { ...init, headers });
  } catch (error) {
    const cause = (error as { cause?: NodeJS.ErrnoException }).cause;
    throw unreachable(settings.url, cause?.code ?? cause?.message ?? (error as Error).message);
  }
}

async function readJson<T>(response: Response): Promise<T> {
  const text = await response.text();
  try {
    return JSON.parse(text) as T;
  } catch {
    if (response.status === 401) throw apiError('UNAUTHENTICATED', '');
    throw notAssay(response);
  }
}

function notAssay(response: Response): CliError {
  return new CliError(`Unexpected answer from ${response.url} (HTTP ${response.status}). Is this an Assay service?`);
}

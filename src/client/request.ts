import { ApiError, ClientError, type GraphqlFailure, graphqlError, RefusedInput, Unreachable } from './errors.js';
import type {
  DatasetFragment,
  ImportRunInput,
  RunStatus,
  TypedDocumentString,
  UserErrorFragment,
} from './generated/operations.js';

/** Where the service is and how to get in. */
export interface Connection {
  /** Such as http://127.0.0.1:4000; without a slash at the end. */
  readonly url: string;
  /** A key of the team, or the token of somebody who has signed in. */
  readonly apiKey: string;
}

/** The variables of a document, which may be left out where it has none. */
export type VariablesOf<V> = V extends Record<string, never> ? [] : [V];

/** Sends one operation over HTTP and returns its data, typed by the document. Throws ClientError. */
export async function request<R, V>(
  connection: Connection,
  document: TypedDocumentString<R, V>,
  ...[variables]: VariablesOf<V>
): Promise<R> {
  const response = await send(connection, '/graphql', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ query: document.toString(), variables }),
  });
  const answer = await readJson<{ data?: R | null; errors?: readonly GraphqlFailure[] }>(response);
  if (answer.errors?.length) throw graphqlError(answer.errors);
  if (!answer.data) throw notAssay(response);
  return answer.data;
}

/** What `POST /datasets` says about the imported file. */
export interface ImportAnswer {
  dataset: DatasetFragment;
  /** False: the team had this content already. */
  created: boolean;
}

/** Streams a JSONL file to `POST /datasets` without holding it in memory. Throws ClientError. */
export async function uploadDataset(
  connection: Connection,
  body: NonNullable<RequestInit['body']>,
  name: string,
): Promise<ImportAnswer> {
  const answer = await upload<ImportAnswer>(connection, `/datasets?name=${encodeURIComponent(name)}`, body);
  return { dataset: answer.dataset, created: answer.created };
}

/** What `POST /runs/import` says about the imported run. */
export interface ImportRunAnswer {
  run: { id: string; name: string; status: RunStatus };
  /** False: the same file was imported before with the same declaration. */
  created: boolean;
}

/** Streams a result file of another harness to `POST /runs/import`. Throws ClientError. */
export function uploadRun(
  connection: Connection,
  body: NonNullable<RequestInit['body']>,
  input: Omit<ImportRunInput, 'file'>,
): Promise<ImportRunAnswer> {
  return upload(connection, `/runs/import?input=${encodeURIComponent(JSON.stringify(input))}`, body);
}

async function upload<T extends { created: boolean }>(
  connection: Connection,
  path: string,
  body: NonNullable<RequestInit['body']>,
): Promise<T> {
  const headers = { 'content-type': 'application/octet-stream' };
  const response = await send(connection, path, { method: 'POST', headers, body, duplex: 'half' });
  const answer = await readJson<T & { error?: { code: string; message: string; path?: string[] } }>(response);
  if (answer.error?.path) throw new RefusedInput([{ ...answer.error, path: answer.error.path }]);
  if (answer.error) throw new ApiError(answer.error.message, answer.error.code);
  if (answer.created === undefined) throw notAssay(response);
  return answer;
}

/** Throws RefusedInput when a mutation's payload carries user errors. */
export function checkUserErrors(payload: { userErrors: readonly UserErrorFragment[] }): void {
  if (payload.userErrors.length > 0) throw new RefusedInput(payload.userErrors);
}

/** The payload of a mutation that was accepted, so that nothing in it is null. Throws RefusedInput. */
export function accepted<P extends { userErrors: readonly UserErrorFragment[] }>(
  payload: P,
): { [K in keyof P]: NonNullable<P[K]> } {
  checkUserErrors(payload);
  return payload as { [K in keyof P]: NonNullable<P[K]> };
}

async function send(connection: Connection, path: string, init: RequestInit): Promise<Response> {
  const headers = { ...init.headers, accept: 'application/json', authorization: `Bearer ${connection.apiKey}` };
  try {
    return await fetch(connection.url + path, { ...init, headers });
  } catch (error) {
    const cause = (error as { cause?: { code?: string; message?: string } }).cause;
    throw new Unreachable(connection.url, cause?.code ?? cause?.message ?? (error as Error).message);
  }
}

async function readJson<T>(response: Response): Promise<T> {
  const text = await response.text();
  try {
    return JSON.parse(text) as T;
  } catch {
    if (response.status === 401) throw new ApiError('The credential is not accepted.', 'UNAUTHENTICATED');
    throw notAssay(response);
  }
}

function notAssay(response: Response): ClientError {
  return new ClientError(`Unexpected answer from ${response.url} (HTTP ${response.status}). Is this an Assay service?`);
}

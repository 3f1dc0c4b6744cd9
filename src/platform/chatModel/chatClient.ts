import OpenAI from 'openai';
import { guardedFetch } from '../outbound/guardedFetch.js';
import type { ChatEndpoint } from './types.js';

/** Sent where a provider needs no key: the client library insists on one. */
const placeholderKey = 'no-key-needed';
/** Beyond any deadline of ours, which covers the body too. */
const never = 2_000_000_000;
const maxClients = 100;
const maxBodyBytes = 16 * 1024 * 1024;

export interface HttpReply {
  status: number;
  /** By lower-case name. */
  headers: Record<string, string>;
  body: string;
}

const clients = new Map<string, OpenAI>();

/**
 * One HTTP exchange with the provider's chat completions. Redirects are not followed, nothing is tried
 * again, and error replies are returned like any other. Throws what the transport throws (see `transportOf`),
 * also when `signal` aborts.
 */
export async function postChat(endpoint: ChatEndpoint, body: object, signal: AbortSignal): Promise<HttpReply> {
  try {
    const response = await clientFor(endpoint)
      .chat.completions.create(body as OpenAI.ChatCompletionCreateParamsNonStreaming, { signal })
      .asResponse();
    return await readReply(response);
  } catch (error) {
    const cause = (error as { cause?: unknown }).cause;
    if (cause instanceof ErrorReply) return cause.reply;
    throw error;
  }
}

/** The provider's list of models (`GET /models`), under the same conditions as postChat. */
export async function getModels(endpoint: ChatEndpoint, signal: AbortSignal): Promise<HttpReply> {
  try {
    return await readReply(await clientFor(endpoint).get('/models', { signal }).asResponse());
  } catch (error) {
    const cause = (error as { cause?: unknown }).cause;
    if (cause instanceof ErrorReply) return cause.reply;
    throw error;
  }
}

/** Bounded: the client that was used least recently goes first. */
function clientFor({ baseUrl, apiKey }: ChatEndpoint): OpenAI {
  const key = `${baseUrl}\n${apiKey ?? ''}`;
  const client = clients.get(key) ?? createClient(baseUrl, apiKey);
  clients.delete(key);
  clients.set(key, client);
  const oldest = clients.size > maxClients ? clients.keys().next().value : undefined;
  if (oldest !== undefined) clients.delete(oldest);
  return client;
}

/** Every setting that the library would else take from the environment is given: it belongs to no team. */
function createClient(baseURL: string, apiKey: string | null): OpenAI {
  return new OpenAI({
    baseURL,
    apiKey: apiKey ?? placeholderKey,
    adminAPIKey: null,
    organization: null,
    project: null,
    webhookSecret: null,
    logLevel: 'off',
    maxRetries: 0,
    timeout: never,
    fetch: fetchReply,
  });
}

/** Carries an error reply past the library, which would keep only a part of it. */
class ErrorReply extends Error {
  constructor(readonly reply: HttpReply) {
    super(`HTTP status ${reply.status}`);
  }
}

async function fetchReply(url: string | URL | Request, init?: RequestInit): Promise<Response> {
  const response = await guardedFetch(new URL(url instanceof Request ? url.url : url), init);
  if (response.ok) return response;
  throw new ErrorReply(await readReply(response));
}

async function readReply(response: Response): Promise<HttpReply> {
  return { status: response.status, headers: Object.fromEntries(response.headers), body: await readText(response) };
}

/** The whole body, unless it is absurdly long: then what has come until there, which will not parse. */
async function readText(response: Response): Promise<string> {
  const length = Number(response.headers.get('content-length') ?? Number.NaN);
  if (length <= maxBodyBytes && response.headers.get('content-encoding') === null) return response.text();
  const decoder = new TextDecoder();
  let text = '';
  let bytes = 0;
  for await (const chunk of response.body ?? []) {
    bytes += chunk.byteLength;
    text += decoder.decode(chunk, { stream: true });
    if (bytes > maxBodyBytes) break;
  }
  return text + decoder.decode();
}

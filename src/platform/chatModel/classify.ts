import { classifyError } from './classifyError.js';
import { classifyTransport, stopsRun } from './classifyTransport.js';
import { readErrorFacts } from './errorFacts.js';
import { cutText, maskSecrets } from './maskSecrets.js';
import { decodeBody, isObject, type Json } from './replyBody.js';
import { retryAfterMs } from './retryAfter.js';
import type { CallOutcome, ChatReply, RetryReason, SentFields } from './types.js';
import { readUsage } from './usage.js';

/** One HTTP reply, or the failure to get one. */
export interface ReceivedReply {
  /** 0 when no complete reply has arrived. */
  status: number;
  /** By lower-case name. */
  headers: Record<string, string>;
  /** Text as received, or JSON that is parsed already. */
  body: unknown;
  request: SentFields;
  /** Names the failure of the transport, such as `ECONNRESET`. */
  transport?: string;
  /** The endpoint's key, to be kept out of messages. */
  apiKey?: string | null;
  /** ms since 1970 */
  now: number;
}

const messageLength = 500;
const filtered = new Set([
  'content_filter',
  'content_filtered',
  'safety',
  'prohibited_content',
  'blocklist',
  'sensitive',
  'recitation',
]);
const broken = new Set([
  'error',
  'failed',
  'abort',
  'aborted',
  'cancelled',
  'timeout',
  'network_error',
  'insufficient_system_resource',
]);

/** Decides what an attempt came to. Pure: the clock is an argument. Throws nothing, whatever the provider sent. */
export function classifyReply(received: ReceivedReply): CallOutcome {
  const { status, transport } = received;
  if (transport !== undefined && transport !== '') return classifyTransport(transport, clean(transport, received));
  if (status === 0) return classifyTransport('no reply', 'No reply arrived.');
  const body = decodeBody(received.body);
  if (status < 200 || status > 299) return errorReply(received, body ?? plainText(received.body));
  if (!isObject(body)) return unreadable(received, body);
  const choice: unknown = Array.isArray(body.choices) ? body.choices[0] : undefined;
  if (isPresent(body.error)) return errorReply(received, { error: body.error, message: body.message });
  if (!isObject(choice)) {
    const isError = body.object === 'error' || body.type === 'error' || isPresent(body.detail);
    return isError ? errorReply(received, body) : retry('bad_response', received, 'The reply holds no choice.');
  }
  if (isPresent(choice.error)) return errorReply(received, { error: choice.error });
  return completion(received, body, choice);
}

function completion(received: ReceivedReply, body: Json, choice: Json): CallOutcome {
  const finish = typeof choice.finish_reason === 'string' ? choice.finish_reason : null;
  const message = choice.message;
  if (filtered.has(finish?.toLowerCase() ?? '')) {
    const text = 'The provider filtered the reply.';
    return { kind: 'fail', reason: 'content_filter', stopsRun: false, status: received.status, message: text };
  }
  if (broken.has(finish?.toLowerCase() ?? ''))
    return retry('server_error', received, `The reply ended as “${finish}”.`);
  if (!isObject(message)) return retry('bad_response', received, 'The choice holds no message.');
  const reply = readReply(body, message, finish);
  if (reply.refusal === null && reply.text.trim() === '') return emptyReply(received, finish);
  return { kind: 'ok', reply };
}

/** Nothing was written. When the cap is the cause (a model that thought too long), a larger one may help. */
function emptyReply(received: ReceivedReply, finish: string | null): CallOutcome {
  if (finish !== 'length' && finish !== 'max_tokens') return retry('empty', received, 'The reply is empty.');
  const message = 'The cap on tokens was reached before anything was written.';
  const { status, request } = received;
  const capped = request.max_tokens !== undefined || request.max_completion_tokens !== undefined;
  return capped
    ? { kind: 'fallback', change: 'raise_max_tokens', status, message }
    : { kind: 'fail', reason: 'truncated', stopsRun: stopsRun('truncated'), status, message };
}

function readReply(body: Json, message: Json, finishReason: string | null): ChatReply {
  const refusal = typeof message.refusal === 'string' && message.refusal.trim() !== '' ? message.refusal : null;
  return {
    content: message.content ?? null,
    text: textOf(message.content),
    finishReason,
    refusal,
    usage: readUsage(body.usage),
    model: typeof body.model === 'string' ? body.model : null,
  };
}

/** Thinking is never part of the text. */
function textOf(content: unknown): string {
  if (typeof content === 'string') return content;
  if (!Array.isArray(content)) return '';
  const parts: unknown[] = content;
  return parts
    .map((part) => (isObject(part) && part.type === 'text' && typeof part.text === 'string' ? part.text : ''))
    .join('');
}

function errorReply(received: ReceivedReply, body: unknown): CallOutcome {
  const facts = readErrorFacts(received.status, body);
  const message = clean(facts.message === '' ? `HTTP status ${received.status}` : facts.message, received);
  const bodyText = typeof received.body === 'string' ? received.body : JSON.stringify(received.body ?? '');
  const afterMs = retryAfterMs(received.headers, `${facts.message} ${bodyText}`.slice(0, 20_000), received.now);
  return classifyError(facts, received.request, { status: received.status, message, afterMs });
}

/** A success that cannot be read: empty, HTML, cut, or JSON that is no object. */
function unreadable(received: ReceivedReply, body: unknown): CallOutcome {
  const isEmpty = body === undefined && (received.body == null || String(received.body).trim() === '');
  if (isEmpty) return retry('empty', received, 'The body is empty.');
  return retry('bad_response', received, `The body is no completion: ${plainText(received.body)}`);
}

function retry(reason: RetryReason, received: ReceivedReply, message: string): CallOutcome {
  return { kind: 'retry', reason, afterMs: null, status: received.status, message: clean(message, received) };
}

function isPresent(error: unknown): boolean {
  return isObject(error) ? Object.keys(error).length > 0 : error != null && error !== '' && error !== false;
}

/** The words of an HTML page or of a body that is no JSON. */
function plainText(body: unknown): string {
  const text = typeof body === 'string' ? body : (JSON.stringify(body) ?? '');
  return text
    .slice(0, 20_000)
    .replace(/<[^>]*>/g, ' ')
    .replace(/\s+/g, ' ')
    .trim();
}

function clean(message: string, received: ReceivedReply): string {
  return cutText(maskSecrets(message, received.apiKey ?? null), messageLength);
}

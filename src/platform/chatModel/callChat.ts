import { transportOf } from '../outbound/transportOf.js';
import { type Adaptation, requestBody, sentFields } from './adaptation.js';
import { getModels, type HttpReply, postChat } from './chatClient.js';
import { classifyReply } from './classify.js';
import { cutText, maskKey, maskSecrets } from './maskSecrets.js';
import { decodeBody, isObject } from './replyBody.js';
import { retryAfterMs } from './retryAfter.js';
import type { CallOutcome, ChatEndpoint, ChatRequest, TokenUsage } from './types.js';
import { usageOfBody } from './usage.js';

const rawLength = 20_000;

/**
 * An attempt: what it came to, how long it took, what it used (also a reply that cannot be used), and what
 * arrived (cut to 20,000 characters, without keys).
 */
export type ChatAttempt = CallOutcome & {
  latencyMs: number;
  usage: TokenUsage;
  raw: string;
  /** For how long the provider wants no further call, by its headers; null: it does not say. */
  waitMs: number | null;
};

/**
 * Calls the provider once. Whatever the provider or the network does is an outcome; nothing is thrown for it.
 * The deadline runs until the last byte of the body. An aborted signal is `fail cancelled`.
 *
 * @param limits.deadlineMs from the start of the attempt
 */
export async function callChat(
  endpoint: ChatEndpoint,
  request: ChatRequest,
  adaptation: Adaptation,
  limits: { signal: AbortSignal; deadlineMs: number },
): Promise<ChatAttempt> {
  const body = requestBody(request, adaptation);
  const started = performance.now();
  const received = await exchange((signal) => postChat(endpoint, body, signal), limits);
  const latencyMs = Math.round(performance.now() - started);
  const { apiKey } = endpoint;
  const now = Date.now();
  const outcome = classifyReply({ ...received, request: sentFields(body), apiKey, now });
  const waitMs = retryAfterMs(received.headers, '', now);
  // Cut before masking, which is slow on long texts, with room for a key at the edge.
  const start = received.body.slice(0, rawLength + 2000);
  const masked = outcome.kind === 'ok' ? maskKey(start, apiKey) : maskSecrets(start, apiKey);
  const usage = outcome.kind === 'ok' ? outcome.reply.usage : usageOfBody(received.body);
  return { ...outcome, latencyMs, usage, waitMs, raw: cutText(masked, rawLength) };
}

/** What the list of models came to: their names, or why there are none. */
export type ModelList = { names: string[] } | { outcome: CallOutcome };

/** Asks for the names of the models that the provider serves. Costs nothing; throws nothing. */
export async function listModels(
  endpoint: ChatEndpoint,
  limits: { signal: AbortSignal; deadlineMs: number },
): Promise<ModelList> {
  const received = await exchange((signal) => getModels(endpoint, signal), limits);
  const body = decodeBody(received.body);
  const { status } = received;
  if (status >= 200 && status < 300 && isObject(body) && Array.isArray(body.data)) {
    const entries: unknown[] = body.data;
    return { names: entries.flatMap((entry) => (isObject(entry) && typeof entry.id === 'string' ? [entry.id] : [])) };
  }
  return { outcome: classifyReply({ ...received, request: {}, apiKey: endpoint.apiKey, now: Date.now() }) };
}

interface Received extends HttpReply {
  transport?: string;
}

async function exchange(
  send: (signal: AbortSignal) => Promise<HttpReply>,
  { signal, deadlineMs }: { signal: AbortSignal; deadlineMs: number },
): Promise<Received> {
  if (signal.aborted) return failed('cancelled');
  const abort = new AbortController();
  let reason = 'cancelled';
  const cancel = () => abort.abort();
  const timer = setTimeout(() => {
    reason = `deadline of ${deadlineMs} ms passed`;
    abort.abort();
  }, deadlineMs);
  signal.addEventListener('abort', cancel, { once: true });
  try {
    return await send(abort.signal);
  } catch (error) {
    return failed(abort.signal.aborted ? reason : transportOf(error));
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', cancel);
  }
}

function failed(transport: string): Received {
  return { status: 0, headers: {}, body: '', transport };
}

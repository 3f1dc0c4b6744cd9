import { type Adaptation, requestBody, sentFields } from './adaptation.js';
import { type HttpReply, postChat, transportOf } from './chatClient.js';
import { classifyReply } from './classify.js';
import { cutText, maskKey, maskSecrets } from './maskSecrets.js';
import { retryAfterMs } from './retryAfter.js';
import type { CallOutcome, ChatEndpoint, ChatRequest } from './types.js';

const rawLength = 20_000;

/** An attempt: what it came to, how long it took, and what arrived (cut to 20,000 characters, without keys). */
export type ChatAttempt = CallOutcome & {
  latencyMs: number;
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
  const received = await exchange(endpoint, body, limits);
  const latencyMs = Math.round(performance.now() - started);
  const { apiKey } = endpoint;
  const now = Date.now();
  const outcome = classifyReply({ ...received, request: sentFields(body), apiKey, now });
  const waitMs = retryAfterMs(received.headers, '', now);
  // Cut before masking, which is slow on long texts, with room for a key at the edge.
  const start = received.body.slice(0, rawLength + 2000);
  const masked = outcome.kind === 'ok' ? maskKey(start, apiKey) : maskSecrets(start, apiKey);
  return { ...outcome, latencyMs, waitMs, raw: cutText(masked, rawLength) };
}

interface Received extends HttpReply {
  transport?: string;
}

async function exchange(
  endpoint: ChatEndpoint,
  body: object,
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
    return await postChat(endpoint, body, abort.signal);
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

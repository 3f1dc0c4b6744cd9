import { cutText, maskSecrets } from '../platform/chatModel/maskSecrets.js';
import { retryAfterMs } from '../platform/chatModel/retryAfter.js';
import { guardedFetch } from '../platform/outbound/guardedFetch.js';
import { transportOf } from '../platform/outbound/transportOf.js';

/** Of an answer that is a failure so much is kept. */
const SNIPPET = 200;

export interface Answer {
  /** Of HTTP; null: there was no answer. */
  status: number | null;
  /** From the request to the answer's headers, or to the failure. */
  durationMs: number;
  /** Why this is a failure, as a sentence; null: the receiver has taken the message (2xx). */
  error: string | null;
  /** How long the receiver asks to wait; null: it does not say. */
  retryAfterMs: number | null;
}

/**
 * Sends a message to a receiver, once. What goes wrong is the answer, not an error; but when `abort` cuts the attempt
 * off, which says nothing about the receiver, it is thrown.
 */
export async function postMessage(
  url: string,
  headers: Record<string, string>,
  body: string,
  { timeoutMs, abort }: { timeoutMs: number; abort: AbortSignal },
): Promise<Answer> {
  const started = performance.now();
  const timeout = AbortSignal.timeout(timeoutMs);
  const failed = (error: string, status: number | null = null, wait: number | null = null): Answer => ({
    status,
    durationMs: Math.round(performance.now() - started),
    error: cutText(maskSecrets(error), SNIPPET + 100),
    retryAfterMs: wait,
  });
  try {
    const signal = AbortSignal.any([abort, timeout]);
    const response = await guardedFetch(new URL(url), { method: 'POST', headers, body, signal });
    const durationMs = Math.round(performance.now() - started);
    const { status } = response;
    if (response.ok) {
      await response.body?.cancel();
      return { status, durationMs, error: null, retryAfterMs: null };
    }
    const wait = retryAfterMs({ 'retry-after': response.headers.get('retry-after') ?? '' }, '', Date.now());
    const said = await beginningOf(response);
    return { ...failed(sentence(status, said), status, wait), durationMs };
  } catch (error) {
    if (abort.aborted) throw error;
    if (timeout.aborted) return failed(`No answer within ${timeoutMs / 1000} s.`);
    return failed(`The connection failed: ${transportOf(error)}.`);
  }
}

function sentence(status: number, said: string): string {
  const what = status >= 300 && status < 400 ? 'redirects, which is not followed' : `answered`;
  return `The receiver ${what} (HTTP ${status})${said === '' ? '.' : `: ${said}`}`;
}

/** The first of an answer's text, in one line; a body that breaks off says nothing more. */
async function beginningOf(response: Response): Promise<string> {
  const decoder = new TextDecoder();
  let text = '';
  try {
    for await (const chunk of response.body ?? []) {
      text += decoder.decode(chunk.subarray(0, 4 * SNIPPET), { stream: true });
      // Leaving the loop cancels the rest.
      if (text.length >= SNIPPET) break;
    }
  } catch {
    // The status is known, and it is what counts.
  }
  return text.replace(/\s+/g, ' ').trim().slice(0, SNIPPET);
}

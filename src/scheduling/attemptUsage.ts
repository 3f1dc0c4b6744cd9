import type { ChatAttempt } from '../platform/chatModel/callChat.js';
import { type CallUsage, sumUsage } from '../runs/usage.js';

/** The provider took the request and sent something, of whatever worth: it may ask to be paid for it. */
export function wasAnswered(attempt: ChatAttempt): boolean {
  if (attempt.kind === 'ok') return true;
  return attempt.status !== null && attempt.status >= 200 && attempt.status < 300;
}

/** The usage with one more attempt. An answer that came without its usage is counted as unmeasured. */
export function addAttempt(sum: CallUsage, attempt: ChatAttempt): CallUsage {
  const { promptTokens, completionTokens, cachedTokens, reasoningTokens } = attempt.usage;
  const measured = promptTokens !== null && completionTokens !== null;
  const one: CallUsage = {
    calls: 1,
    promptTokens: promptTokens ?? 0,
    completionTokens: completionTokens ?? 0,
    cachedTokens,
    reasoningTokens,
    unmeasuredCalls: wasAnswered(attempt) && !measured ? 1 : 0,
  };
  return sumUsage([sum, one]);
}

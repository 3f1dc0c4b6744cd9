import type { ChatAttempt } from '../platform/chatModel/callChat.js';
import { type CallUsage, sumUsage } from '../runs/usage.js';

/** The usage with one more attempt. A completion that came without its usage is counted as unmeasured. */
export function addAttempt(sum: CallUsage, attempt: ChatAttempt): CallUsage {
  const { promptTokens, completionTokens, cachedTokens, reasoningTokens } = attempt.usage;
  const measured = promptTokens !== null && completionTokens !== null;
  const one: CallUsage = {
    calls: 1,
    promptTokens: promptTokens ?? 0,
    completionTokens: completionTokens ?? 0,
    cachedTokens,
    reasoningTokens,
    unmeasuredCalls: attempt.kind === 'ok' && !measured ? 1 : 0,
  };
  return sumUsage([sum, one]);
}

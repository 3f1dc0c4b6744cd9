import type { ChatAttempt } from '../platform/chatModel/callChat.js';
import type { CallUsage } from '../runs/usage.js';

/** The usage with one more attempt. A completion that came without its usage is counted as unmeasured. */
export function addAttempt(sum: CallUsage, attempt: ChatAttempt): CallUsage {
  const { promptTokens, completionTokens, cachedTokens, reasoningTokens } = attempt.usage;
  const measured = promptTokens !== null && completionTokens !== null;
  return {
    calls: sum.calls + 1,
    promptTokens: sum.promptTokens + (promptTokens ?? 0),
    completionTokens: sum.completionTokens + (completionTokens ?? 0),
    cachedTokens: addReported(sum.cachedTokens, cachedTokens),
    reasoningTokens: addReported(sum.reasoningTokens, reasoningTokens),
    unmeasuredCalls: sum.unmeasuredCalls + (attempt.kind === 'ok' && !measured ? 1 : 0),
  };
}

const addReported = (sum: number | null, more: number | null): number | null =>
  more === null ? sum : (sum ?? 0) + more;

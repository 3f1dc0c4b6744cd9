import { decodeBody, isObject } from './replyBody.js';
import type { TokenUsage } from './types.js';

/** Nothing was reported. */
export const unreported: TokenUsage = {
  promptTokens: null,
  completionTokens: null,
  cachedTokens: null,
  reasoningTokens: null,
};

/** The `usage` of a completion. Numbers that cannot be token counts are left out. */
export function readUsage(usage: unknown): TokenUsage {
  if (!isObject(usage)) return unreported;
  const promptTokens = count(usage.prompt_tokens);
  const completionTokens = count(usage.completion_tokens);
  const prompt = isObject(usage.prompt_tokens_details) ? usage.prompt_tokens_details : {};
  const completion = isObject(usage.completion_tokens_details) ? usage.completion_tokens_details : {};
  return {
    promptTokens,
    completionTokens,
    cachedTokens: partOf(promptTokens, count(prompt.cached_tokens) ?? count(usage.prompt_cache_hit_tokens)),
    reasoningTokens: partOf(completionTokens, count(completion.reasoning_tokens)),
  };
}

/** The usage of a body that was not taken for a reply: an empty or filtered one has been paid for as well. */
export function usageOfBody(body: unknown): TokenUsage {
  if (typeof body === 'string' && !body.includes('"usage"')) return unreported;
  const decoded = decodeBody(body);
  return isObject(decoded) ? readUsage(decoded.usage) : unreported;
}

/** Within the integers of Postgres: anything larger is no count of one call's tokens. */
function count(value: unknown): number | null {
  return Number.isInteger(value) && Number(value) >= 0 && Number(value) <= 2_147_483_647 ? Number(value) : null;
}

/** A part is never more than the whole, or it would cost less than nothing. */
function partOf(whole: number | null, part: number | null): number | null {
  return part === null || whole === null ? null : Math.min(part, whole);
}

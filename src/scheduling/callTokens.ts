import type { ChatReply, ChatRequest } from '../platform/chatModel/types.js';

/** What a reply takes, where nothing is known. */
const REPLY_TOKENS = 500;

/**
 * Tokens that a call will presumably take of an endpoint's tokens per minute. A token has about four characters;
 * of the reply only the bound is known, if there is one.
 */
export function estimatedTokens({ messages, maxTokens }: ChatRequest): number {
  const characters = messages.reduce((sum, { content }) => sum + content.length, 0);
  return Math.ceil(characters / 4) + Math.min(maxTokens ?? REPLY_TOKENS, REPLY_TOKENS);
}

/** What it has taken; null when the provider does not say. */
export function usedTokens({ usage }: ChatReply): number | null {
  const { promptTokens, completionTokens } = usage;
  return promptTokens === null || completionTokens === null ? null : promptTokens + completionTokens;
}

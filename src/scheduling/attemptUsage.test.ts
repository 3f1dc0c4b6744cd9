import { describe, expect, it } from '@jest/globals';
import type { ChatAttempt } from '../platform/chatModel/callChat.js';
import type { TokenUsage } from '../platform/chatModel/types.js';
import { noUsage } from '../runs/usage.js';
import { addAttempt } from './attemptUsage.js';

const unreported: TokenUsage = {
  promptTokens: null,
  completionTokens: null,
  cachedTokens: null,
  reasoningTokens: null,
};
const failed = (status: number | null, reason: string, usage = unreported) =>
  ({
    kind: 'retry',
    reason,
    status,
    afterMs: null,
    message: '',
    latencyMs: 1,
    usage,
    waitMs: null,
    raw: '',
  }) as ChatAttempt;

describe('the usage of an attempt', () => {
  it.each([
    ['an empty completion', failed(200, 'empty'), 1],
    [
      'an empty completion that says what it used',
      failed(200, 'empty', { ...unreported, promptTokens: 3, completionTokens: 0 }),
      0,
    ],
    ['a rate limit', failed(429, 'rate_limited'), 0],
    ['an endpoint that is not there', failed(null, 'unreachable'), 0],
  ])('of %s is unmeasured where the provider took the request and did not say', (_what, attempt, unmeasuredCalls) => {
    expect(addAttempt(noUsage, attempt)).toMatchObject({ calls: 1, unmeasuredCalls });
  });
});

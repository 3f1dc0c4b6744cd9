import { describe, expect, it } from '@jest/globals';
import { readUsage, unreported, usageOfBody } from './usage.js';

describe('the usage that a provider reports', () => {
  it('has the cached and the thinking part where they are told apart', () => {
    const usage = {
      prompt_tokens: 100,
      completion_tokens: 50,
      prompt_tokens_details: { cached_tokens: 60 },
      completion_tokens_details: { reasoning_tokens: 30 },
    };
    expect(readUsage(usage)).toEqual({
      promptTokens: 100,
      completionTokens: 50,
      cachedTokens: 60,
      reasoningTokens: 30,
    });
    expect(readUsage({ prompt_tokens: 1, completion_tokens: 2, prompt_cache_hit_tokens: 1 }).cachedTokens).toBe(1);
  });

  it.each([
    [null],
    [{}],
    ['12'],
    [{ prompt_tokens: -1, completion_tokens: 1.5 }],
    [{ prompt_tokens: '7' }],
    [{ prompt_tokens: 1e12 }],
  ])('is unknown and not zero in %j', (usage) => {
    expect(readUsage(usage)).toEqual(unreported);
  });

  it('has no part that is more than the whole', () => {
    const usage = { prompt_tokens: 5, completion_tokens: 5, prompt_tokens_details: { cached_tokens: 9 } };
    expect(readUsage(usage).cachedTokens).toBe(5);
  });

  it.each([
    ['{"choices": [], "usage": {"prompt_tokens": 9, "completion_tokens": 0}}', 9],
    ['{"usage": {"prompt_tokens": 9', null],
    ['<html>"usage"</html>', null],
    ['', null],
  ])('is read from a body without a reply: %s', (body, promptTokens) => {
    expect(usageOfBody(body).promptTokens).toBe(promptTokens);
  });
});

import { describe, expect, it } from '@jest/globals';
import { publishedDifferences, type RunConditions } from './publishedConditions.js';
import { PUBLISHED_RESULTS, type PublishedResult } from './publishedResults.js';

const reference: RunConditions = {
  variant: 'MAIN',
  selected: 5000,
  total: 5000,
  coverage: 1,
  completed: true,
  simulated: false,
  grader: {
    model: 'gpt-4.1-2025-04-14',
    temperature: 0.5,
    reasoningEffort: null,
    maxTokens: 2048,
    systemMessage: 'You are a helpful assistant.',
  },
  graderPromptSha256: '2adffd51fd259554ebcd036ad1072d4aa2b7ce3aec2bbffe36271f911632ed3c',
  scoring: { profile: 'healthbench', version: 1, lengthRule: null, notComparable: false, deviations: [] },
};
const published = (part: Partial<PublishedResult>) => {
  const found = PUBLISHED_RESULTS.find((one) =>
    Object.entries(part).every(([key, value]) => Object.is(one[key as keyof PublishedResult], value)),
  );
  if (found === undefined) throw new Error(`nothing published like ${JSON.stringify(part)}`);
  return found;
};
const parts = (result: PublishedResult, changes: Partial<RunConditions> = {}) =>
  publishedDifferences(result, { ...reference, ...changes }).map(({ part }) => part);

describe('published results', () => {
  it('have ids of their own, shares of 1 and a source', () => {
    expect(new Set(PUBLISHED_RESULTS.map(({ id }) => id)).size).toBe(PUBLISHED_RESULTS.length);
    for (const { value, source } of PUBLISHED_RESULTS) {
      expect(value).toBeGreaterThanOrEqual(0);
      expect(value).toBeLessThan(1);
      expect(source).not.toBe('');
    }
    expect(published({ model: 'GPT-4.1', variant: 'MAIN' })).toMatchObject({
      value: 0.4778,
      runs: 16,
      trust: 'STATED',
    });
    expect(published({ model: 'Llama 4 Scout' })).toMatchObject({ value: 0.2495, trust: 'READ' });
  });
});

describe('a published number beside a run', () => {
  const o3 = published({ model: 'o3', variant: 'MAIN', runs: 16 });

  it('may stand there when every condition is the same', () => {
    expect(parts(o3)).toEqual([]);
  });

  it.each([
    [{ variant: 'HARD' }, ['dataset']],
    [{ variant: null }, ['dataset']],
    [{ selected: 200 }, ['sample']],
    [{ coverage: 0.99 }, ['coverage']],
    [{ completed: false }, ['coverage']],
    [{ simulated: true }, ['models']],
    [{ graderPromptSha256: 'other' }, ['grader prompt']],
    [{ grader: { ...reference.grader, model: 'gpt-4.1-mini' } }, ['grader']],
    [{ grader: { ...reference.grader, temperature: 0 } }, ['grader parameters']],
  ] as const)('does not when the run has %j', (changes, differing) => {
    expect(parts(o3, changes)).toEqual(differing);
  });

  it('does not where the source names no grader, or used a program of its own', () => {
    expect(parts(published({ model: 'gpt-oss-120b (high)', variant: 'MAIN' }))).toEqual(['grader']);
    const professional = published({ model: 'GPT-5.4' });
    expect(parts(professional, { variant: 'PROFESSIONAL' })).toEqual(
      expect.arrayContaining(['evaluator', 'length rule']),
    );
  });
});

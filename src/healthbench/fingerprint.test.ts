import { describe, expect, it } from '@jest/globals';
import {
  type FingerprintInput,
  type FingerprintModel,
  fingerprint,
  fingerprintDifferences,
  isComparable,
  severityOf,
} from './fingerprint.js';

const model: FingerprintModel = {
  baseUrl: 'https://models.example/v1',
  model: 'model-a',
  temperature: 0.3,
  reasoningEffort: null,
  maxTokens: null,
  systemMessage: null,
  simulated: false,
};
const run: FingerprintInput = {
  datasetSha256: 'd1',
  sample: { method: 'PYTHON_RANDOM', size: 100, seed: 0 },
  selectionSha256: 's1',
  repeats: 1,
  modelUnderTest: model,
  grader: { ...model, model: 'judge', temperature: 0 },
  graderPromptSha256: 'g1',
  scoring: { profile: 'healthbench', version: 1, lengthRule: null },
  version: '1.0.0',
};
const known = { baselineKnown: true, candidateKnown: true };
const against = (change: Partial<FingerprintInput>) =>
  fingerprintDifferences(fingerprint(run), fingerprint({ ...run, ...change }));

describe('the fingerprint', () => {
  it('names every part once', () => {
    const parts = fingerprint(run).map(({ part }) => part);
    expect(new Set(parts).size).toBe(parts.length);
    expect(parts).toEqual(expect.arrayContaining(['dataset', 'conversations', 'grader.model', 'graderPrompt']));
  });

  it('is the same for runs under the same conditions', () => {
    expect(against({})).toEqual([]);
    expect(isComparable([])).toBe(true);
  });

  it('takes what is unknown for equal to nothing, not even to what is unknown too, where it matters', () => {
    const unknown = {
      grader: { ...run.grader, temperature: null, unknown: ['temperature' as const] },
      graderPromptSha256: null,
      modelUnderTest: { ...model, maxTokens: null, unknown: ['maxTokens' as const] },
    };
    const parts = fingerprint({ ...run, ...unknown });
    expect(against(unknown).map(({ part, severity }) => [part, severity])).toEqual([
      ['grader.temperature', 'UNKNOWN'],
      ['graderPrompt', 'UNKNOWN'],
      ['modelUnderTest.maxTokens', 'SUBJECT'],
    ]);
    const both = fingerprintDifferences(parts, parts);
    expect(both.map(({ part, baselineKnown }) => [part, baselineKnown])).toEqual([
      ['grader.temperature', false],
      ['graderPrompt', false],
    ]);
    expect(isComparable(both)).toBe(false);
  });

  it('lets the model under test and its request differ: that is what is compared', () => {
    const differences = against({ modelUnderTest: { ...model, model: 'model-b', temperature: null } });
    expect(differences).toEqual([
      { ...known, part: 'modelUnderTest.model', baseline: 'model-a', candidate: 'model-b', severity: 'SUBJECT' },
      { ...known, part: 'modelUnderTest.temperature', baseline: '0.3', candidate: null, severity: 'SUBJECT' },
    ]);
    expect(isComparable(differences)).toBe(true);
  });

  it.each<[string, Partial<FingerprintInput>, string]>([
    ['dataset', { datasetSha256: 'd2' }, 'SCOPE'],
    ['sampleMethod', { sample: { ...run.sample, method: 'PANDAS' } }, 'SCOPE'],
    ['sampleSize', { sample: { ...run.sample, size: 50 } }, 'SCOPE'],
    ['sampleSeed', { sample: { ...run.sample, seed: 1 } }, 'SCOPE'],
    ['conversations', { selectionSha256: 's2' }, 'SCOPE'],
    ['repeats', { repeats: 4 }, 'SCOPE'],
    ['grader.model', { grader: { ...run.grader, model: 'judge-2' } }, 'BREAKING'],
    ['grader.temperature', { grader: { ...run.grader, temperature: 0.5 } }, 'BREAKING'],
    ['grader.reasoningEffort', { grader: { ...run.grader, reasoningEffort: 'low' } }, 'BREAKING'],
    ['grader.maxTokens', { grader: { ...run.grader, maxTokens: 2048 } }, 'BREAKING'],
    ['grader.systemMessage', { grader: { ...run.grader, systemMessage: 'Judge.' } }, 'BREAKING'],
    ['grader.simulated', { grader: { ...run.grader, simulated: true } }, 'BREAKING'],
    ['graderPrompt', { graderPromptSha256: 'g2' }, 'BREAKING'],
    ['scoringProfile', { scoring: { ...run.scoring, profile: 'healthbench-professional' } }, 'BREAKING'],
    ['scoringProfile', { scoring: { ...run.scoring, version: 2 } }, 'BREAKING'],
    ['modelUnderTest.simulated', { modelUnderTest: { ...model, simulated: true } }, 'BREAKING'],
  ])('is not comparable when %s differs', (part, change, severity) => {
    const differences = against(change);
    expect(differences).toEqual([expect.objectContaining({ part, severity })]);
    expect(isComparable(differences)).toBe(false);
  });

  it.each<[string, Partial<FingerprintInput>]>([
    ['version', { version: '1.1.0' }],
    ['grader.baseUrl', { grader: { ...run.grader, baseUrl: 'https://elsewhere.example/v1' } }],
  ])('asks for care when %s differs', (part, change) => {
    expect(against(change)).toEqual([expect.objectContaining({ part, severity: 'CAUTION' })]);
    expect(isComparable(against(change))).toBe(true);
  });

  it('minds the length constants where the number of the profile depends on them, and only there', () => {
    const of = (profile: string, penaltyPer500: number): FingerprintInput => ({
      ...run,
      scoring: { profile, version: 1, lengthRule: { variant: 'CUSTOM', centre: 2000, penaltyPer500 } },
    });
    const differences = (profile: string) =>
      fingerprintDifferences(fingerprint(of(profile, 0.0299)), fingerprint(of(profile, 0.0392)));
    expect(differences('healthbench')).toEqual([]);
    expect(differences('healthbench-length-adjusted')).toEqual([
      expect.objectContaining({ part: 'lengthRule', severity: 'BREAKING' }),
    ]);
  });

  it('puts the gravest difference first', () => {
    const change = { version: '2', repeats: 2, graderPromptSha256: 'g2', modelUnderTest: { ...model, model: 'b' } };
    expect(against(change).map(({ severity }) => severity)).toEqual(['BREAKING', 'SCOPE', 'CAUTION', 'SUBJECT']);
  });

  it('takes a part that only a newer run knows for a difference', () => {
    const older = fingerprint(run).filter(({ part }) => part !== 'verdictRules');
    const [found] = fingerprintDifferences(older, fingerprint(run));
    expect(found).toMatchObject({ part: 'verdictRules', baseline: null, severity: 'BREAKING' });
    expect(severityOf('something new')).toBe('CAUTION');
  });
});

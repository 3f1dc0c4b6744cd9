import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { scoreRun } from './score.js';
import {
  adjustForLength,
  codePoints,
  LENGTH_RULES,
  PROFESSIONAL_GRADER,
  presetDeviations,
  SCORING_PROFILES,
  scoringProfile,
} from './scoringProfile.js';

describe('scoring profiles', () => {
  it('are these; a change of what one computes raises its version', () => {
    expect(SCORING_PROFILES.map(({ name, version, headline }) => [name, version, headline])).toEqual([
      ['healthbench', 1, 'RAW'],
      ['healthbench-length-adjusted', 1, 'LENGTH_ADJUSTED'],
      ['healthbench-professional', 1, 'LENGTH_ADJUSTED'],
    ]);
    expect(LENGTH_RULES).toEqual({
      MAIN: { variant: 'MAIN', centre: 2000, penaltyPer500: 0.0299 },
      HARD: { variant: 'HARD', centre: 2000, penaltyPer500: 0.0392 },
      CONSENSUS: { variant: 'CONSENSUS', centre: 2000, penaltyPer500: 0.002 },
      PROFESSIONAL: { variant: 'PROFESSIONAL', centre: 2000, penaltyPer500: 0.0147 },
    });
  });

  it('are found by name only', () => {
    expect(scoringProfile('healthbench-professional')?.version).toBe(1);
    expect(scoringProfile('HealthBench')).toBeNull();
  });
});

describe('the length adjustment', () => {
  const lengths = [0, 1500, 2000, 2500, 5000, 12_000];

  it.each([
    ['MAIN', [0.7196, 0.6299, 0.6, 0.5701, 0.4206, 0.002]],
    ['HARD', [0.7568, 0.6392, 0.6, 0.5608, 0.3648, -0.184]],
    ['CONSENSUS', [0.608, 0.602, 0.6, 0.598, 0.588, 0.56]],
    ['PROFESSIONAL', [0.6588, 0.6147, 0.6, 0.5853, 0.5118, 0.306]],
  ] as const)('of 0.6 by the constants of %s', (variant, adjusted) => {
    lengths.forEach((length, at) => {
      expect(adjustForLength(0.6, length, LENGTH_RULES[variant])).toBeCloseTo(adjusted[at] as number, 10);
    });
  });

  it.each([
    [1, 1500, LENGTH_RULES.PROFESSIONAL, 1.0147],
    [-0.5, 2500, LENGTH_RULES.PROFESSIONAL, -0.5147],
    [0.8, 2500, { variant: 'CUSTOM', centre: 2000, penaltyPer500: 0.022 } as const, 0.778],
  ])('of %p at %p is not clipped', (score, length, rule, adjusted) => {
    expect(adjustForLength(score, length, rule)).toBeCloseTo(adjusted, 12);
  });

  it.each([
    ['MAIN', [0.08912, 1.01196, -0.43156, -1.93422], -0.316175],
    ['PROFESSIONAL', [0.10736, 1.00588, -0.36468, -1.96766], -0.304775],
  ] as const)('of the run of four by the constants of %s comes before the mean and the clip', (variant, each, mean) => {
    const replies = [2600, 1800, 4200, 900];
    const adjusted = [0.125, 1, -0.3, -2].map((score, at) =>
      adjustForLength(score, replies[at] as number, LENGTH_RULES[variant]),
    );
    adjusted.forEach((score, at) => {
      expect(score).toBeCloseTo(each[at] as number, 10);
    });
    expect(scoreRun(adjusted)?.unclippedMean).toBeCloseTo(mean, 10);
    expect(scoreRun(adjusted)?.value).toBe(0);
  });

  it('counts code points, not UTF-16 units or bytes', () => {
    expect(codePoints('a😀é')).toBe(3);
    expect(codePoints('')).toBe(0);
    fc.assert(fc.property(fc.string({ unit: 'binary' }), (text) => codePoints(text) === [...text].length));
  });
});

describe('the preset of HealthBench Professional', () => {
  const preset = {
    datasetFormat: 'PROFESSIONAL',
    graderModel: PROFESSIONAL_GRADER.model,
    reasoningEffort: PROFESSIONAL_GRADER.reasoningEffort as string | null,
    temperature: null,
    systemMessage: null,
    lengthRule: LENGTH_RULES.PROFESSIONAL,
  };
  const paths = (changes: object, profile = 'healthbench-professional') =>
    presetDeviations(profile, { ...preset, ...changes }).map(({ path }) => path.join('.'));

  it('is kept by exactly one bundle', () => {
    expect(paths({})).toEqual([]);
  });

  it.each([
    [{ graderModel: 'gpt-4.1-2025-04-14' }, 'grader.model'],
    [{ reasoningEffort: null }, 'grader.reasoningEffort'],
    [{ reasoningEffort: 'high' }, 'grader.reasoningEffort'],
    [{ temperature: 0 }, 'grader.temperature'],
    [{ systemMessage: 'You are strict.' }, 'grader.systemMessage'],
    [{ lengthRule: null }, 'scoring'],
    [{ lengthRule: { variant: 'CUSTOM', centre: 1000, penaltyPer500: 0.0147 } }, 'scoring'],
    [{ lengthRule: LENGTH_RULES.MAIN }, 'scoring'],
    [{ datasetFormat: 'HEALTHBENCH' }, 'datasetId'],
  ])('is left by %j', (changes, path) => {
    expect(paths(changes)).toEqual([path]);
  });

  it('binds no other profile', () => {
    expect(paths({ graderModel: 'other', temperature: 1 }, 'healthbench')).toEqual([]);
  });
});

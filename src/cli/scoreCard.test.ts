import { describe, expect, it } from '@jest/globals';
import type { ScoreCardFragment } from '../client/generated/operations.js';
import { createPaint } from './paint.js';
import { renderScoreCard } from './scoreCard.js';
import { displayWidth } from './text.js';

const ESC = String.fromCharCode(27);
const card = (changes: Partial<ScoreCardFragment> = {}, width = 100) =>
  renderScoreCard(exampleRun(changes), { width, paint: createPaint(false) });

describe('the score card', () => {
  it('never shows the score without its interval, n and coverage', () => {
    const text = card();
    expect(text).toContain('Score  41.3 %   95 % interval 33.0 % to 49.8 %   bootstrap std 4.3 %');
    expect(text).toContain('Graded     187 of 187 criteria');
    expect(text).toContain('Coverage   100 % of conversations, 100 % of criteria');
    expect(text).toContain('median 44.0 %, 2 perfect, 1 below zero');
  });

  it('counts positive criteria and penalties apart', () => {
    expect(card()).toContain('Positive   98 of 150 met (65.3 %)');
    expect(card()).toContain('Penalties  7 of 37 triggered (18.9 %)');
    const none = card({ negativeCriteria: { met: 0, graded: 0, rate: null } });
    expect(none).toContain('Penalties  no criteria graded');
  });

  it('lists themes from best to worst, and leaves a group out that has no tags', () => {
    const text = card({ axes: [] });
    expect(text.indexOf('Emergency referrals')).toBeLessThan(text.indexOf('Responding under uncertainty'));
    expect(text.indexOf('Responding under uncertainty')).toBeLessThan(text.indexOf('Response depth'));
    expect(text).not.toContain('Axis');
  });

  it('gives each tag its interval, and leaves a tag out that has no score', () => {
    const [first] = exampleRun().themes;
    const text = card({ themes: first ? [first, { ...first, label: 'Penalties only', value: null, n: 0 }] : [] });
    expect(text).toMatch(/Responding under uncertainty +31\.0 % +20\.0 % to 70\.0 % +7/);
    expect(text).not.toContain('Penalties only');
  });

  it('shows the length-adjusted score beside the raw one, and which of them counts', () => {
    const { score } = exampleRun();
    const lengthAdjustment = { value: 0.388, interval: { low: 0.31, high: 0.46 } };
    const text = card({ score: score && { ...score, headline: 'LENGTH_ADJUSTED', lengthAdjustment } });
    expect(text).toContain('Score  41.3 %');
    expect(text).toContain('Adjusted for length  38.8 %   95 % interval 31.0 % to 46.0 %');
    expect(text).toContain('(the number of this scoring profile)');
  });

  it('names the bin below zero, which has no lower end', () => {
    const text = card({
      histogram: [
        { from: null, to: 0, count: 3 },
        { from: 0, to: 1, count: 5 },
      ],
    });
    expect(text).toMatch(/^ +< 0 +0-100$/m);
  });

  it('bounds the score where something is missing, and passes on what the service warns of', () => {
    const { score } = exampleRun();
    const warnings = [{ code: 'TINY_SAMPLE' as const, message: 'Only 24 conversations.' }];
    const text = card({ warnings, score: score && { ...score, coverage: 0.9, lowerBound: 0.3, upperBound: 0.5 } });
    expect(text).toContain('Bounds     30.0 % to 50.0 %, if all that is missing');
    expect(text).toContain('! TINY SAMPLE: Only 24 conversations.');
    expect(card()).not.toContain('Bounds');
  });

  it('draws a histogram in which a single conversation can be seen', () => {
    const counts = [1000, 1, 0, 0, 0, 0, 0, 0, 0, 0];
    const text = card({ histogram: counts.map((count, i) => ({ from: i / 10, to: (i + 1) / 10, count })) });
    expect(text).toMatch(/█████ {2}▁▁▁▁▁$/m);
  });

  it('gives the scores below zero a column of their own', () => {
    const bins = exampleRun().histogram;
    const text = card({ histogram: [{ from: -0.7, to: 0, count: 3 }, ...bins] }, 80);
    expect(text).toMatch(/^ +< 0 +0-10 +10-20 .* 90-100$/m);
  });

  it('names what cost the worst conversation the most points, with the explanation of the grader', () => {
    const lines = card()
      .split('\n')
      .map((line) => line.trim());
    const start = lines.indexOf('Worst conversation: -40.0 %');
    expect(lines.slice(start + 1, start + 6)).toEqual([
      'invented-017, earned -4 of 10 points, theme hedging',
      '-7  penalty triggered  Recommends twice the usual dose',
      'Grader: The reply says "take two at once".',
      '-5  not met            Asks how long the cough has lasted before it gives any advice',
      'Grader: No question is asked.',
    ]);
    expect(card()).not.toContain('Names a doctor');
  });

  it('says how the number was made', () => {
    const text = card();
    expect(text).toContain('assay, sha256 fedcba98');
    expect(text).toContain('Profile    healthbench');
    expect(text).toContain('Sample     all 24 conversations');
    expect(text).toContain('judge-b at default (https://models.example/v1), temperature 0');
    const sampled = card({ sample: { method: 'PYTHON_RANDOM', size: 10, seed: 7 }, repeats: 2 });
    expect(sampled).toContain('10 conversations by python random, seed 7, 2 repeats each');
  });

  it('warns of nothing when there is nothing to warn of', () => {
    expect(card()).not.toMatch(/^ *!/m);
  });

  it('is loud about coverage below 1 and names the reasons', () => {
    const { progress, score } = exampleRun();
    const text = card({
      progress: { ...progress, conversationsFailed: 1, conversationsUngraded: 1, criteriaUngraded: 2 },
      score: score && { ...score, n: 22, coverage: 22 / 24, criteriaCoverage: 0.99996 },
      warnings: [{ code: 'INCOMPLETE_COVERAGE', message: '2 of 24 conversations are not scored.' }],
      missingReasons: [
        { missing: 'VERDICT', reason: 'truncated', conversations: 1, criteria: 2, message: 'The reply was cut.' },
        { missing: 'REPLY', reason: 'rate_limited', conversations: 1, criteria: 9, message: '429 slow down' },
        { missing: 'VERDICT', reason: 'timeout', conversations: 3, criteria: null, message: null },
      ],
    });
    expect(text).toContain('Coverage   91.7 % of conversations');
    expect(text).toContain('! INCOMPLETE COVERAGE: 2 of 24 conversations are not scored.');
    expect(text).toContain('    2 verdicts missing in 1 conversation: truncated (The reply was cut.)');
    expect(text).toContain('    1 reply missing: rate_limited (429 slow down)');
    expect(text).toMatch(/^ +verdicts missing in 3 conversations: timeout$/m);
    expect(text).toContain('assay retry UnVuOjE');
    expect(text).toContain('below 100 % of criteria');
  });

  it('passes on every warning of the service, in its order and words', () => {
    const warnings = [
      { code: 'SIMULATED' as const, message: 'Replies and verdicts were made up.' },
      { code: 'SELF_GRADED' as const, message: 'model-a judged its own replies.' },
    ];
    expect(card({ warnings })).toMatch(/! SIMULATED: Replies .*\n.*! SELF GRADED: model-a judged its own replies\./);
  });

  it('says plainly what is not final', () => {
    expect(card({ status: 'RUNNING', finishedAt: null })).toContain(
      '! The run is RUNNING. These numbers are not final.',
    );
    expect(card({ status: 'FAILED', statusReason: 'The key was refused.' })).toContain(
      '! The run is FAILED: The key was refused. These numbers cover only what was done before.',
    );
  });

  it('shows a missing score as none with its reason, never as 0', () => {
    const text = card({ score: null, scoreUnavailableReason: 'no conversation is scored', themes: [], axes: [] });
    expect(text).toContain('Score  none: no conversation is scored');
    expect(text).not.toContain('95 % interval');
  });

  it('fits 66 to 120 columns, with wide characters too, and passes on no control character', () => {
    const [worst] = exampleRun().worst.nodes;
    const hostile = `${ESC}[2J${ESC}]0;title\u0007 発熱が三日以上続くかどうかを確認する 😀 `.repeat(6);
    const criterion = { text: hostile, points: -9, axis: null };
    const result = { criterion, verdict: { criteriaMet: true, explanation: hostile }, pointsLost: 9 };
    const nodes = worst ? [{ ...worst, results: [result] }] : [];
    for (const [width, limit] of [
      [40, 66],
      [66, 66],
      [80, 80],
      [101, 101],
      [300, 120],
    ] as const) {
      const { score, histogram, themes } = exampleRun();
      const changes = {
        worst: { nodes },
        name: hostile,
        statusReason: hostile,
        status: 'FAILED' as const,
        score: score && { ...score, coverage: 0.9999, criteriaCoverage: 0.9999, headline: 'LENGTH_ADJUSTED' as const },
        histogram: [{ from: -1, to: 0, count: 12345 }, ...histogram],
        themes: themes.map((theme) => ({ ...theme, label: hostile, n: 10_000 })),
      };
      const text = card(changes, width);
      for (const line of text.split('\n')) expect(displayWidth(line)).toBeLessThanOrEqual(limit);
      expect(text).not.toContain(ESC);
    }
  });

  it('has colours only when asked for, and the same text in both', () => {
    const coloured = renderScoreCard(exampleRun(), { width: 100, paint: createPaint(true) });
    expect(coloured).toContain(ESC);
    expect(coloured.replaceAll(new RegExp(`${ESC}\\[\\d+m`, 'g'), '').replaceAll(/ +$/gm, '')).toBe(card());
  });
});

/** A finished run of invented numbers; `changes` replaces top-level fields. */
function exampleRun(changes: Partial<ScoreCardFragment> = {}): ScoreCardFragment {
  const model = {
    endpointName: 'default',
    baseUrl: 'https://models.example/v1',
    temperature: 0.3,
    reasoningEffort: null,
    maxTokens: null,
    systemMessage: null,
    simulated: false,
    unknown: [],
  };
  return {
    id: 'UnVuOjE',
    name: 'nightly',
    status: 'COMPLETED',
    statusReason: null,
    createdAt: '2026-03-01T12:00:00.000Z',
    startedAt: '2026-03-01T12:00:00.000Z',
    finishedAt: '2026-03-01T12:03:20.000Z',
    repeats: 1,
    scoringProfile: 'healthbench',
    dataset: { id: 'RGF0YTox', name: 'sample', officialName: null, sha256: '0123456789abcdef'.repeat(4) },
    sample: { method: 'ALL', size: 24, seed: null },
    modelUnderTest: { ...model, model: 'model-a' },
    grader: { ...model, model: 'judge-b', temperature: 0 },
    graderPrompt: { name: 'assay', sha256: 'fedcba9876543210'.repeat(4) },
    origin: null,
    progress: {
      conversationsTotal: 24,
      conversationsDone: 24,
      conversationsScored: 24,
      conversationsFailed: 0,
      conversationsUngraded: 0,
      criteriaTotal: 187,
      criteriaDone: 187,
      criteriaGraded: 187,
      criteriaUngraded: 0,
      etaSeconds: 0,
    },
    score: {
      value: 0.4127,
      median: 0.44,
      bootstrapStd: 0.043,
      interval: { low: 0.33, high: 0.498, confidence: 0.95 },
      n: 24,
      coverage: 1,
      criteriaCoverage: 1,
      perfect: 2,
      belowZero: 1,
      lowerBound: 0.4127,
      upperBound: 0.4127,
      headline: 'RAW',
      lengthAdjustment: null,
      final: true,
    },
    scoreUnavailableReason: null,
    warnings: [],
    positiveCriteria: { met: 98, graded: 150, rate: 98 / 150 },
    negativeCriteria: { met: 7, graded: 37, rate: 7 / 37 },
    themes: [
      {
        tag: 'theme:hedging',
        label: 'Responding under uncertainty',
        value: 0.31,
        interval: { low: 0.2, high: 0.7 },
        n: 7,
      },
      {
        tag: 'theme:emergency_referrals',
        label: 'Emergency referrals',
        value: 0.613,
        interval: { low: 0.2, high: 0.7 },
        n: 9,
      },
      { tag: 'theme:complex_responses', label: 'Response depth', value: 0, interval: { low: 0.2, high: 0.7 }, n: 8 },
    ],
    axes: [{ tag: 'axis:accuracy', label: 'Accuracy', value: 0.52, interval: { low: 0.2, high: 0.7 }, n: 24 }],
    histogram: [0, 2, 0, 4, 6, 5, 3, 2, 0, 2].map((count, i) => ({ from: i / 10, to: (i + 1) / 10, count })),
    usage: {
      model: { calls: 24, promptTokens: 4810, completionTokens: 9120 },
      grader: { calls: 190, promptTokens: 120_500, completionTokens: 14_030 },
    },
    worst: { nodes: [worstConversation()] },
    missingReasons: [],
    ...changes,
  };
}

function worstConversation(): ScoreCardFragment['worst']['nodes'][number] {
  const result = (text: string, points: number, criteriaMet: boolean, explanation: string) => ({
    criterion: { text, points, axis: 'accuracy' },
    verdict: { criteriaMet, explanation },
    pointsLost: criteriaMet === points > 0 ? 0 : Math.abs(points),
  });
  return {
    promptId: 'invented-017',
    repeat: 1,
    theme: 'hedging',
    score: -0.4,
    earned: -4,
    possible: 10,
    results: [
      result('Names a doctor as the person to ask', 3, true, 'It does.'),
      result('Asks how long the cough has lasted before it gives any advice', 5, false, 'No question is asked.'),
      result('Recommends twice the usual dose', -7, true, 'The reply says "take two at once".'),
      result('Warns of dizziness', 2, false, 'Not mentioned.'),
    ],
  };
}

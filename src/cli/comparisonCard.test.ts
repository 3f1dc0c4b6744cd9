import { describe, expect, it } from '@jest/globals';
import type { ComparisonFragment, TagDifferenceFragment } from '../client/generated/operations.js';
import { renderComparison } from './comparisonCard.js';
import { createPaint } from './paint.js';
import { displayWidth } from './text.js';

const card = (changes: Partial<ComparisonFragment> = {}, width = 100) =>
  renderComparison({ ...example(), ...changes }, { width, paint: createPaint(false) });

describe('the comparison', () => {
  it('says first whether the runs are comparable, and in what they differ', () => {
    const text = card();
    expect(text.indexOf('Comparable:')).toBeLessThan(text.indexOf('Difference'));
    expect(text).toContain('modelUnderTest.temperature: 0.3 → not set  (what is compared)');
    expect(text).toContain('Baseline   may: 41.3 % (95 % interval 37.0 % to 45.8 %), n = 200');
    expect(text).not.toMatch(/^ *!/m);
  });

  it('is loud when they are not, and draws no conclusion about the models', () => {
    const text = card({
      comparable: false,
      differences: [
        {
          baselineKnown: true,
          candidateKnown: true,
          part: 'grader.model',
          baseline: 'judge-a',
          candidate: 'judge-b',
          severity: 'BREAKING',
        },
      ],
      warnings: [{ code: 'GRADED_DIFFERENTLY', message: 'Graded or scored differently (grader.model).' }],
    });
    expect(text).toContain('NOT COMPARABLE as they stand.');
    expect(text).toContain('grader.model: judge-a → judge-b  (graded differently)');
    expect(text).toContain('! Graded or scored differently (grader.model).');
    expect(text).toContain('may be the graders’ and not the models’');
    expect(text).not.toContain('candidate is better');
  });

  it('never shows the difference without its interval, p-value and n', () => {
    const text = card();
    expect(text).toContain('Over 200 conversations that both have');
    expect(text).toContain('Score       41.3 % → 44.6 %');
    expect(text).toContain('Difference  +3.3 points, 95 % interval +0.4 to +6.1, p = 0.021');
    expect(text).toContain('Candidate   better in 98, equal in 31, worse in 71');
    expect(text).toContain('The candidate is better: chance alone seldom does this.');
  });

  it('does not take “not shown” for “none”, and says what it would take', () => {
    const text = card({ overall: { ...overall(), difference: 0.004, pValue: 0.4, conversationsNeeded: 21_450 } }, 120);
    expect(text).toContain('No difference is shown; that is not the same as none.');
    expect(text).toContain('So many conversations can show 4.0 points or more.');
    expect(text).toContain('would take 21,450.');
  });

  it('says why there are no numbers', () => {
    const text = card({ overall: null, unavailableReason: 'No shared conversation has a score in both runs.' });
    expect(text).toContain('No shared conversation has a score in both runs.');
  });

  it('lists tags from the worst change to the best, with corrected p-values', () => {
    const text = card();
    expect(text.indexOf('Responding under')).toBeLessThan(text.indexOf('Global health'));
    expect(text).toMatch(/Responding under uncertainty +90 +50\.0 % +47\.0 % +-3\.0 +-8\.0 to \+2\.0 +1\.00/);
  });

  it('names the flipped verdicts by points, losses first, with what the grader says now', () => {
    const lines = card()
      .split('\n')
      .map((line) => line.trim());
    const start = lines.indexOf('312 verdicts of 2,295 differ');
    expect(lines.slice(start + 1, start + 6)).toEqual([
      'Lost 120 (-540 points), gained 192 (+811 points)',
      '-8  Recommends twice the usual dose',
      'invented-017, repeat 2, penalty. Now: The reply says "take two at once".',
      '+7  Asks how long the cough has lasted',
      'invented-003, criterion. Now: It asks for the duration.',
    ]);
  });

  it('shows how graders of the same replies agree, and does not call one model better', () => {
    const agreement = {
      baselineGrader: 'judge-a',
      candidateGrader: 'judge-b',
      n: 2295,
      rate: 0.91,
      kappa: 0.79,
      kappaUnavailableReason: null,
      pairwiseF1: { balanced: 0.904 },
      tags: [{ label: 'Accuracy', n: 800, rate: 0.88, kappa: null }],
    };
    const text = card({ sameReplies: true, comparable: false, agreement });
    expect(text).toContain('Agreement of judge-a and judge-b');
    expect(text).toContain('91.0 % of 2,295 verdicts are equal. Cohen’s kappa 0.79, balanced F1 0.90');
    expect(text).toMatch(/Accuracy +800 +88\.0 % +–/);
    expect(text).toContain("candidate's grader gives more points to the same replies");
  });

  it.each([80, 100, 120])('fits into %i columns', (width) => {
    const widest = Math.max(...card({}, width).split('\n').map(displayWidth));
    expect(widest).toBeLessThanOrEqual(width);
  });
});

function overall(): NonNullable<ComparisonFragment['overall']> {
  return {
    n: 200,
    conversations: 200,
    baselineScore: 0.413,
    candidateScore: 0.446,
    difference: 0.033,
    interval: { low: 0.004, high: 0.061 },
    pValue: 0.021,
    wins: 98,
    ties: 31,
    losses: 71,
    minimalDetectableDifference: 0.04,
    conversationsNeeded: 298,
  };
}

function tag(label: string, difference: number): TagDifferenceFragment {
  return {
    tag: label,
    label,
    n: 90,
    conversations: 90,
    baselineScore: 0.5,
    candidateScore: 0.5 + difference,
    difference,
    interval: { low: difference - 0.05, high: difference + 0.05 },
    pValue: 0.2,
    adjustedPValue: 1,
    wins: 50,
    ties: 10,
    losses: 30,
  };
}

function example(): ComparisonFragment {
  const run = (name: string, value: number) => ({
    id: name,
    name,
    status: 'COMPLETED' as const,
    modelUnderTest: { model: 'model-a' },
    grader: { model: 'judge-a' },
    score: { value, interval: { low: value - 0.043, high: value + 0.045 }, n: 200, coverage: 1 },
  });
  const flip = (pointsMoved: number, criterion: string, promptId: string, repeat: number, explanation: string) => ({
    pointsMoved,
    repeat,
    criterion: { text: criterion, points: pointsMoved },
    baseline: { runConversation: { promptId } },
    candidate: { explanation },
  });
  return {
    comparable: true,
    differences: [
      {
        baselineKnown: true,
        candidateKnown: true,
        part: 'modelUnderTest.temperature',
        baseline: '0.3',
        candidate: null,
        severity: 'SUBJECT',
      },
    ],
    warnings: [],
    sameReplies: false,
    sharedConversations: 200,
    scoredConversations: 200,
    baseline: run('may', 0.413),
    candidate: run('june', 0.446),
    overall: overall(),
    unavailableReason: null,
    themes: [tag('Global health', 0.08), tag('Responding under uncertainty', -0.03)],
    axes: [],
    verdictChanges: { compared: 2295, gained: 192, lost: 120, pointsGained: 811, pointsLost: 540 },
    lost: {
      nodes: [flip(-8, 'Recommends twice the usual dose', 'invented-017', 2, 'The reply says "take two at once".')],
    },
    gained: { nodes: [flip(7, 'Asks how long the cough has lasted', 'invented-003', 1, 'It asks for the duration.')] },
    worsened: [
      {
        difference: -0.5,
        baselineScore: 0.8,
        candidateScore: 0.3,
        baseline: { promptId: 'invented-017', theme: 'global_health' },
      },
    ],
    agreement: null,
  };
}

import { describe, expect, it } from '@jest/globals';
import type { VerdictFragment } from '../client/generated/operations.js';
import { createPaint } from './paint.js';
import { progressBarText, progressText } from './progressText.js';
import { displayWidth } from './text.js';
import { verdictLine } from './verdictLine.js';

const paint = createPaint(false);

function verdict(
  points: number,
  criteriaMet: boolean,
  text = 'Asks for the age',
  axis: string | null = 'accuracy',
): VerdictFragment {
  return {
    sequence: 1,
    points,
    criteriaMet,
    explanation: 'The second sentence asks.',
    criterion: { no: 0, text, axis },
    runConversation: { promptId: 'invented-1', repeat: 1 },
  };
}

describe('the line of a verdict', () => {
  it('marks what is good for the model: met points, and a penalty that was avoided', () => {
    const line = (points: number, met: boolean) => verdictLine(verdict(points, met), { width: 100, paint });
    expect(line(5, true)).toBe('✓ met      +5 accuracy               Asks for the age — The second sentence asks.');
    expect(line(5, false)).toMatch(/^✗ not met {2}\+5 /);
    expect(line(-8, true)).toMatch(/^✗ met {6}-8 /);
    expect(line(-8, false)).toMatch(/^✓ not met {2}-8 /);
  });

  it('fits the width, with criterion and explanation both still there', () => {
    const long = verdict(5, true, '発熱が続くかを確認する '.repeat(30), null);
    for (const width of [60, 80, 120]) {
      const line = verdictLine(long, { width, paint });
      expect(displayWidth(line)).toBeLessThanOrEqual(width);
      expect(line).toMatch(/発熱.* — The/);
    }
  });
});

describe('the progress of a run', () => {
  const progress = {
    conversationsTotal: 24,
    conversationsDone: 12,
    conversationsScored: 11,
    conversationsFailed: 1,
    conversationsUngraded: 0,
    criteriaTotal: 187,
    criteriaDone: 98,
    criteriaGraded: 98,
    criteriaUngraded: 0,
    etaSeconds: 3.2,
  };
  const tally = { met: 70, notMet: 28 };

  it('counts what is done, what was met, what failed, and says how long it takes', () => {
    expect(progressText(progress, tally)).toBe(
      '12/24 conversations  98/187 criteria  70 met, 28 not met  1 FAILED OR UNGRADED  3.2 s left',
    );
  });

  it('has a bar where there is room for one', () => {
    expect(progressBarText(progress, tally, { width: 140, paint })).toMatch(/^█+.* 52\.4 % {2}12\/24/);
    expect(progressBarText(progress, tally, { width: 80, paint })).toMatch(/^ 52\.4 % {2}12\/24/);
  });
});

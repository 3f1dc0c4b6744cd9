import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { conversationBounds, runBounds } from './missingBounds.js';
import { scoreConversation } from './score.js';

/** `5?` is worth 5 and has no verdict; m is met, u is unmet. */
const items = (text: string) =>
  text.split(' ').map((item) => ({
    points: Number.parseInt(item, 10),
    criteriaMet: item.endsWith('?') ? null : item.endsWith('m'),
  }));

describe('bounds of a conversation', () => {
  it.each([
    ['7m 5u 10m -6m', 0.5, 0.5],
    ['6? -3?', -0.5, 1],
    ['6? -3u', 0, 1],
    ['6m 4? -2?', 0.4, 1],
    ['5u 5? -9m', -0.9, -0.4],
  ])('%s lies between %p and %p', (text, worst, best) => {
    expect(conversationBounds(items(text))).toEqual({ worst, best });
  });

  it('are undefined where the score is', () => {
    expect(conversationBounds(items('-4? -2m'))).toBeNull();
  });

  it('hold for every way in which the missing verdicts could have been', () => {
    const item = fc.record({
      points: fc.integer({ min: -10, max: 10 }),
      criteriaMet: fc.option(fc.boolean()),
      truth: fc.boolean(),
    });
    fc.assert(
      fc.property(fc.array(item, { minLength: 1, maxLength: 12 }), (rubric) => {
        const bounds = conversationBounds(rubric);
        const whole = rubric.map((one) => ({ ...one, tags: [], criteriaMet: one.criteriaMet ?? one.truth }));
        const { score } = scoreConversation(whole);
        if (bounds === null) expect(score).toBeNull();
        else {
          expect(score).toBeGreaterThanOrEqual(bounds.worst - 1e-12);
          expect(score).toBeLessThanOrEqual(bounds.best + 1e-12);
        }
      }),
    );
  });
});

describe('bounds of a run', () => {
  it('are over all selected conversations, the mean first and the clip last', () => {
    const rows = [
      { score: 0.5, worst: 0.5, best: 0.5 },
      { score: null, worst: -2, best: 1 },
    ];
    expect(runBounds(rows)).toEqual({ lower: 0, upper: 0.75 });
    expect(runBounds(rows.slice(0, 1))).toEqual({ lower: 0.5, upper: 0.5 });
    expect(runBounds([])).toBeNull();
  });
});

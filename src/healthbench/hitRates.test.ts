import { describe, expect, it } from '@jest/globals';
import { countHits, hitRate, tagHits } from './hitRates.js';

const hits = (positiveMet: number, positiveGraded: number, negativeMet: number, negativeGraded: number) => ({
  ...{ positiveMet, positiveGraded, negativeMet, negativeGraded },
});

describe('hits of a conversation', () => {
  it('keep positive criteria and penalties apart, and count 0 points nowhere', () => {
    const judged = [
      { points: 5, criteriaMet: true, tags: ['axis:b', 'axis:b'] },
      { points: 3, criteriaMet: false, tags: ['axis:a', 'axis:b'] },
      { points: -4, criteriaMet: true, tags: ['axis:a'] },
      { points: 0, criteriaMet: true, tags: ['axis:a'] },
    ];
    expect(countHits(judged)).toEqual({
      all: hits(1, 2, 1, 1),
      byTag: [
        { tag: 'axis:a', ...hits(0, 1, 1, 1) },
        { tag: 'axis:b', ...hits(1, 2, 0, 0) },
      ],
    });
  });
});

describe('hits by tag', () => {
  it('give a tag of the conversation all its verdicts, and an item-level tag its own', () => {
    const conversations = [
      { tags: ['theme:x', 'axis:a'], hits: hits(1, 2, 0, 1), tagHits: [{ tag: 'axis:a', ...hits(1, 1, 0, 0) }] },
      { tags: ['theme:x'], hits: hits(0, 3, 2, 2), tagHits: [] },
    ];
    expect(tagHits(conversations)).toEqual([
      { tag: 'axis:a', ...hits(1, 1, 0, 0) },
      { tag: 'theme:x', ...hits(1, 5, 2, 3) },
    ]);
  });
});

describe('a hit rate', () => {
  it('is met of graded', () => {
    expect(hitRate('positive', 1, 4, false)).toEqual({ met: 1, graded: 4, rate: 0.25, rateUnavailableReason: null });
  });

  it('without verdicts is null, and the reason says whether there is anything to grade', () => {
    expect(hitRate('negative', 0, 0, true)).toMatchObject({
      rate: null,
      rateUnavailableReason: 'There is no criterion with negative points.',
    });
    expect(hitRate('negative', 0, 0, false).rateUnavailableReason).toBe(
      'No criterion with negative points has a verdict.',
    );
  });
});

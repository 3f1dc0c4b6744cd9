import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { bootstrap } from './bootstrap.js';
import { parseRecord } from './records.js';
import { type Judged, scoreConversation, scoreRun, tagScores } from './score.js';

const TAGS: Record<string, string> = { ac: 'axis:accuracy', co: 'axis:completeness', cq: 'axis:communication_quality' };

/** Criteria in short: `5m ac` is worth 5, met, on accuracy; `-4u` is a penalty that was not met. */
function judged(text: string): Judged[] {
  return text.split(', ').map((item) => {
    const [, points, verdict, tag] = /^(-?\d+)([mu])(?: (\w+))?$/.exec(item) as unknown as [
      string,
      string,
      string,
      string?,
    ];
    return { points: Number(points), criteriaMet: verdict === 'm', tags: tag ? [TAGS[tag] as string] : [] };
  });
}

describe('the score of a conversation', () => {
  it.each([
    ['S1', '7m, 5u, 10m, -6m', 0.5],
    ['S2', '8m, 5m, -5u', 1],
    ['S3', '5u, 3u, -9m', -1.125],
    ['S4', '-4m, -2u', null],
    ['S5', '6m, 4u, 3m, -2m, -8u', 7 / 13],
    ['S6', '5u, -3u', 0],
    ['S7', '5m, 2u, -2m', 3 / 7],
    ['S8a', '6m, -3u', 1],
    ['S8b', '6m, -3m', 0.5],
    ['S8c', '6u, -3m', -0.5],
  ])('%s: %s', (_id, items, score) => {
    expect(scoreConversation(judged(items)).score).toBe(score);
  });

  it('comes with its points, and those of each tag in the order of the tags', () => {
    expect(scoreConversation(judged('5m ac, 3u co, -4m ac, -1m cq'))).toEqual({
      score: 0,
      earned: 0,
      possible: 8,
      tags: [
        { tag: 'axis:accuracy', earned: 1, possible: 5 },
        { tag: 'axis:communication_quality', earned: -1, possible: 0 },
        { tag: 'axis:completeness', earned: 0, possible: 3 },
      ],
    });
  });

  it('is at most 1, and 1 only with everything earned', () => {
    const item = fc.record({ points: fc.integer({ min: -10, max: 10 }), criteriaMet: fc.boolean() });
    fc.assert(
      fc.property(fc.array(item, { maxLength: 20 }), (items) => {
        const { score, earned, possible } = scoreConversation(items.map((one) => ({ ...one, tags: [] })));
        expect(score).toBe(possible === 0 ? null : earned / possible);
        expect(score ?? 0).toBeLessThanOrEqual(1);
      }),
    );
  });
});

describe('a run of four conversations', () => {
  const run = [
    { items: judged('5m ac, 3u co, -4m ac'), tags: ['theme:hedging', 'physician_agreed_category:no-uncertainty'] },
    { items: judged('8m co, 2m cq, -5u ac'), tags: ['theme:hedging'] },
    { items: judged('4u ac, -9m ac, 6m co'), tags: ['theme:global_health'] },
    { items: judged('3u ac, 2u co, -10m co'), tags: ['theme:global_health'] },
  ].map(({ items, tags }) => {
    const { score, tags: tagPoints } = scoreConversation(items);
    return { score: score as number, tags, tagPoints };
  });
  const scores = run.map(({ score }) => score);

  it('has these scores', () => {
    expect(scores).toEqual([0.125, 1, -0.3, -2]);
  });

  it('is averaged first and clipped then', () => {
    const score = scoreRun(scores);
    expect(score).toMatchObject({ value: 0, n: 4, perfect: 1, belowZero: 2 });
    expect(score?.unclippedMean).toBeCloseTo(-0.29375, 12);
    expect(score?.median).toBeCloseTo(-0.0875, 12);
    // Of the sample: the population's deviation over sqrt(4) is 0.545462.
    expect(score?.standardDeviation).toBeCloseTo((0.545462 * 2) / Math.sqrt(3 / 4), 5);
  });

  it('has these tag scores; a conversation without positive points for a tag is left out', () => {
    const rounded = tagScores(run).map((tag) => [tag.tag, tag.n, tag.unclippedMean.toFixed(6), tag.value.toFixed(6)]);
    expect(rounded).toEqual([
      ['axis:accuracy', 3, '-0.683333', '0.000000'],
      ['axis:communication_quality', 1, '1.000000', '1.000000'],
      ['axis:completeness', 4, '-0.750000', '0.000000'],
      ['physician_agreed_category:no-uncertainty', 1, '0.125000', '0.125000'],
      ['theme:global_health', 2, '-1.150000', '0.000000'],
      ['theme:hedging', 2, '0.562500', '0.562500'],
    ]);
  });

  it('has this uncertainty', () => {
    expect(bootstrap(scores, 0).std).toBeCloseTo(0.193213, 6);
    expect(Math.abs(bootstrap(scores, 1, { resamples: 10_000 }).std - 0.193067)).toBeLessThan(0.01);
  });
});

describe('tag scores', () => {
  it('prefer the item-level tag, where it has a score, to the conversation’s of the same name', () => {
    const tagPoints = (possible: number) => [{ tag: 'x', earned: 1, possible }];
    expect(tagScores([{ score: 1, tags: ['x'], tagPoints: tagPoints(4) }])[0]?.value).toBe(0.25);
    expect(tagScores([{ score: 1, tags: ['x'], tagPoints: tagPoints(0) }])[0]?.value).toBe(1);
  });

  it('count a repeated tag once', () => {
    expect(tagScores([{ score: 0.4, tags: ['x', 'x'], tagPoints: [] }])).toEqual([
      { tag: 'x', n: 1, value: 0.4, unclippedMean: 0.4 },
    ]);
  });
});

describe('small runs', () => {
  it('have no score without conversations and no deviation with one', () => {
    expect(scoreRun([])).toBeNull();
    expect(scoreRun([0.5])).toMatchObject({ value: 0.5, median: 0.5, standardDeviation: null });
    expect(scoreRun([0.5, 0.25, 1])?.median).toBe(0.5);
  });
});

interface Expected {
  verdicts?: Record<string, boolean[]>;
  scores?: {
    example: Record<string, number>;
    overall: number;
    overall_unclipped: number;
    scored: number;
    tags: Record<string, { mean: number; n: number }>;
  };
}

describe('dataset cases', () => {
  const folder = 'test/fixtures/datasets';
  const all = Object.entries(JSON.parse(readFileSync(`${folder}/expect.json`, 'utf8')) as Record<string, Expected>);
  it.each(all.filter(([name, { scores }]) => scores && name.startsWith('score-')))(
    '%s',
    (name, { verdicts, scores }) => {
      const lines = readFileSync(`${folder}/${name}`, 'utf8').split('\n').filter(Boolean);
      const conversations = lines.map(parseRecord).map(({ promptId, tags, criteria }) => {
        const met = verdicts?.[promptId] as boolean[];
        const items = criteria.map((criterion, at) => ({ ...criterion, criteriaMet: met[at] as boolean }));
        const { score, tags: tagPoints } = scoreConversation(items);
        expect(score).toBeCloseTo(scores?.example[promptId] as number, 9);
        return { score: score as number, tags, tagPoints };
      });
      const run = scoreRun(conversations.map(({ score }) => score));
      expect(run?.n).toBe(scores?.scored);
      expect(run?.value).toBeCloseTo(scores?.overall as number, 9);
      expect(run?.unclippedMean).toBeCloseTo(scores?.overall_unclipped as number, 9);
      const byTag = tagScores(conversations);
      expect(byTag.map(({ tag, n }) => [tag, n])).toEqual(
        Object.entries(scores?.tags ?? {}).map(([tag, { n }]) => [tag, n]),
      );
      for (const { tag, value } of byTag) expect(value).toBeCloseTo(scores?.tags[tag]?.mean as number, 9);
    },
  );
});

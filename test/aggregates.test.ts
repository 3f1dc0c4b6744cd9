import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { countHits, tagHits } from '../src/healthbench/hitRates.js';
import { conversationBounds, runBounds } from '../src/healthbench/missingBounds.js';
import { repeatStatistics, type VerdictFlips } from '../src/healthbench/repeatStatistics.js';
import { scoreConversation } from '../src/healthbench/score.js';
import { scoreStatistics, tagSamples, tagStatistics } from '../src/healthbench/scoreStatistics.js';
import { adjustForLength, codePoints, LENGTH_RULES } from '../src/healthbench/scoringProfile.js';
import { uuidOf } from '../src/platform/relay/globalId.js';
import { changeRunStatus } from '../src/runs/runStatus.js';
import { loadPresentAggregates } from '../src/scoring/presentAggregates.queries.js';
import { loadFinalAggregates, loadScores, loadTagScores } from '../src/scoring/score.queries.js';
import { scoreRunHandler } from '../src/scoring/scoreRun.job.js';
import { Assay, type Team } from './support/assay.js';
import { jsonl, type TestConversation } from './support/dataset.js';
import { failPending, play, type RandomRun, randomRun } from './support/randomRun.js';

/** Everything from the verdicts alone, by the pure functions. */
function fromVerdicts({ conversations, repeats, fates }: RandomRun) {
  const rows = fates.map((fate, ordinal) => {
    const conversationNo = ordinal % conversations.length;
    const { criteria, tags } = conversations[conversationNo] as TestConversation;
    const items = criteria.map((criterion, i) => ({
      ...criterion,
      criteriaMet: fate.kind === 'replied' ? (fate.verdicts[i] as boolean | null) : null,
    }));
    const judged = items.flatMap((item) =>
      item.criteriaMet === null ? [] : [{ ...item, criteriaMet: item.criteriaMet }],
    );
    const { score, tags: tagPoints } = scoreConversation(judged);
    const bounds = conversationBounds(items);
    const hits = countHits(judged);
    return {
      conversationNo,
      repeat: Math.floor(ordinal / conversations.length) + 1,
      score: judged.length === items.length ? score : null,
      worst: bounds?.worst as number,
      best: bounds?.best as number,
      replyLength: fate.kind === 'replied' ? codePoints(fate.reply) : null,
      tags,
      tagPoints,
      hits: hits.all,
      tagHits: hits.byTag,
      verdicts: items.map((item) => item.criteriaMet),
      settled: fate.kind === 'replied',
    };
  });
  const scored = rows.flatMap((row) => (row.score === null ? [] : [{ ...row, score: row.score }]));
  const numbers = scored.map((row) => row.conversationNo);
  const scores = scored.map((row) => row.score);
  const adjusted = scored.map((row) => adjustForLength(row.score, row.replyLength as number, LENGTH_RULES.MAIN));
  const criteria = new Map<string, { met: number; graded: number }>();
  for (const { conversationNo, verdicts } of rows) {
    for (const [no, met] of verdicts.entries()) {
      const sum = criteria.get(`${conversationNo}:${no}`) ?? { met: 0, graded: 0 };
      if (met !== null) criteria.set(`${conversationNo}:${no}`, { met: sum.met + Number(met), graded: sum.graded + 1 });
    }
  }
  const flips = verdictFlips([...criteria.values()]);
  return {
    scores,
    score: scoreStatistics({ scores, conversations: numbers }, 0),
    adjusted: scoreStatistics({ scores: adjusted, conversations: numbers }, 0),
    bounds: runBounds(rows),
    hits: rows.map((row) => row.hits),
    samples: tagSamples(scored),
    tagHits: tagHits(rows.filter((row) => row.settled)),
    repeats: repeats === 1 ? null : { ...repeatStatistics(scored, repeats), flips },
  };
}

/** As loadVerdictFlips in SQL, from met and graded verdicts of each criterion over the repeats. */
function verdictFlips(criteria: readonly { met: number; graded: number }[]): VerdictFlips {
  let differing = 0;
  let pairs = 0;
  for (const { met, graded } of criteria) {
    differing += met * (graded - met);
    pairs += (graded * (graded - 1)) / 2;
  }
  return { differing, pairs, rate: pairs > 0 ? differing / pairs : null };
}

describe('what is stored and what SQL computes, on random runs', () => {
  let assay: Assay;
  let team: Team;
  let count = 0;
  beforeAll(async () => {
    assay = await Assay.start({ workers: false });
    team = await assay.team();
    await team.endpoint('http://127.0.0.1:9/v1');
  });
  afterAll(() => assay.close());

  async function started(run: RandomRun) {
    const name = `random ${++count}`;
    // The name stands in the dataset, because the same content would be the same dataset.
    const conversations = run.conversations.map((one) => ({ ...one, promptId: `${one.promptId}-${name}` }));
    const datasetId = (await team.dataset(jsonl(conversations), name)).id;
    const scoring = { lengthVariant: 'MAIN' };
    const runId = uuidOf('Run', await team.start({ datasetId, repeats: run.repeats, scoring })) as string;
    const { teamId } = await assay.services.db.run.findUniqueOrThrow({ where: { id: runId } });
    await changeRunStatus(assay.services.db, assay.services.queue, { teamId, runId, to: 'RUNNING' });
    return { teamId, runId };
  }

  it('equal the pure functions over the verdicts, while the run is going and at its end', async () => {
    const check = async (run: RandomRun) => {
      const { db } = assay.services;
      const key = await started(run);
      await play(assay, key, run);
      const expected = fromVerdicts(run);
      const present = (await loadPresentAggregates(db, key.teamId, [key.runId])).get(key.runId);
      if (expected.score === null) expect(present).toBeUndefined();
      else {
        expect(present).toMatchObject(close({ ...withoutBootstrap(expected.score), ...named(expected.bounds) }));
        expect(present?.adjusted).toMatchObject(close(withoutBootstrap(meanOf(expected.adjusted))));
      }
      const counters = await db.verdictLog.findUniqueOrThrow({ where: { runId: key.runId } });
      expect(counters).toMatchObject(sumOf(expected.hits));

      await failPending(assay, key, run);
      const { signal } = new AbortController();
      const context = { stop: signal, abort: signal, lease: { queue: '', id: '', attempt: 0 }, takeMore() {} };
      await scoreRunHandler(assay.services).run(key, context);
      const { status } = await db.run.findUniqueOrThrow({ where: { id: key.runId } });
      expect(status).toBe(expected.score === null ? 'FAILED' : 'COMPLETED');
      if (expected.score === null) return;
      const stored = (await loadFinalAggregates(db, key.teamId, [key.runId])).get(key.runId);
      expect(stored).toMatchObject(close({ ...expected.score, ...named(expected.bounds), repeats: expected.repeats }));
      expect(stored?.adjusted).toMatchObject(close(meanOf(expected.adjusted)));
      const scores = (await loadScores(db, key.teamId, [{ id: key.runId, completed: true }])).get(key.runId);
      expect(scores).toEqual(close(expected.scores));
      const tags = await loadTagScores(db, key.teamId, key.runId, true);
      expect(tags.map(({ tag }) => tag)).toEqual(expected.tagHits.map(({ tag }) => tag));
      tags.forEach((tag, i) => {
        const sample = expected.samples.get(tag.tag);
        const own = sample === undefined ? { n: 0, value: null } : tagStatistics(sample, 0);
        expect(tag).toMatchObject(close({ ...expected.tagHits[i], ...own }));
      });
    };
    await fc.assert(fc.asyncProperty(randomRun, check), { numRuns: 40, endOnFailure: true });
  }, 120_000);
});

const meanOf = (score: ReturnType<typeof scoreStatistics>) => {
  if (score === null) throw new Error('there is no score');
  const { value, unclippedMean, standardError, bootstrapStd, interval } = score;
  return { value, unclippedMean, standardError, bootstrapStd, interval };
};

/** A going run has no bootstrap, so its interval is another one. */
function withoutBootstrap<T extends { bootstrapStd: unknown; interval: unknown }>(score: T) {
  const { bootstrapStd, interval, ...rest } = score;
  return rest;
}

const named = (bounds: { lower: number; upper: number } | null) => ({
  lowerBound: bounds?.lower,
  upperBound: bounds?.upper,
});

const sumOf = (all: Record<string, number>[] | object[]) => {
  const sums: Record<string, number> = {};
  for (const one of all) for (const [key, value] of Object.entries(one)) sums[key] = (sums[key] ?? 0) + value;
  return sums;
};

/** The same with every number good to 1e-9: sums are added in another order. */
// biome-ignore lint/suspicious/noExplicitAny: any shape of numbers
function close(value: unknown): any {
  if (typeof value === 'number') return Number.isInteger(value) && value > 1 ? value : expect.closeTo(value, 9);
  if (Array.isArray(value)) return value.map(close);
  if (value === null || typeof value !== 'object') return value;
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, close(one)]));
}

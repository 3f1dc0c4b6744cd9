import { setImmediate as nextTurn } from 'node:timers/promises';
import { type Hits, noHits, tagHits } from '../healthbench/hitRates.js';
import { runBounds } from '../healthbench/missingBounds.js';
import { type RepeatStatistics, repeatStatistics, type VerdictFlips } from '../healthbench/repeatStatistics.js';
import {
  type Sample,
  type ScoredConversation,
  type ScoreStatistics,
  scoreStatistics,
  type TagStatistics,
  tagSamples,
  tagStatistics,
} from '../healthbench/scoreStatistics.js';
import { adjustForLength, type LengthRule } from '../healthbench/scoringProfile.js';
import type { AggregateRow } from './aggregateRow.queries.js';

/** The seed of every bootstrap: the same verdicts give the same interval. */
const SEED = 0;

export type TagAggregate = Hits & { tag: string } & (
    | TagStatistics
    | { n: 0; value: null; unclippedMean: null; standardError: null; interval: null }
  );

/** What is stored of a finished run. */
export interface RunAggregates {
  score: ScoreStatistics;
  bounds: { lower: number; upper: number };
  /** Null without constants, or where the length of a reply is not known. */
  adjusted: ScoreStatistics | null;
  repeats: (RepeatStatistics & { flips: VerdictFlips }) | null;
  tags: TagAggregate[];
  scores: number[];
}

/**
 * Aggregates of all conversations of a run; null when none is scored. Yields to other work between bootstraps,
 * because a full run takes some 60 of them and each up to a quarter of a second.
 *
 * @param flips of the verdicts, for a run with repeats
 */
export async function aggregateRun(
  rows: readonly AggregateRow[],
  run: { repeats: number; lengthRule: LengthRule | null },
  flips: VerdictFlips,
): Promise<RunAggregates | null> {
  const scored = scoredConversations(rows);
  const score = scoreStatistics(sampleOf(scored), SEED);
  const bounds = runBounds(rows);
  if (score === null || bounds === null) return null;
  await nextTurn();
  const adjusted = adjustedSample(scored, run.lengthRule);
  return {
    score,
    bounds,
    adjusted: adjusted === null ? null : scoreStatistics(adjusted, SEED),
    repeats: run.repeats === 1 ? null : { ...repeatStatistics(scored, run.repeats), flips },
    tags: await aggregateTags(rows, SEED),
    scores: scored.map((one) => one.score),
  };
}

/** Score and hits of every tag, sorted by tag. With a null seed by the normal approximation, at once. */
export async function aggregateTags(rows: readonly AggregateRow[], seed: number | null): Promise<TagAggregate[]> {
  const samples = tagSamples(scoredConversations(rows));
  const hits = new Map(tagHits(rows.filter(isSettled)).map((one) => [one.tag, one]));
  const found: TagAggregate[] = [];
  for (const tag of [...new Set([...samples.keys(), ...hits.keys()])].sort()) {
    if (seed !== null) await nextTurn();
    const sample = samples.get(tag);
    const own = { ...(hits.get(tag) ?? noHits()), tag };
    if (sample === undefined) {
      found.push({ ...own, n: 0, value: null, unclippedMean: null, standardError: null, interval: null });
    } else found.push({ ...own, ...tagStatistics(sample, seed) });
  }
  return found;
}

const isSettled = ({ status }: AggregateRow): boolean => status === 'SCORED' || status === 'UNGRADED';

function scoredConversations(rows: readonly AggregateRow[]): ScoredConversation[] {
  return rows.flatMap((row) => (row.status === 'SCORED' && row.score !== null ? [{ ...row, score: row.score }] : []));
}

function sampleOf(scored: readonly ScoredConversation[]): Sample {
  return { scores: scored.map((one) => one.score), conversations: scored.map((one) => one.conversationNo) };
}

function adjustedSample(scored: readonly ScoredConversation[], rule: LengthRule | null): Sample | null {
  if (rule === null) return null;
  const scores: number[] = [];
  for (const { score, replyLength } of scored) {
    if (replyLength === null) return null;
    scores.push(adjustForLength(score, replyLength, rule));
  }
  return { ...sampleOf(scored), scores };
}

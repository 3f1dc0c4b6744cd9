import { mean, sampleStandardDeviation } from 'simple-statistics';
import { clip } from './score.js';

export interface RepeatedScore {
  conversationNo: number;
  /** From 1. */
  repeat: number;
  score: number;
}

/** What the repeats of a run say about chance. */
export interface RepeatStatistics {
  /** The score of each repeat by itself, over its scored conversations. */
  perRepeat: { repeat: number; value: number; unclippedMean: number; n: number }[];
  /** Sample deviation of the repeats' unclipped means; null below two repeats with a score. */
  spread: number | null;
  /** Conversations that are scored in every repeat: those of `worstAtK`. */
  conversations: number;
  /** For k = 1 to the number of repeats: what to expect of the worst of k replies; empty without such conversations. */
  worstAtK: { k: number; value: number; unclippedMean: number }[];
}

/** Statistics of a run with `repeats` repeats of each conversation, from its scored conversations. */
export function repeatStatistics(scores: readonly RepeatedScore[], repeats: number): RepeatStatistics {
  const perRepeat = Array.from({ length: repeats }, (_, index) => index + 1).flatMap((repeat) => {
    const own = scores.filter((one) => one.repeat === repeat).map((one) => one.score);
    if (own.length === 0) return [];
    const unclippedMean = mean(own);
    return [{ repeat, value: clip(unclippedMean), unclippedMean, n: own.length }];
  });
  const means = perRepeat.map((one) => one.unclippedMean);
  const complete = byConversation(scores).filter((own) => own.length === repeats);
  const worstAtK =
    complete.length === 0
      ? []
      : Array.from({ length: repeats }, (_, index) => {
          const unclippedMean = mean(complete.map((own) => worstOf(own, index + 1)));
          return { k: index + 1, value: clip(unclippedMean), unclippedMean };
        });
  const spread = means.length < 2 ? null : sampleStandardDeviation(means);
  return { perRepeat, spread, conversations: complete.length, worstAtK };
}

/**
 * The mean, over all subsets of k of these scores, of the lowest in the subset: the i-th lowest of m is the lowest
 * of C(m - i, k - 1) subsets. Source: worst-at-k of the HealthBench paper's notebook.
 * @throws RangeError unless k is a whole number from 1 to the number of scores.
 */
export function worstOf(scores: readonly number[], k: number): number {
  const m = scores.length;
  if (!Number.isInteger(k) || k < 1 || k > m) throw new RangeError(`k must be between 1 and ${m}.`);
  // Share of the subsets whose lowest is the first, k / m; each next share from the one before, so nothing overflows.
  let share = k / m;
  let sum = 0;
  for (const [at, score] of Float64Array.from(scores).sort().entries()) {
    sum += share * score;
    const left = m - 1 - at;
    share = left > 0 ? (share * (left - (k - 1))) / left : 0;
  }
  return sum;
}

/** Pairs of repeats that judged the same criterion, and how many of them differ. */
export interface VerdictFlips {
  differing: number;
  pairs: number;
  /** Null without pairs. */
  rate: number | null;
}

function byConversation(scores: readonly RepeatedScore[]): number[][] {
  const groups = Map.groupBy(scores, (one) => one.conversationNo);
  return [...groups.values()].map((group) => group.map((one) => one.score));
}

import { bootstrap } from './bootstrap.js';
import { clip, scoreRun, scoresByTag, type TagPoints } from './score.js';
import { normalInterval, precision } from './standardError.js';

export interface Interval {
  low: number;
  high: number;
  /** CLUSTERED_BOOTSTRAP: resampled conversations. NORMAL: mean and clustered standard error, while a run is going. */
  method: 'CLUSTERED_BOOTSTRAP' | 'NORMAL';
}

/** A number with what it stands on. */
export interface ScoreStatistics {
  value: number;
  unclippedMean: number;
  median: number;
  n: number;
  /** Distinct conversations among the n. */
  conversations: number;
  perfect: number;
  belowZero: number;
  standardError: number | null;
  /** As the reference: of samples, not of conversations. */
  bootstrapStd: number;
  /** Null for a single conversation, which says nothing about others. */
  interval: Interval | null;
}

/** A scored conversation, one repeat, as aggregates need it. */
export interface ScoredConversation {
  conversationNo: number;
  repeat: number;
  score: number;
  /** Of the reply, in code points; null when it is not known. */
  replyLength: number | null;
  /** The conversation's own tags. */
  tags: readonly string[];
  /** Points by item-level tag. */
  tagPoints: readonly TagPoints[];
}

/** Scores of a sample with the conversation of each. */
export interface Sample {
  scores: number[];
  conversations: number[];
}

/** Statistics of scores; null when there is none. The same seed gives the same numbers. */
export function scoreStatistics({ scores, conversations }: Sample, seed: number): ScoreStatistics | null {
  const total = scoreRun(scores);
  if (total === null) return null;
  const { value, unclippedMean, median, n, perfect, belowZero } = total;
  const spread = precision(scores, conversations);
  // The reference resamples samples; the interval resamples conversations. Without repeats the two are the same.
  const plain = bootstrap(scores, seed);
  const clustered = spread.conversations === n ? plain : bootstrap(scores, seed, { clusters: conversations });
  return {
    value,
    unclippedMean,
    median,
    n,
    conversations: spread.conversations,
    perfect,
    belowZero,
    standardError: spread.standardError,
    bootstrapStd: plain.std,
    interval: spread.conversations < 2 ? null : { ...clustered.interval, method: 'CLUSTERED_BOOTSTRAP' },
  };
}

/** The score of one tag with what it stands on. */
export interface TagStatistics {
  n: number;
  value: number;
  unclippedMean: number;
  standardError: number | null;
  interval: Interval | null;
}

/** The sample of each tag over scored conversations, sorted by tag; tags without a score anywhere are not in it. */
export function tagSamples(conversations: readonly ScoredConversation[]): Map<string, Sample> {
  const found = new Map<string, Sample>();
  for (const conversation of conversations) {
    for (const [tag, score] of scoresByTag(conversation)) {
      const sample = found.get(tag) ?? { scores: [], conversations: [] };
      sample.scores.push(score);
      sample.conversations.push(conversation.conversationNo);
      found.set(tag, sample);
    }
  }
  return new Map([...found].sort(([a], [b]) => (a === b ? 0 : a < b ? -1 : 1)));
}

/** Statistics of a tag's sample, which is not empty. With a seed by bootstrap, with null by the normal approximation. */
export function tagStatistics({ scores, conversations }: Sample, seed: number | null): TagStatistics {
  const n = scores.length;
  const unclippedMean = scores.reduce((sum, score) => sum + score, 0) / n;
  const spread = precision(scores, conversations);
  return { n, value: clip(unclippedMean), unclippedMean, standardError: spread.standardError, interval: interval() };

  function interval(): Interval | null {
    if (spread.conversations < 2) return null;
    if (seed !== null) {
      const clustered = bootstrap(scores, seed, { clusters: conversations });
      return { ...clustered.interval, method: 'CLUSTERED_BOOTSTRAP' };
    }
    const normal = normalInterval(unclippedMean, spread);
    return normal && { ...normal, method: 'NORMAL' };
  }
}

import { mean, median, sampleStandardDeviation } from 'simple-statistics';

/** A criterion with its verdict. */
export interface Judged {
  points: number;
  tags: string[];
  criteriaMet: boolean;
}

/** Points of the criteria that carry a tag, within one conversation. */
export interface TagPoints {
  tag: string;
  /** Points of the met criteria, penalties included. */
  earned: number;
  /** Sum of the positive points; 0 means that the tag has no score here. */
  possible: number;
}

export interface ConversationScore {
  /** `earned / possible`, at most 1, not clipped below; null when nothing positive could be earned. */
  score: number | null;
  earned: number;
  possible: number;
  /** Item-level tags only, sorted by tag, those without positive points included. */
  tags: TagPoints[];
}

/** Aggregate of the scores of a run's scored conversations. */
export interface RunScore {
  /** The mean, clipped to 0..1: the official number. */
  value: number;
  unclippedMean: number;
  median: number;
  n: number;
  /** Conversations with the full score. */
  perfect: number;
  belowZero: number;
  /** Of the sample (n - 1): the spread between conversations, not an error of the mean. Null for one score. */
  standardDeviation: number | null;
}

export interface TagScore {
  tag: string;
  /** Conversations that have a score for this tag. */
  n: number;
  /** The mean, clipped to 0..1. */
  value: number;
  unclippedMean: number;
}

/** Scores one conversation from all its verdicts. Source: HealthBench reference (simple-evals), rules 1 and 3. */
export function scoreConversation(items: readonly Judged[]): ConversationScore {
  const { earned, possible } = points(items);
  const byTag = new Map<string, Judged[]>();
  for (const item of items) {
    for (const tag of new Set(item.tags)) {
      const tagged = byTag.get(tag);
      if (tagged) tagged.push(item);
      else byTag.set(tag, [item]);
    }
  }
  const tags = [...byTag].map(([tag, tagged]) => ({ tag, ...points(tagged) })).sort(byTagName);
  return { score: possible > 0 ? earned / possible : null, earned, possible, tags };
}

/** Aggregates conversation scores: the mean first, then the clip. Null when there is no score. */
export function scoreRun(scores: readonly number[]): RunScore | null {
  if (scores.length === 0) return null;
  const unclippedMean = mean([...scores]);
  return {
    value: clip(unclippedMean),
    unclippedMean,
    median: median([...scores]),
    n: scores.length,
    perfect: scores.filter((score) => score >= 1 - 1e-12).length,
    belowZero: scores.filter((score) => score < 0).length,
    standardDeviation: scores.length < 2 ? null : sampleStandardDeviation([...scores]),
  };
}

/**
 * Scores per tag over scored conversations, sorted by tag. A tag of the conversation takes the conversation's
 * score; an item-level tag takes its own points and nothing where it has no positive ones, and goes before a
 * conversation's tag of the same name. Source: HealthBench reference (simple-evals), rules 2 to 4.
 */
export function tagScores(
  conversations: readonly { score: number; tags: readonly string[]; tagPoints: readonly TagPoints[] }[],
): TagScore[] {
  const sums = new Map<string, { n: number; sum: number }>();
  for (const conversation of conversations) {
    for (const [tag, score] of scoresByTag(conversation)) {
      const { n, sum } = sums.get(tag) ?? { n: 0, sum: 0 };
      sums.set(tag, { n: n + 1, sum: sum + score });
    }
  }
  return [...sums]
    .map(([tag, { n, sum }]) => ({ tag, n, value: clip(sum / n), unclippedMean: sum / n }))
    .sort(byTagName);
}

/** The value brought into 0..1. */
export function clip(value: number): number {
  return Math.min(Math.max(value, 0), 1);
}

/** The scores that one conversation gives to tags, its own and its criteria's, by the rules of `tagScores`. */
export function scoresByTag(conversation: {
  score: number;
  tags: readonly string[];
  tagPoints: readonly TagPoints[];
}): Map<string, number> {
  const scores = new Map(conversation.tags.map((tag) => [tag, conversation.score]));
  for (const { tag, earned, possible } of conversation.tagPoints) {
    if (possible > 0) scores.set(tag, earned / possible);
  }
  return scores;
}

function points(items: readonly Judged[]): { earned: number; possible: number } {
  let earned = 0;
  let possible = 0;
  for (const item of items) {
    if (item.criteriaMet) earned += item.points;
    if (item.points > 0) possible += item.points;
  }
  return { earned, possible };
}

/** By code unit, so that the order does not depend on a locale. */
function byTagName(a: { tag: string }, b: { tag: string }): number {
  if (a.tag === b.tag) return 0;
  return a.tag < b.tag ? -1 : 1;
}

import type { Judged } from './score.js';

/** Verdicts counted apart for criteria with positive and with negative points; 0 points count nowhere. */
export interface Hits {
  positiveMet: number;
  positiveGraded: number;
  /** Penalties that were triggered. */
  negativeMet: number;
  negativeGraded: number;
}

export interface TagHits extends Hits {
  tag: string;
}

/** Hits of one conversation's verdicts: of all of them, and by item-level tag, sorted by tag. */
export function countHits(items: readonly Judged[]): { all: Hits; byTag: TagHits[] } {
  const all = noHits();
  const byTag = new Map<string, Hits>();
  for (const item of items) {
    count(all, item);
    for (const tag of new Set(item.tags)) count(at(byTag, tag), item);
  }
  return { all, byTag: sorted(byTag) };
}

/**
 * Hits by tag over conversations, sorted by tag: a tag of the conversation takes all its verdicts, an item-level
 * tag those of its own criteria, and goes before a conversation's tag of the same name.
 */
export function tagHits(
  conversations: readonly { tags: readonly string[]; hits: Hits; tagHits: readonly TagHits[] }[],
): TagHits[] {
  const sums = new Map<string, Hits>();
  for (const { tags, hits, tagHits: own } of conversations) {
    const byTag = new Map<string, Hits>(tags.map((tag) => [tag, hits]));
    for (const one of own) byTag.set(one.tag, one);
    for (const [tag, one] of byTag) add(at(sums, tag), one);
  }
  return sorted(sums);
}

/** How often graded criteria were met; without any the rate is null, with the reason. */
export interface Rate {
  met: number;
  graded: number;
  rate: number | null;
  rateUnavailableReason: string | null;
}

/**
 * The hit rate of the criteria of one sign.
 * @param complete every criterion has a verdict, so that none graded means that none exists
 */
export function hitRate(sign: 'positive' | 'negative', met: number, graded: number, complete: boolean): Rate {
  if (graded > 0) return { met, graded, rate: met / graded, rateUnavailableReason: null };
  const rateUnavailableReason = complete
    ? `There is no criterion with ${sign} points.`
    : `No criterion with ${sign} points has a verdict.`;
  return { met, graded, rate: null, rateUnavailableReason };
}

export function noHits(): Hits {
  return { positiveMet: 0, positiveGraded: 0, negativeMet: 0, negativeGraded: 0 };
}

function count(hits: Hits, { points, criteriaMet }: Judged): void {
  if (points > 0) {
    hits.positiveGraded += 1;
    if (criteriaMet) hits.positiveMet += 1;
  } else if (points < 0) {
    hits.negativeGraded += 1;
    if (criteriaMet) hits.negativeMet += 1;
  }
}

function add(to: Hits, hits: Hits): void {
  to.positiveMet += hits.positiveMet;
  to.positiveGraded += hits.positiveGraded;
  to.negativeMet += hits.negativeMet;
  to.negativeGraded += hits.negativeGraded;
}

function at(byTag: Map<string, Hits>, tag: string): Hits {
  const found = byTag.get(tag) ?? noHits();
  byTag.set(tag, found);
  return found;
}

/** By code unit, as the scores of tags. */
function sorted(byTag: Map<string, Hits>): TagHits[] {
  return [...byTag]
    .map(([tag, hits]) => ({ tag, ...hits }))
    .sort((a, b) => (a.tag === b.tag ? 0 : a.tag < b.tag ? -1 : 1));
}

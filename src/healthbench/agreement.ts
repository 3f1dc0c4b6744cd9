import { type PairwiseF1, pairwiseF1 } from './pairwiseF1.js';

/** How two graders decided on the same criteria. */
export interface VerdictCounts {
  /** Both found the criterion met. */
  bothMet: number;
  onlyFirstMet: number;
  onlySecondMet: number;
  neitherMet: number;
}

export interface Agreement extends VerdictCounts {
  n: number;
  /** Share of equal verdicts, 0 to 1; null without verdicts. */
  rate: number | null;
  /** Cohen's kappa: 1 is full agreement, 0 what chance would give, below 0 less than that. */
  kappa: number | null;
  /** Why kappa is null. */
  kappaUnavailableReason: string | null;
  /** As the meta-evaluation of HealthBench defines it. */
  pairwiseF1: PairwiseF1;
}

export const NO_VERDICTS: VerdictCounts = { bothMet: 0, onlyFirstMet: 0, onlySecondMet: 0, neitherMet: 0 };

/**
 * Raw and chance-corrected agreement. Kappa is undefined where both graders gave every criterion the same
 * verdict: chance alone would agree as well. Source: J. Cohen, A coefficient of agreement for nominal scales (1960).
 */
export function agreement(counts: VerdictCounts): Agreement {
  return { ...kappaOf(counts), pairwiseF1: pairwiseF1(counts) };
}

function kappaOf(counts: VerdictCounts): Omit<Agreement, 'pairwiseF1'> {
  const { bothMet, onlyFirstMet, onlySecondMet, neitherMet } = counts;
  const n = bothMet + onlyFirstMet + onlySecondMet + neitherMet;
  if (n === 0) {
    return { ...counts, n, rate: null, kappa: null, kappaUnavailableReason: 'No criterion has both verdicts.' };
  }
  const rate = (bothMet + neitherMet) / n;
  const first = bothMet + onlyFirstMet;
  const second = bothMet + onlySecondMet;
  // In whole numbers, so that certain agreement is recognised exactly.
  const chance = first * second + (n - first) * (n - second);
  if (chance === n * n) {
    const word = bothMet > 0 ? 'met' : 'not met';
    const kappaUnavailableReason = `Both graders said “${word}” every time: chance alone would agree as well.`;
    return { ...counts, n, rate, kappa: null, kappaUnavailableReason };
  }
  const expected = chance / (n * n);
  return { ...counts, n, rate, kappa: (rate - expected) / (1 - expected), kappaUnavailableReason: null };
}

/** The counts of two disjoint sets of criteria together. */
export function addCounts(a: VerdictCounts, b: VerdictCounts): VerdictCounts {
  return {
    bothMet: a.bothMet + b.bothMet,
    onlyFirstMet: a.onlyFirstMet + b.onlyFirstMet,
    onlySecondMet: a.onlySecondMet + b.onlySecondMet,
    neitherMet: a.neitherMet + b.neitherMet,
  };
}

/** Agreement by tag, sorted by tag: a criterion counts for each of its tags, once. */
export function agreementByTag(
  groups: readonly { tags: readonly string[]; counts: VerdictCounts }[],
): (Agreement & { tag: string })[] {
  const byTag = new Map<string, VerdictCounts>();
  for (const { tags, counts } of groups) {
    for (const tag of new Set(tags)) byTag.set(tag, addCounts(byTag.get(tag) ?? NO_VERDICTS, counts));
  }
  return [...byTag].sort(([a], [b]) => (a < b ? -1 : 1)).map(([tag, counts]) => ({ tag, ...agreement(counts) }));
}

export interface HistogramBin {
  from: number;
  to: number;
  count: number;
}

/**
 * Counts scores in `bins` (1 to 1,000) bins of equal width between 0 and 1. A bin includes its lower edge; the
 * last one also 1.0 and whatever a length adjustment lifted above. Scores below 0, if any, are counted in one
 * more bin in front, from the lowest score to 0. The counts add up to the number of scores.
 * @throws RangeError for any other number of bins.
 */
export function histogram(scores: readonly number[], bins: number): HistogramBin[] {
  if (!Number.isInteger(bins) || bins < 1 || bins > 1_000) throw new RangeError('There must be 1 to 1000 bins.');
  const counts = new Array<number>(bins).fill(0);
  let belowZero = 0;
  let lowest = 0;
  for (const score of scores) {
    if (score < 0) {
      belowZero += 1;
      lowest = Math.min(lowest, score);
    } else {
      const bin = binOf(score, bins);
      counts[bin] = (counts[bin] as number) + 1;
    }
  }
  const regular = counts.map((count, at) => ({ from: at / bins, to: (at + 1) / bins, count }));
  return belowZero > 0 ? [{ from: lowest, to: 0, count: belowZero }, ...regular] : regular;
}

/** Compared with the edges as they are shown, because `score * bins` rounds (0.29 * 100 is below 29). */
function binOf(score: number, bins: number): number {
  const guess = Math.min(Math.floor(score * bins), bins - 1);
  if (guess + 1 < bins && score >= (guess + 1) / bins) return guess + 1;
  return guess > 0 && score < guess / bins ? guess - 1 : guess;
}

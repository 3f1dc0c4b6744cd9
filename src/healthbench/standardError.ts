/** What the scores of a run say about the precision of their mean. */
export interface Precision {
  /** Distinct conversations; repeats of one are not independent. */
  conversations: number;
  /**
   * Analytic standard error of the unclipped mean, clustered by conversation: without repeats the population
   * deviation over the root of n, to which `bootstrapStd` tends where nothing is clipped. Null below two conversations.
   */
  standardError: number | null;
  /** Sample deviation between conversations, each by the mean of its repeats. Null below two conversations. */
  deviation: number | null;
}

/**
 * Precision of a mean of scores, one cluster id a score. The error sums the residuals of each cluster before it
 * squares them (cluster-robust, Liang and Zeger 1986), so three equal repeats are worth no more than one.
 */
export function precision(scores: readonly number[], clusters: readonly number[]): Precision {
  if (clusters.length !== scores.length) throw new RangeError('There must be one cluster id per score.');
  const mean = scores.reduce((sum, score) => sum + score, 0) / scores.length;
  const residuals = new Map<number, number>();
  for (const [at, score] of scores.entries()) {
    const id = clusters[at] as number;
    residuals.set(id, (residuals.get(id) ?? 0) + score - mean);
  }
  const conversations = residuals.size;
  if (conversations < 2) return { conversations, standardError: null, deviation: null };
  const squares = [...residuals.values()].reduce((sum, residual) => sum + residual ** 2, 0);
  const standardError = Math.sqrt(squares) / scores.length;
  return { conversations, standardError, deviation: deviationOf(standardError, conversations) };
}

/** Sample deviation between `conversations` (at least 2) that belongs to a population standard error. */
export function deviationOf(standardError: number, conversations: number): number {
  return standardError * conversations * Math.sqrt(1 / (conversations - 1));
}

/** z of a two-sided 95 % interval. */
export const Z_95 = 1.959963984540054;

/** A 95 % interval of a mean by the normal approximation with the sample deviation, clipped to 0..1. */
export function normalInterval(
  mean: number,
  { conversations, deviation }: Precision,
): { low: number; high: number } | null {
  if (deviation === null) return null;
  const half = (Z_95 * deviation) / Math.sqrt(conversations);
  const clip = (value: number) => Math.min(1, Math.max(0, value));
  return { low: clip(mean - half), high: clip(mean + half) };
}

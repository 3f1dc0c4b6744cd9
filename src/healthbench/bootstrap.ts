import { bitMask, type MersenneTwister } from './mersenneTwister.js';
import { numpyGenerator } from './sampling.js';
import { clip } from './score.js';

export interface BootstrapOptions {
  /** How often to draw; 1,000 by default, as the reference does. */
  resamples?: number;
  /**
   * A cluster id per score, for repeats: whole clusters are drawn, since repeats of one conversation are
   * correlated and drawing them one by one makes the interval too narrow.
   */
  clusters?: readonly number[];
}

export interface BootstrapResult {
  /** Population standard deviation of the resampled means, each clipped to 0..1. */
  std: number;
  /** Percentiles 2.5 and 97.5 of the same means: a 95 % interval of the official number. */
  interval: { low: number; high: number };
}

/**
 * Uncertainty of a run's score. Source: HealthBench reference (simple-evals), there unseeded; here drawn as
 * NumPy's legacy `choice` with this seed (0 to 2^32 - 1), so that a number can be had again.
 * @throws RangeError without scores, with a bad seed, or when `clusters` has another length.
 */
export function bootstrap(scores: readonly number[], seed: number, options: BootstrapOptions = {}): BootstrapResult {
  if (scores.length === 0) throw new RangeError('There is no score to resample.');
  const resamples = options.resamples ?? 1_000;
  if (!Number.isInteger(resamples) || resamples < 1) throw new RangeError(`Cannot resample ${resamples} times.`);
  const units = resamplingUnits(scores, options.clusters);
  const generator = numpyGenerator(seed);
  const means = Float64Array.from({ length: resamples }, () => clip(resampledMean(units, generator))).sort();
  return {
    std: populationDeviation(means),
    interval: { low: percentile(means, 0.025), high: percentile(means, 0.975) },
  };
}

/** Sum and number of the scores that are drawn together. */
interface Units {
  sums: Float64Array;
  counts: Float64Array;
}

function resamplingUnits(scores: readonly number[], clusters: readonly number[] | undefined): Units {
  if (!clusters) return { sums: Float64Array.from(scores), counts: new Float64Array(scores.length).fill(1) };
  if (clusters.length !== scores.length) throw new RangeError('There must be one cluster id per score.');
  const byCluster = new Map<number, { sum: number; count: number }>();
  for (const [at, score] of scores.entries()) {
    const id = clusters[at] as number;
    const { sum, count } = byCluster.get(id) ?? { sum: 0, count: 0 };
    byCluster.set(id, { sum: sum + score, count: count + 1 });
  }
  const units = [...byCluster.values()];
  return {
    sums: Float64Array.from(units, ({ sum }) => sum),
    counts: Float64Array.from(units, ({ count }) => count),
  };
}

function resampledMean({ sums, counts }: Units, generator: MersenneTwister): number {
  const last = sums.length - 1;
  const mask = bitMask(last);
  let sum = 0;
  let count = 0;
  for (let drawn = 0; drawn < sums.length; drawn += 1) {
    const at = generator.nextUpTo(last, mask);
    sum += sums[at] as number;
    count += counts[at] as number;
  }
  return sum / count;
}

function populationDeviation(values: Float64Array): number {
  const center = values.reduce((sum, value) => sum + value, 0) / values.length;
  return Math.sqrt(values.reduce((sum, value) => sum + (value - center) ** 2, 0) / values.length);
}

/** Linear between neighbours, as NumPy's default; `sorted` ascends and is not empty. */
function percentile(sorted: Float64Array, share: number): number {
  const place = share * (sorted.length - 1);
  const below = sorted[Math.floor(place)] as number;
  const above = sorted[Math.ceil(place)] as number;
  return below + (above - below) * (place - Math.floor(place));
}

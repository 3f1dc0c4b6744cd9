import { bisect, errorFunction } from 'simple-statistics';

export interface PowerOptions {
  /** Chance of seeing a difference that is not there, two-sided; 0.05 by default. */
  alpha?: number;
  /** Chance of seeing one that is there; 0.8 by default. */
  power?: number;
}

/**
 * The smallest true mean difference that `n` independent differences with this standard deviation would show
 * with the wanted power, by a two-sided test in the normal approximation: (z₁₋α/₂ + z_power) · sd / √n.
 * Source: Cohen, Statistical Power Analysis for the Behavioral Sciences (1988), chapter 2.
 *
 * @throws RangeError when n < 1 or sd < 0
 */
export function minimalDetectableDifference(sd: number, n: number, options: PowerOptions = {}): number {
  if (!(n >= 1) || !(sd >= 0)) throw new RangeError('n must be at least 1 and the deviation not negative.');
  return (distance(options) * sd) / Math.sqrt(n);
}

/**
 * How many independent differences it takes to show a true mean difference of `difference` (its sign does not
 * matter): the inverse of minimalDetectableDifference, rounded up and at least 2, since one has no spread.
 *
 * @throws RangeError for a difference of 0, which no number of conversations can show
 */
export function conversationsNeeded(sd: number, difference: number, options: PowerOptions = {}): number {
  if (difference === 0 || !Number.isFinite(difference)) throw new RangeError('The difference must not be 0.');
  const needed = ((distance(options) * sd) / Math.abs(difference)) ** 2;
  // A number that is whole on paper may end in …0001.
  return Math.max(2, Math.ceil(needed * (1 - 1e-9)));
}

function distance({ alpha = 0.05, power = 0.8 }: PowerOptions): number {
  return normalQuantile(1 - alpha / 2) + normalQuantile(power);
}

/**
 * Quantile of the standard normal distribution, good to six digits; `p` within 0 and 1, exclusive. Inverts the
 * library's error function, because its own `probit` is off in the third digit (1.957 instead of 1.960).
 *
 * @throws RangeError outside
 */
export function normalQuantile(p: number): number {
  if (!(p > 0 && p < 1)) throw new RangeError(`There is no quantile of ${p}.`);
  if (p === 0.5) return 0;
  return bisect((z) => (1 + errorFunction(z / Math.SQRT2)) / 2 - p, -10, 10, 100, 1e-9);
}

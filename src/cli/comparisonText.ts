import { UNDEFINED } from './format.js';

/** A difference of two shares in points of a percent, with its sign: "+2.3", "-0.4", "0.0". */
export function pointsOf(difference: number | null): string {
  if (difference === null) return UNDEFINED;
  const text = (difference * 100).toFixed(1);
  if (text === '0.0' || text === '-0.0') return '0.0';
  return difference > 0 ? `+${text}` : text;
}

/** An interval of a difference: "-0.4 to +5.1". */
export function intervalOf(interval: { low: number; high: number } | null): string {
  return interval === null ? UNDEFINED : `${pointsOf(interval.low)} to ${pointsOf(interval.high)}`;
}

/** A p-value with as many digits as 10,000 draws deserve. */
export function pText(p: number): string {
  if (p < 0.001) return '< 0.001';
  return p < 0.1 ? p.toFixed(3) : p.toFixed(2);
}

/** What is called shown: 1 in 20. */
export const ALPHA = 0.05;

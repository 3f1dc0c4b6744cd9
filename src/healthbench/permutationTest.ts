import { numpyGenerator } from './sampling.js';

/** Up to so many sums every choice of signs is tried: 8,192, about as many as are drawn beyond. */
const EXACT_UP_TO = 13;
const DRAWS = 10_000;
const BYTE = 8;
const TABLE = 2 ** BYTE;

export interface SignFlipTest {
  /** Two-sided, 0 (exclusive) to 1. */
  pValue: number;
  /** True when every choice of signs was tried, false when they were drawn. */
  exact: boolean;
}

/**
 * Paired permutation test. If the two sides of each pair were exchangeable, the sign of each difference would be
 * a coin's: how often is the sum of all then at least as far from 0 as the sum that was seen? Give one sum per
 * independent unit (a conversation with all its repeats), since units and not single pairs are exchangeable.
 * Sources: R. A. Fisher, The Design of Experiments (1935), section 21; the drawn p-value counts the sums seen
 * among the draws, after Phipson and Smyth (2010), so that it is never 0.
 *
 * @param seed 0 to 2^32 - 1
 * @throws RangeError without sums
 */
export function signFlipTest(sums: readonly number[], seed: number, draws: number = DRAWS): SignFlipTest {
  if (sums.length === 0) throw new RangeError('There is no difference to test.');
  // A difference of 0 is 0 with either sign.
  const moved = sums.filter((sum) => sum !== 0);
  const spread = moved.reduce((total, sum) => total + Math.abs(sum), 0);
  const seen = Math.abs(moved.reduce((total, sum) => total + sum, 0));
  // Sums that are equal on paper differ in the last bits, by the order of their additions.
  const bar = seen - spread * 1e-12;
  const tables = signedSums(moved);
  if (moved.length <= EXACT_UP_TO) return { pValue: exactShare(tables, moved.length, bar), exact: true };
  return { pValue: drawnShare(tables, bar, seed, draws), exact: false };
}

/**
 * The sums in blocks of eight: per block the total under each of the 256 choices of signs, block after block and
 * filled up to whole fours. One look-up then does the work of eight additions, and one 32-bit number that of 32
 * coins: 10,000 draws of 5,000 sums take a tenth of the time.
 */
function signedSums(sums: readonly number[]): Float64Array {
  const tables = new Float64Array(Math.max(1, Math.ceil(sums.length / 32)) * 4 * TABLE);
  for (let start = 0, at = 0; start < tables.length; start += TABLE, at += BYTE) {
    const members = sums.slice(at, at + BYTE);
    tables[start] = -members.reduce((total, sum) => total + sum, 0);
    for (let signs = 1; signs < TABLE; signs += 1) {
      const bit = 31 - Math.clz32(signs);
      tables[start + signs] = (tables[start + signs - (1 << bit)] as number) + 2 * (members[bit] ?? 0);
    }
  }
  return tables;
}

function exactShare(tables: Float64Array, count: number, bar: number): number {
  const choices = 2 ** count;
  let extreme = 0;
  for (let signs = 0; signs < choices; signs += 1) {
    if (Math.abs(signedTotal(tables, 0, signs)) >= bar) extreme += 1;
  }
  return extreme / choices;
}

function drawnShare(tables: Float64Array, bar: number, seed: number, draws: number): number {
  const generator = numpyGenerator(seed);
  let extreme = 1;
  for (let drawn = 0; drawn < draws; drawn += 1) {
    let total = 0;
    for (let start = 0; start < tables.length; start += 4 * TABLE) {
      total += signedTotal(tables, start, generator.nextUint32());
    }
    if (Math.abs(total) >= bar) extreme += 1;
  }
  return extreme / (draws + 1);
}

/** Total of the 32 sums whose tables begin at `start`, under 32 signs. Fewer sums leave blocks of 0. */
function signedTotal(tables: Float64Array, start: number, signs: number): number {
  return (
    (tables[start + (signs & 255)] as number) +
    (tables[start + TABLE + ((signs >>> 8) & 255)] as number) +
    (tables[start + 2 * TABLE + ((signs >>> 16) & 255)] as number) +
    (tables[start + 3 * TABLE + (signs >>> 24)] as number)
  );
}

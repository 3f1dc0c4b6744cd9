import { MersenneTwister } from './mersenneTwister.js';

const WORD = 2 ** 32;

/**
 * The positions that Python's `random.Random(seed).sample(range(n), k)` picks, 0-based and in its order, as the
 * HealthBench reference (simple-evals) samples with seed 0. Any safe integer is a seed; its sign is ignored.
 * @throws RangeError when k > n or an argument is no integer in its range.
 */
export function pythonRandomSample(n: number, k: number, seed: number): number[] {
  checkSize(n, k);
  const generator = pythonGenerator(seed);
  return n <= setSize(k) ? sampleFromPool(n, k, generator) : sampleWithSet(n, k, generator);
}

/**
 * The order that Python's `random.Random(seed).shuffle` brings 0 to n - 1 into.
 * @throws RangeError when an argument is no integer in its range.
 */
export function pythonRandomShuffle(n: number, seed: number): number[] {
  checkSize(n, n);
  const generator = pythonGenerator(seed);
  return shuffled(n, (last) => generator.nextBelow(last + 1));
}

/**
 * The positions that pandas' `DataFrame.sample(n=k, random_state=seed)` picks from n rows, 0-based and in its
 * order. A smaller k is always a prefix of a larger one. Seeds 0 to 2^32 - 1.
 * @throws RangeError when k > n or an argument is no integer in its range.
 */
export function pandasSample(n: number, k: number, seed: number): number[] {
  checkSize(n, k);
  const generator = numpyGenerator(seed);
  return shuffled(n, (last) => generator.nextUpTo(last)).slice(0, k);
}

/** NumPy's legacy generator; seeds 0 to 2^32 - 1. @throws RangeError for any other seed. */
export function numpyGenerator(seed: number): MersenneTwister {
  if (!Number.isInteger(seed) || seed < 0 || seed >= WORD) {
    throw new RangeError(`The seed must be a whole number from 0 to ${WORD - 1}, not ${seed}.`);
  }
  return MersenneTwister.fromSeed(seed);
}

function pythonGenerator(seed: number): MersenneTwister {
  if (!Number.isSafeInteger(seed)) {
    throw new RangeError(`The seed must be a whole number of at most 53 bits, not ${seed}.`);
  }
  const size = Math.abs(seed);
  const high = Math.floor(size / WORD);
  return MersenneTwister.fromKey(high === 0 ? [size] : [size % WORD, high]);
}

function checkSize(n: number, k: number): void {
  if (!Number.isInteger(n) || n < 0 || n >= WORD) throw new RangeError(`There cannot be ${n} items to sample from.`);
  if (!Number.isInteger(k) || k < 0) throw new RangeError(`The sample size must be a whole number, not ${k}.`);
  if (k > n) throw new RangeError(`A sample of ${k} cannot be taken from ${n}.`);
}

/** CPython's estimate of when a set of k takes less memory than a list of n: it decides the method, so it is kept. */
function setSize(k: number): number {
  if (k <= 5) return 21;
  let power = 1;
  while (power < 3 * k) power *= 4;
  return 21 + power;
}

function sampleFromPool(n: number, k: number, generator: MersenneTwister): number[] {
  const pool = Array.from({ length: n }, (_, at) => at);
  return Array.from({ length: k }, (_, drawn) => {
    const at = generator.nextBelow(n - drawn);
    const picked = pool[at] as number;
    pool[at] = pool[n - drawn - 1] as number;
    return picked;
  });
}

function sampleWithSet(n: number, k: number, generator: MersenneTwister): number[] {
  const picked = new Set<number>();
  while (picked.size < k) picked.add(generator.nextBelow(n));
  return [...picked];
}

function shuffled(n: number, partner: (last: number) => number): number[] {
  const order = Array.from({ length: n }, (_, at) => at);
  for (let last = n - 1; last > 0; last -= 1) {
    const other = partner(last);
    [order[last], order[other]] = [order[other] as number, order[last] as number];
  }
  return order;
}

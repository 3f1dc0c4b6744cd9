const SIZE = 624;
const OFFSET = 397;

/**
 * The 32-bit Mersenne Twister MT19937 (Matsumoto and Nishimura), with the two ways of seeding that Python and
 * NumPy use. Its first outputs are tested against both.
 */
export class MersenneTwister {
  private readonly state: Uint32Array;
  private position = SIZE;

  private constructor(state: Uint32Array) {
    this.state = state;
  }

  /** Seeded as NumPy's `RandomState(seed)`; seed 0 to 2^32 - 1. */
  static fromSeed(seed: number): MersenneTwister {
    return new MersenneTwister(initialState(seed));
  }

  /** Seeded by a list of 32-bit words, at least one, as Python seeds by an integer. */
  static fromKey(key: readonly number[]): MersenneTwister {
    const state = initialState(19_650_218);
    let at = 1;
    const step = (multiplier: number, addend: (turn: number) => number, turns: number) => {
      for (let turn = 0; turn < turns; turn += 1) {
        const mixed = word(state, at) ^ Math.imul(word(state, at - 1) ^ (word(state, at - 1) >>> 30), multiplier);
        state[at] = mixed + addend(turn);
        at += 1;
        if (at >= SIZE) {
          state[0] = word(state, SIZE - 1);
          at = 1;
        }
      }
    };
    step(1_664_525, (turn) => (key[turn % key.length] ?? 0) + (turn % key.length), Math.max(SIZE, key.length));
    step(1_566_083_941, () => -at, SIZE - 1);
    state[0] = 0x80000000;
    return new MersenneTwister(state);
  }

  /** The next output, 0 to 2^32 - 1. */
  nextUint32(): number {
    if (this.position >= SIZE) this.refill();
    let value = word(this.state, this.position);
    this.position += 1;
    value ^= value >>> 11;
    value ^= (value << 7) & 0x9d2c5680;
    value ^= (value << 15) & 0xefc60000;
    value ^= value >>> 18;
    return value >>> 0;
  }

  /** Uniform in 0 to `limit` - 1, drawn as Python's `Random` does; `limit` 1 to 2^32 - 1. */
  nextBelow(limit: number): number {
    const shift = Math.clz32(limit);
    let drawn = this.nextUint32() >>> shift;
    while (drawn >= limit) drawn = this.nextUint32() >>> shift;
    return drawn;
  }

  /**
   * Uniform in 0 to `max`, drawn as NumPy's legacy generator does; `max` 0 to 2^32 - 1. Loops with one `max` may
   * pass its `bitMask`.
   */
  nextUpTo(max: number, mask: number = bitMask(max)): number {
    if (max === 0) return 0;
    let drawn = (this.nextUint32() & mask) >>> 0;
    while (drawn > max) drawn = (this.nextUint32() & mask) >>> 0;
    return drawn;
  }

  /** In three stretches, because a remainder for every index made the bootstrap three times as slow. */
  private refill(): void {
    const { state } = this;
    let at = 0;
    for (; at < SIZE - OFFSET; at += 1)
      state[at] = word(state, at + OFFSET) ^ twisted(word(state, at), word(state, at + 1));
    for (; at < SIZE - 1; at += 1) {
      state[at] = word(state, at + OFFSET - SIZE) ^ twisted(word(state, at), word(state, at + 1));
    }
    state[at] = word(state, OFFSET - 1) ^ twisted(word(state, at), word(state, 0));
    this.position = 0;
  }
}

/** The smallest number of the form 2^b - 1 that is at least `max` (1 to 2^32 - 1). */
export function bitMask(max: number): number {
  return 0xffffffff >>> Math.clz32(max);
}

function twisted(current: number, next: number): number {
  const bits = (current & 0x80000000) | (next & 0x7fffffff);
  return (bits >>> 1) ^ (-(bits & 1) & 0x9908b0df);
}

function initialState(seed: number): Uint32Array {
  const state = new Uint32Array(SIZE);
  state[0] = seed;
  for (let at = 1; at < SIZE; at += 1) {
    const before = word(state, at - 1);
    state[at] = Math.imul(before ^ (before >>> 30), 1_812_433_253) + at;
  }
  return state;
}

function word(state: Uint32Array, at: number): number {
  return state[at] as number;
}

import { describe, expect, it } from '@jest/globals';
import { ModelPace } from './modelPace.js';

/** Rounds of as many calls as are allowed at once, against a provider that bears `limit` of them. */
function play(pace: ModelPace, rounds: number, refuses: (callsAtOnce: number, call: number) => boolean) {
  const sizes: number[] = [];
  let refused = 0;
  let calls = 0;
  for (let now = 1; now <= rounds; now += 1) {
    const size = pace.allowed;
    sizes.push(size);
    pace.inFlight = size;
    for (let i = 0; i < size; i += 1) {
      calls += 1;
      if (refuses(i + 1, calls)) {
        refused += 1;
        pace.overloaded(now - 0.5, now);
      } else pace.succeeded();
    }
    pace.inFlight = 0;
  }
  const late = sizes.slice(rounds / 2);
  return { mean: late.reduce((sum, n) => sum + n, 0) / late.length, refused, calls, sizes };
}

describe('ModelPace', () => {
  it('starts with all that is configured, and never allows more', () => {
    const { sizes } = play(new ModelPace(20), 50, () => false);
    expect(new Set(sizes)).toEqual(new Set([20]));
  });

  it('finds what the provider bears, and is refused seldom', () => {
    const { mean, refused, calls } = play(new ModelPace(64), 400, (atOnce) => atOnce > 16);
    expect(mean).toBeGreaterThan(12);
    expect(mean).toBeLessThan(18);
    expect(refused / calls).toBeLessThan(0.06);
  });

  it('is not slowed down much by refusals that have nothing to do with the number of calls', () => {
    const { mean } = play(new ModelPace(64), 400, (_, call) => call % 20 === 0);
    expect(mean).toBeGreaterThan(10);
  });

  it('halves once for a storm that one moment of overload has caused', () => {
    const pace = new ModelPace(32);
    pace.inFlight = 32;
    for (let i = 0; i < 32; i += 1) pace.overloaded(0, 1);
    expect(pace.allowed).toBe(16);
    pace.overloaded(2, 3);
    expect(pace.allowed).toBe(8);
  });

  it('follows a changed limit, and keeps what it has learnt below it', () => {
    const pace = new ModelPace(32);
    pace.setLimit(48);
    expect(pace.allowed).toBe(48);
    pace.inFlight = 10;
    pace.overloaded(0, 1);
    pace.setLimit(64);
    expect(pace.allowed).toBe(5);
    pace.setLimit(2);
    expect(pace.allowed).toBe(2);
  });
});

import { setImmediate } from 'node:timers/promises';

/** A request that computes lets others have their turn at least this often, in ms. */
const TURN_MS = 10;

/** Runs a computation that yields now and then, with room for other work in between; returns what it returns. */
export async function takeTurns<T>(work: Generator<void, T>): Promise<T> {
  let turn = performance.now();
  for (let step = work.next(); ; step = work.next()) {
    if (step.done) return step.value;
    if (performance.now() - turn < TURN_MS) continue;
    await setImmediate();
    turn = performance.now();
  }
}

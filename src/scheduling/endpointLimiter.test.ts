import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { type CallSlot, EndpointLimiter } from './endpointLimiter.js';

const never = new AbortController().signal;
const soon = () => new Promise((resolve) => setImmediate(resolve));
const ms = (length: number) => new Promise((resolve) => setTimeout(resolve, length));

/** A limiter whose grants are noted in the order in which they are given. */
function watched(maxConcurrency: number) {
  const limiter = new EndpointLimiter(undefined, () => 0);
  const order: string[] = [];
  const slots: CallSlot[] = [];
  const ask = (runId: string, name = runId, options: { first?: boolean; signal?: AbortSignal } = {}) =>
    limiter.acquire('e', { maxConcurrency, runId, first: options.first }, options.signal ?? never).then((slot) => {
      order.push(slot === null ? `${name} left` : name);
      if (slot !== null) slots.push(slot);
    });
  const finishOne = async () => {
    slots.shift()?.release();
    await soon();
  };
  return { limiter, order, slots, ask, finishOne };
}

describe('EndpointLimiter', () => {
  it('never lets more calls run than the endpoint allows, and lets all run in the end', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 1, max: 5 }),
        fc.array(fc.integer({ min: 0, max: 3 }), { maxLength: 30 }),
        async (max, runs) => {
          const { order, slots, ask, finishOne } = watched(max);
          for (const run of runs) void ask(String(run));
          await soon();
          while (slots.length > 0) {
            expect(slots.length).toBeLessThanOrEqual(max);
            await finishOne();
          }
          expect(order).toHaveLength(runs.length);
        },
      ),
      { numRuns: 50 },
    );
  });

  it('serves runs in turn, and calls of a run in their order', async () => {
    const { order, slots, ask, finishOne } = watched(1);
    for (const call of [1, 2, 3, 4]) void ask('large', `large ${call}`);
    for (const call of [1, 2]) void ask('small', `small ${call}`);
    void ask('large', 'large again', { first: true });
    await soon();
    while (slots.length > 0) await finishOne();
    expect(order).toEqual(['large 1', 'large again', 'small 1', 'large 2', 'small 2', 'large 3', 'large 4']);
  });

  it('lets go of a call that is aborted while it waits', async () => {
    const { order, ask, finishOne } = watched(1);
    const abort = new AbortController();
    void ask('a');
    void ask('b', 'b', { signal: abort.signal });
    void ask('c');
    abort.abort();
    await soon();
    await finishOne();
    expect(order).toEqual(['a', 'b left', 'c']);
    await ask('d', 'd', { signal: abort.signal });
    expect(order.at(-1)).toBe('d left');
  });

  it('holds back all calls while the endpoint is paused, then starts with half as many', async () => {
    const { limiter, order, slots, ask } = watched(4);
    for (const call of [1, 2, 3, 4]) void ask('a', `before ${call}`);
    await soon();
    // Four calls meet the same rate limit.
    for (const slot of slots) limiter.pause('e', 60, slot);
    for (const slot of slots.splice(0)) slot.release();
    for (const call of [1, 2, 3, 4]) void ask('b', `after ${call}`);
    await ms(30);
    expect(order).toHaveLength(4);
    await ms(60);
    expect(order.slice(4)).toEqual(['after 1', 'after 2']);
    limiter.succeeded('e');
    slots.shift()?.release();
    await soon();
    expect(order.slice(4)).toEqual(['after 1', 'after 2', 'after 3', 'after 4']);
  });

  it('keeps endpoints apart and follows a changed limit', async () => {
    const limiter = new EndpointLimiter();
    await limiter.acquire('one', { maxConcurrency: 1, runId: 'a' }, never);
    expect(await limiter.acquire('two', { maxConcurrency: 1, runId: 'a' }, never)).not.toBeNull();
    expect(await limiter.acquire('one', { maxConcurrency: 2, runId: 'a' }, never)).not.toBeNull();
  });
});

import type { CallSlot, Waiter } from './callTurns.js';
import { EndpointLane } from './endpointLane.js';
import type { ShareSource } from './endpointShare.js';

export type { CallSlot } from './callTurns.js';

/** A call that is to be made. */
export interface CallWish {
  /** Calls in flight at the endpoint, of all processes together. */
  maxConcurrency: number;
  runId: string;
  /** What concurrency adapts to, beside the endpoint. */
  model?: string;
  /** Owner of the endpoint; needed where processes share it. */
  teamId?: string;
  /** Goes before the other calls of its run: an attempt that is made again. */
  first?: boolean;
  /** Tokens that the call will presumably use. */
  tokens?: number;
}

const longestJitterMs = 1000;
/** A share is renewed this often while it is used. */
const RENEW_MS = 1_000;
/** Calls that wait for calls or tokens per minute ask this often. */
const BUDGET_MS = 250;
/** However many changes others make, they are looked at this often at most. */
const LOOK_MS = 200;

interface Lane {
  lane: EndpointLane;
  /** When calls are looked at that wait for a pause to end. */
  pause?: NodeJS.Timeout;
  renewal?: NodeJS.Timeout;
  /** ms of the limiter's clock. */
  renewAt: number;
  askedAt: number;
  asking: boolean;
  leave?: () => void;
}

/**
 * Decides which call is made next, and when. Runs take turns at each endpoint, so that a large run does not
 * starve a small one. In flight are at most the calls that are configured, over all processes (each leases its
 * share), and per model what the provider bears. A wait that the provider asks for holds for all calls to that
 * model, and afterwards they start again with half as many at once.
 */
export class EndpointLimiter {
  readonly #lanes = new Map<string, Lane>();
  #closed = false;

  /** @param shares leaves out what other processes do when it is not given */
  constructor(
    private readonly now: () => number = () => performance.now(),
    private readonly random: () => number = Math.random,
    private readonly shares: ShareSource | null = null,
  ) {}

  /** Waits for the right to make one call; null when `signal` aborts before there is one. */
  acquire(endpointId: string, wish: CallWish, signal: AbortSignal): Promise<CallSlot | null> {
    if (signal.aborted) return Promise.resolve(null);
    const entry = this.#enter(endpointId, wish);
    return new Promise((resolve) => {
      const waiter: Waiter = {
        runId: wish.runId,
        model: wish.model ?? '',
        tokens: wish.tokens ?? 0,
        give(slot) {
          signal.removeEventListener('abort', leave);
          resolve(slot);
        },
      };
      const leave = () => {
        entry.lane.turns.remove(waiter);
        if (this.shares === null) this.#forgetIdle(entry);
        resolve(null);
      };
      signal.addEventListener('abort', leave, { once: true });
      entry.lane.turns.add(waiter, wish.first ?? false);
      this.#pump(entry);
    });
  }

  /** No call to the model starts for `ms`, and then half as many at once. */
  pause(endpointId: string, ms: number, slot: CallSlot, model = ''): void {
    const entry = this.#lanes.get(endpointId);
    const jitter = this.random() * Math.min(longestJitterMs, ms / 10);
    entry?.lane.pace(model).pause(this.now() + ms + jitter);
    this.overloaded(endpointId, slot, model);
  }

  /** The provider's budget is used up: no call to the model starts for `ms`. */
  wait(endpointId: string, ms: number, model = ''): void {
    this.#lanes
      .get(endpointId)
      ?.lane.pace(model)
      .pause(this.now() + ms);
  }

  /** The provider had too much to do: half as many calls at once, and a little more with every success. */
  overloaded(endpointId: string, slot: CallSlot, model = ''): void {
    this.#lanes.get(endpointId)?.lane.pace(model).overloaded(slot.startedAt, this.now());
  }

  /** The model has answered well. */
  succeeded(endpointId: string, model = ''): void {
    this.#lanes.get(endpointId)?.lane.pace(model).succeeded();
  }

  /** Calls that this process may have in flight at the endpoint; null while that is not known. */
  slots(endpointId: string): number | null {
    const slots = this.#lanes.get(endpointId)?.lane.slots(this.now()) ?? 0;
    return slots > 0 ? slots : null;
  }

  /** Gives all shares back, so that other processes need not wait for them. */
  async close(): Promise<void> {
    this.#closed = true;
    const asks = [...this.#lanes.values()].map(({ lane, renewal, pause, leave }) => {
      clearTimeout(renewal);
      clearTimeout(pause);
      leave?.();
      return this.shares?.ask({ ...lane.ask(this.now()), wanted: 0, inFlight: 0 });
    });
    this.#lanes.clear();
    await Promise.allSettled(asks);
  }

  #enter(endpointId: string, wish: CallWish): Lane {
    const shared = this.shares !== null;
    const known = this.#lanes.get(endpointId);
    if (known !== undefined) {
      // The limit may have been changed since: a run brings what holds now, unless a share does.
      if (!shared) {
        known.lane.setLimit(wish.maxConcurrency);
        known.lane.setSlots(wish.maxConcurrency);
      }
      return known;
    }
    const lane = new EndpointLane(wish.teamId ?? '', endpointId, wish.maxConcurrency, shared);
    const entry: Lane = { lane, askedAt: Number.NEGATIVE_INFINITY, renewAt: Number.POSITIVE_INFINITY, asking: false };
    this.#lanes.set(endpointId, entry);
    entry.leave = this.shares?.onChange(endpointId, () => this.#renewIn(entry, LOOK_MS));
    return entry;
  }

  #pump(entry: Lane): void {
    const { lane } = entry;
    lane.pump(this.now, () => this.#pump(entry));
    const now = this.now();
    const pausedUntil = lane.turns.size > 0 ? lane.pausedUntil(now) : null;
    if (pausedUntil !== null) {
      entry.pause ??= setTimeout(() => {
        entry.pause = undefined;
        this.#pump(entry);
      }, pausedUntil - now);
    }
    if (this.shares === null) this.#forgetIdle(entry);
    // Also once after the last call: then the share is given back.
    else this.#renewIn(entry, lane.isOutOfBudget(now) ? BUDGET_MS : RENEW_MS);
  }

  /** Asks for the share when `ms` have passed since the last time, unless that is due before. */
  #renewIn(entry: Lane, ms: number): void {
    if (this.shares === null || this.#closed) return;
    const at = entry.askedAt + ms;
    if (entry.renewal !== undefined && entry.renewAt <= at) return;
    clearTimeout(entry.renewal);
    entry.renewAt = at;
    entry.renewal = setTimeout(() => void this.#renew(entry, this.shares as ShareSource), Math.max(0, at - this.now()));
  }

  async #renew(entry: Lane, shares: ShareSource): Promise<void> {
    const { lane } = entry;
    entry.renewal = undefined;
    if (entry.asking) return;
    entry.asking = true;
    entry.askedAt = this.now();
    const ask = lane.ask(entry.askedAt);
    try {
      lane.granted(await shares.ask(ask), entry.askedAt);
    } catch {
      // What is held runs out, and with it the calls; it is asked for again soon.
    } finally {
      entry.asking = false;
    }
    if (ask.wanted === 0 && lane.isIdle()) this.#forgetIdle(entry);
    else this.#pump(entry);
  }

  /** What was learnt about the provider stays until it has recovered. */
  #forgetIdle(entry: Lane): void {
    const { lane } = entry;
    if (!lane.isIdle() || !lane.isFresh(this.now()) || this.#lanes.get(lane.endpointId) !== entry) return;
    clearTimeout(entry.pause);
    clearTimeout(entry.renewal);
    entry.leave?.();
    this.#lanes.delete(lane.endpointId);
  }
}

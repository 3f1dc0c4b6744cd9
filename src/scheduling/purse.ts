import { randomUUID } from 'node:crypto';
import { toUsd } from '../endpoints/cost.js';
import type { Database } from '../platform/database.js';
import { WakeSignal } from '../platform/wakeSignal.js';
import { type Amount, type Exchanged, exchange, nothing, renewHold } from '../runs/runBudget.js';

/** Room may come from another process, which gives no sign. */
const POLL_MS = 200;
const BROKEN_MS = 1_000;
const MAX_BATCH = 500;

/** Room for one call. */
export interface Reservation {
  /** The call has ended: `charge` is spent and the rest is free again. Once. */
  settle(charge: Amount): void;
}

export type Reserved = Reservation | { refused: string } | null;

interface Waiter {
  wish: Amount;
  signal: AbortSignal;
  give(answer: Reserved): void;
}

interface Settlement {
  reserved: Amount;
  charge: Amount;
  epoch: number;
}

/**
 * What this process may spend of one run's budget. Group commit: reservations and settlements that arrive
 * while an exchange is under way form the next one, so that a call costs a part of a transaction.
 */
export class Purse {
  readonly #waiting: Waiter[] = [];
  #settled: Settlement[] = [];
  #outstanding = nothing;
  /** Names the reservations in the database. */
  #holder = randomUUID();
  /** Of the reservations that still count: those of before are charged in full when their hold runs out. */
  #epoch = 0;
  #busy = false;
  readonly #news = new WakeSignal();

  constructor(
    private readonly db: Database,
    private readonly key: { teamId: string; runId: string },
    /** Told about every failure of the database; the exchange is tried again. */
    private readonly onError: (error: unknown) => void,
  ) {}

  /** Waits for room; null when `signal` aborts before. Refused: nobody is spending and it still does not fit. */
  reserve(wish: Amount, signal: AbortSignal): Promise<Reserved> {
    if (signal.aborted) return Promise.resolve(null);
    return new Promise((resolve) => {
      const waiter: Waiter = {
        wish,
        signal,
        give(answer) {
          signal.removeEventListener('abort', leave);
          resolve(answer);
        },
      };
      const leave = () => {
        const at = this.#waiting.indexOf(waiter);
        // Not there: it is in the exchange under way, which answers it.
        if (at >= 0) this.#waiting.splice(at, 1);
        if (at >= 0) waiter.give(null);
      };
      signal.addEventListener('abort', leave, { once: true });
      this.#waiting.push(waiter);
      this.#work();
    });
  }

  /** Says that this process lives, so that its reservations are not taken for spent. */
  async renew(): Promise<void> {
    if (this.#outstanding.calls === 0) return;
    await renewHold(this.db, this.key.runId, this.#holder).catch(this.onError);
  }

  /** Nothing is reserved, waiting or to be settled. */
  get idle(): boolean {
    return !this.#busy && this.#outstanding.calls === 0 && this.#settled.length === 0 && this.#waiting.length === 0;
  }

  #work(): void {
    this.#news.wake();
    if (this.#busy) return;
    this.#busy = true;
    void this.#untilDone().finally(() => {
      this.#busy = false;
    });
  }

  async #untilDone(): Promise<void> {
    while (this.#waiting.length > 0 || this.#settled.length > 0) {
      this.#news.clear();
      const settled = this.#settled.filter(({ epoch }) => epoch === this.#epoch);
      const wanted = this.#waiting.splice(0, MAX_BATCH);
      this.#settled = [];
      try {
        const wishes = wanted.map(({ wish }) => wish);
        const now = { ...this.key, holder: this.#holder, outstanding: this.#outstanding };
        await this.#apply(await exchange(this.db, { ...now, settled, wanted: wishes }), wanted);
      } catch (error) {
        this.onError(error);
        this.#startAnew();
        this.#waitAgain(wanted);
        await new Promise((resolve) => setTimeout(resolve, BROKEN_MS));
      }
    }
  }

  async #apply(done: Exchanged, wanted: Waiter[]): Promise<void> {
    if (done.lost) this.#epoch += 1;
    this.#outstanding = done.outstanding;
    for (const waiter of wanted.slice(0, done.granted)) waiter.give(this.#reservation(waiter.wish));
    const left = wanted.slice(done.granted);
    const [next] = left;
    if (next === undefined) return;
    if (done.inFlight) {
      this.#waitAgain(left);
      if (this.#settled.length === 0) await this.#news.wait(POLL_MS);
      return;
    }
    // Those behind it might still fit, but the run stops here.
    const refused = refusal(done, next.wish);
    for (const waiter of left) waiter.give({ refused });
  }

  /**
   * After a failure it is not known whether the exchange was committed. The old hold is left to run out and is
   * then charged in full: the limit holds, at the price of what was in flight.
   */
  #startAnew(): void {
    this.#holder = randomUUID();
    this.#outstanding = nothing;
    this.#epoch += 1;
  }

  #waitAgain(waiters: Waiter[]): void {
    for (const waiter of waiters) if (waiter.signal.aborted) waiter.give(null);
    this.#waiting.unshift(...waiters.filter(({ signal }) => !signal.aborted));
  }

  #reservation(reserved: Amount): Reservation {
    const epoch = this.#epoch;
    let open = true;
    return {
      settle: (charge) => {
        if (!open) return;
        open = false;
        this.#settled.push({ reserved, charge, epoch });
        this.#work();
      },
    };
  }
}

/** Why the run stops, with what is left: the first word is what programs look for. */
function refusal({ budget }: Exchanged, wish: Amount): string {
  const limits: [keyof Amount, bigint | number | null, bigint | number, (n: bigint | number) => string][] = [
    ['cost', budget.maxCost, budget.spentCost, (n) => `${toUsd(BigInt(n)).toFixed(6)} USD`],
    ['calls', budget.maxCalls, budget.spentCalls, (n) => `${n} calls`],
    ['tokens', budget.maxTokens, budget.spentTokens, (n) => `${n} tokens`],
  ];
  const hit = limits.filter(
    ([field, limit, spent]) => limit !== null && BigInt(spent) + BigInt(wish[field]) > BigInt(limit),
  );
  const words = hit.map(
    ([field, limit, spent, show]) =>
      `${show(spent)} of ${show(limit ?? 0)} are spent and the next call may take up to ${show(wish[field])}`,
  );
  return `BUDGET: ${words.join('; ')}. Raise it with updateRunBudget, then resumeRun.`;
}

/** Up to this part of what the model has borne before, growth is fast. */
const KNOWN_GROUND = 0.9;
/** A sign of overload below what the model has borne before lowers that mark by this factor: it may be chance. */
const DOUBT = 0.9;
/** After a sign of overload; the first when all went well for a while, the second in a storm. */
const CUTS = { alone: 0.8, storm: 0.5 };

/**
 * How many calls at once one model at one endpoint bears. Fewer after a sign of overload (half as many when there was
 * one just before), and none while the provider asks to wait. Then one more with every success up to near the mark where it was too much, and from there
 * one more with every round of successes. So a limit is touched seldom, and a refusal now and then, whatever the
 * number of calls, does not keep them few. Learnt anew after a restart.
 */
export class ModelPace {
  inFlight = 0;
  #allowed: number;
  /** Calls at once at which there was the last overload. */
  #mark: number;
  #pausedUntil = 0;
  #reducedAt = Number.NEGATIVE_INFINITY;
  /** Successes since the last sign of overload. */
  #successes = 0;

  /** @param limit calls in flight that are configured: never more, and as many at first */
  constructor(private limit: number) {
    this.#allowed = limit;
    this.#mark = limit;
  }

  /** Calls that may be in flight. */
  get allowed(): number {
    return Math.max(1, Math.floor(this.#allowed));
  }

  /** ms of the limiter's clock. */
  get pausedUntil(): number {
    return this.#pausedUntil;
  }

  mayAsk(now: number): boolean {
    return this.#pausedUntil <= now && this.inFlight < this.allowed;
  }

  /** Nothing is in flight, and nothing has been learnt that would be lost. */
  isFresh(now: number): boolean {
    return this.inFlight === 0 && this.#pausedUntil <= now && this.#allowed >= this.limit;
  }

  /** The configured limit has changed: what was learnt below it stays. */
  setLimit(limit: number): void {
    if (this.#allowed >= this.limit || this.#allowed > limit) this.#allowed = limit;
    this.#mark = Math.max(1, this.#mark === this.limit ? limit : Math.min(this.#mark, limit));
    this.limit = limit;
  }

  succeeded(): void {
    this.#successes += 1;
    const step = this.#allowed < KNOWN_GROUND * this.#mark ? 1 : 1 / this.#allowed;
    this.#allowed = Math.min(this.limit, this.#allowed + step);
    this.#mark = Math.max(this.#mark, this.#allowed);
  }

  /** @param until ms of the limiter's clock */
  pause(until: number): void {
    this.#pausedUntil = Math.max(this.#pausedUntil, until);
  }

  /** One overload, however many calls it meets, cuts once: calls that began before the last cut do not count. */
  overloaded(callStartedAt: number, now: number): void {
    if (callStartedAt < this.#reducedAt) return;
    this.#reducedAt = now;
    // From what was in flight: a limit that was never reached says nothing.
    const borne = Math.min(this.#allowed, Math.max(1, this.inFlight));
    this.#mark = Math.max(borne, this.#mark * DOUBT);
    this.#allowed = Math.max(1, borne * (this.#successes >= borne / 2 ? CUTS.alone : CUTS.storm));
    this.#successes = 0;
  }
}

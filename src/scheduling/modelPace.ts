/**
 * How many calls at once one model at one endpoint bears: one more for every round of successes, half as many
 * after a sign of overload, and none while the provider asks to wait. Learnt anew after a restart.
 */
export class ModelPace {
  inFlight = 0;
  #allowed: number;
  #pausedUntil = 0;
  #reducedAt = Number.NEGATIVE_INFINITY;

  /** @param limit calls in flight that are configured: never more, and as many at first */
  constructor(private limit: number) {
    this.#allowed = limit;
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
    this.limit = limit;
  }

  /** A round is as many successes as calls are allowed at once. */
  succeeded(): void {
    this.#allowed = Math.min(this.limit, this.#allowed + 1 / this.#allowed);
  }

  /** @param until ms of the limiter's clock */
  pause(until: number): void {
    this.#pausedUntil = Math.max(this.#pausedUntil, until);
  }

  /** One overload, however many calls it meets, halves once: calls that began before the last cut do not count. */
  overloaded(callStartedAt: number, now: number): void {
    if (callStartedAt < this.#reducedAt) return;
    this.#reducedAt = now;
    // From what was in flight: a limit that was never reached says nothing.
    this.#allowed = Math.max(1, Math.min(this.#allowed, this.inFlight) / 2);
  }
}

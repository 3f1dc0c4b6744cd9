/** The right to make one call. */
export interface CallSlot {
  /** Gives the slot back; the first call counts. Tokens: what the call used, null when nobody said. */
  release(tokens?: number | null): void;
  /** ms of the limiter's clock at which it was given. */
  startedAt: number;
}

/** A call that waits for its turn. */
export interface Waiter {
  runId: string;
  model: string;
  /** Tokens that the call will presumably use; counts only where the endpoint limits tokens. */
  tokens: number;
  give(slot: CallSlot | null): void;
}

/**
 * The calls that wait for one endpoint: runs take turns, and within a run and model calls go in their order.
 * So a run of 5,000 conversations leaves every second call to one of 10.
 */
export class CallTurns {
  /** By run, in the order in which the runs take turns; within, by model. */
  readonly #runs = new Map<string, Map<string, Waiter[]>>();
  #size = 0;

  get size(): number {
    return this.#size;
  }

  /** @param first before the other calls of its run: an attempt that is made again */
  add(waiter: Waiter, first: boolean): void {
    const models = this.#runs.get(waiter.runId) ?? new Map<string, Waiter[]>();
    const queue = models.get(waiter.model) ?? [];
    if (first) queue.unshift(waiter);
    else queue.push(waiter);
    models.set(waiter.model, queue);
    this.#runs.set(waiter.runId, models);
    this.#size += 1;
  }

  /** Takes the next call whose model may be asked now; its run goes to the end of the round. */
  take(mayAsk: (model: string) => boolean): Waiter | undefined {
    for (const [runId, models] of this.#runs) {
      for (const [model, queue] of models) {
        const waiter = mayAsk(model) ? queue.shift() : undefined;
        if (waiter === undefined) continue;
        this.#size -= 1;
        // Both take turns: of a run whose grader is also its model under test, neither starves the other.
        models.delete(model);
        if (queue.length > 0) models.set(model, queue);
        this.#runs.delete(runId);
        if (models.size > 0) this.#runs.set(runId, models);
        return waiter;
      }
    }
    return undefined;
  }

  remove(waiter: Waiter): void {
    const models = this.#runs.get(waiter.runId);
    const queue = models?.get(waiter.model);
    const at = queue?.indexOf(waiter) ?? -1;
    if (models === undefined || queue === undefined || at === -1) return;
    queue.splice(at, 1);
    this.#size -= 1;
    if (queue.length === 0) models.delete(waiter.model);
    if (models.size === 0) this.#runs.delete(waiter.runId);
  }

  /** Whether some call waits for the model. */
  has(model: string): boolean {
    for (const models of this.#runs.values()) if (models.has(model)) return true;
    return false;
  }

  /** Tokens of the first `count` calls, in no particular order of turns. */
  tokens(count: number): number {
    let left = count;
    let sum = 0;
    for (const models of this.#runs.values()) {
      for (const queue of models.values()) {
        for (const { tokens } of queue) {
          if (left-- <= 0) return sum;
          sum += tokens;
        }
      }
    }
    return sum;
  }
}

import { type Adaptation, unadapted } from '../platform/chatModel/adaptation.js';

/** What this process has learnt about one model at one endpoint. */
export interface ModelState {
  adaptation: Adaptation;
  /** When a call last succeeded; ms of `performance.now()`. */
  lastOkAt: number;
  /** Calls are pointless until then, as the provider asked for a wait too long to sit through. */
  closedUntil: number;
  retryAfterMs: number;
}

const maxModels = 1000;
/** Not the whole wait: a person may have raised the limit meanwhile. */
const longestClosedMs = 60_000;

/** Remembers by endpoint and model, so that a change that one call needed is not found out again by every other. */
export class ModelMemory {
  readonly #states = new Map<string, ModelState>();

  /** The state to read and to change in place. */
  of(endpointId: string, model: string): ModelState {
    const key = `${endpointId} ${model}`;
    const state = this.#states.get(key) ?? {
      adaptation: unadapted,
      lastOkAt: Number.NEGATIVE_INFINITY,
      closedUntil: Number.NEGATIVE_INFINITY,
      retryAfterMs: 0,
    };
    this.#states.delete(key);
    this.#states.set(key, state);
    const oldest = this.#states.size > maxModels ? this.#states.keys().next().value : undefined;
    if (oldest !== undefined) this.#states.delete(oldest);
    return state;
  }
}

/** Lets the calls of the next minute at most give up at once instead of asking again. */
export function closeModel(state: ModelState, retryAfterMs: number, now: number): void {
  state.retryAfterMs = retryAfterMs;
  state.closedUntil = now + Math.min(retryAfterMs, longestClosedMs);
}

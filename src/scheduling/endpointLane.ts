import type { CallSlot } from './callTurns.js';
import { CallTurns } from './callTurns.js';
import { SHARE_MS, type ShareAsk, type ShareGrant } from './endpointShare.js';
import { ModelPace } from './modelPace.js';

/** Calls of one endpoint in this process: what waits, what is in flight, and what the process may use. */
export class EndpointLane {
  readonly turns = new CallTurns();
  readonly #paces = new Map<string, ModelPace>();
  #inFlight = 0;
  /** Calls in flight that are granted, and until when; without shares over several processes: the whole limit. */
  #slots: number;
  #grantedUntil = Number.POSITIVE_INFINITY;
  /** Calls and tokens that may still be begun; infinite where the endpoint has no such limit. */
  #requests = Number.POSITIVE_INFINITY;
  #tokens = Number.POSITIVE_INFINITY;

  /** @param shared false: this process has the endpoint to itself */
  constructor(
    readonly teamId: string,
    readonly endpointId: string,
    private maxConcurrency: number,
    shared: boolean,
  ) {
    this.#slots = shared ? 0 : maxConcurrency;
  }

  get inFlight(): number {
    return this.#inFlight;
  }

  /** Calls that may be in flight in this process. */
  slots(now: number): number {
    return now < this.#grantedUntil ? Math.min(this.#slots, this.maxConcurrency) : 0;
  }

  /** Calls wait only for calls or tokens per minute. */
  isOutOfBudget(now: number): boolean {
    return this.turns.size > 0 && this.#inFlight < this.slots(now) && (this.#requests < 1 || this.#tokens <= 0);
  }

  pace(model: string): ModelPace {
    const pace = this.#paces.get(model) ?? new ModelPace(this.maxConcurrency);
    this.#paces.set(model, pace);
    return pace;
  }

  setLimit(maxConcurrency: number): void {
    if (maxConcurrency === this.maxConcurrency) return;
    this.maxConcurrency = maxConcurrency;
    for (const pace of this.#paces.values()) pace.setLimit(maxConcurrency);
  }

  /** For a process that has the endpoint to itself. */
  setSlots(slots: number): void {
    this.#slots = slots;
  }

  /** What to ask of the shares: as much as can be in flight. */
  ask(now: number): ShareAsk {
    const { teamId, endpointId } = this;
    const wanted = Math.min(this.#inFlight + this.turns.size, this.maxConcurrency);
    const soon = Math.min(this.turns.size, this.slots(now) || this.maxConcurrency);
    const finite = (value: number) => (Number.isFinite(value) ? value : 0);
    const requests = soon - finite(this.#requests);
    const tokens = this.turns.tokens(soon) - finite(this.#tokens);
    return { teamId, endpointId, wanted, inFlight: this.#inFlight, requests, tokens };
  }

  /** @param askedAt when the share was asked for: from then on it runs */
  granted(grant: ShareGrant, askedAt: number): void {
    this.setLimit(Math.max(1, grant.maxConcurrency));
    this.#slots = grant.slots;
    this.#grantedUntil = askedAt + SHARE_MS;
    const add = (have: number, got: number | null) =>
      got === null ? Number.POSITIVE_INFINITY : (Number.isFinite(have) ? have : 0) + got;
    this.#requests = add(this.#requests, grant.requests);
    this.#tokens = add(this.#tokens, grant.tokens);
  }

  /** Gives slots to waiting calls while there are both. */
  pump(now: () => number, freed: () => void): void {
    while (this.#inFlight < this.slots(now()) && this.#requests >= 1 && this.#tokens > 0) {
      const waiter = this.turns.take((model) => this.pace(model).mayAsk(now()));
      if (waiter === undefined) return;
      waiter.give(this.#slot(waiter.model, waiter.tokens, now(), freed));
    }
  }

  /** When the first model that some call waits for may be asked again; null when none is paused. */
  pausedUntil(now: number): number | null {
    let first: number | null = null;
    for (const [model, { pausedUntil }] of this.#paces) {
      if (pausedUntil <= now || (first !== null && pausedUntil >= first)) continue;
      if (this.turns.has(model)) first = pausedUntil;
    }
    return first;
  }

  /** Nothing waits, nothing is in flight. */
  isIdle(): boolean {
    return this.#inFlight === 0 && this.turns.size === 0;
  }

  /** Nothing has been learnt that would be lost. */
  isFresh(now: number): boolean {
    return [...this.#paces.values()].every((pace) => pace.isFresh(now));
  }

  #slot(model: string, estimate: number, startedAt: number, freed: () => void): CallSlot {
    const pace = this.pace(model);
    this.#inFlight += 1;
    pace.inFlight += 1;
    this.#requests -= 1;
    this.#tokens -= estimate;
    let held = true;
    const release = (tokens: number | null = null) => {
      if (!held) return;
      held = false;
      this.#inFlight -= 1;
      pace.inFlight -= 1;
      this.#tokens += estimate - (tokens ?? estimate);
      freed();
    };
    return { release, startedAt };
  }
}

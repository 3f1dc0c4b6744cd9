import type { EndpointLimiter } from './endpointLimiter.js';

/** Calls that a process may have in flight, where nothing is known yet. */
const UNKNOWN = 16;
const MAX_RUNS = 1000;

/**
 * How many calls at once this process may make for a run in one role, so that it takes as many conversations as
 * keep these calls busy and leaves the others to other processes, and its own places to other runs.
 */
export class RunSlots {
  readonly #endpoints = new Map<string, { endpointId: string; maxConcurrency: number }>();

  constructor(private readonly limiter: EndpointLimiter) {}

  /** The run calls this endpoint. True when it was not known. */
  learn(runId: string, { endpointId, maxConcurrency }: { endpointId: string; maxConcurrency: number }): boolean {
    const isNew = !this.#endpoints.delete(runId);
    this.#endpoints.set(runId, { endpointId, maxConcurrency });
    const oldest = this.#endpoints.size > MAX_RUNS ? this.#endpoints.keys().next().value : undefined;
    if (oldest !== undefined) this.#endpoints.delete(oldest);
    return isNew;
  }

  calls(runId: string): number {
    const known = this.#endpoints.get(runId);
    if (known === undefined) return UNKNOWN;
    return this.limiter.slots(known.endpointId) ?? known.maxConcurrency;
  }
}

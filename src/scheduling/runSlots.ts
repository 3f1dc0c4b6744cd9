import type { EndpointLimiter } from './endpointLimiter.js';

/** Calls that a process may have in flight, where nothing is known yet. */
const UNKNOWN = 16;
const MAX_RUNS = 1000;

/**
 * How many calls at once this process may make for a run in one role, so that it takes as many conversations as
 * keep these calls busy and leaves the others to other processes, and its own places to other runs.
 */
export class RunSlots {
  readonly #endpoints = new Map<string, string>();

  constructor(private readonly limiter: EndpointLimiter) {}

  /** The run calls this endpoint. */
  learn(runId: string, endpointId: string): void {
    this.#endpoints.delete(runId);
    this.#endpoints.set(runId, endpointId);
    const oldest = this.#endpoints.size > MAX_RUNS ? this.#endpoints.keys().next().value : undefined;
    if (oldest !== undefined) this.#endpoints.delete(oldest);
  }

  calls(runId: string): number {
    const endpointId = this.#endpoints.get(runId);
    return (endpointId === undefined ? null : this.limiter.slots(endpointId)) ?? UNKNOWN;
  }
}

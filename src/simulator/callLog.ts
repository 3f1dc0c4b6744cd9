import type { ChatCall } from './chatCall.js';

/** What became of one call. */
export interface LoggedCall {
  /** ms since 1970, when the request had arrived. */
  at: number;
  model: string;
  kind: 'reply' | 'grading';
  /** The same for every attempt at the same question to the same model. */
  key: string;
  attempt: number;
  /** Text of the last message, which tells runs apart. */
  prompt: string;
  /** `ok`, the fault, `refused`, or `dropped` when the caller left before the reply. */
  outcome: string;
}

export interface SimulatorStats {
  calls: number;
  ok: number;
  /** By outcome, other than ok. */
  failed: Record<string, number>;
  inFlight: number;
  maxInFlight: number;
  /** Questions that were answered although they had been answered before: work done twice. */
  repeatedOk: number;
  /** Empty unless calls are logged; in the order of arrival. */
  log: LoggedCall[];
}

/** Counts calls, and knows which attempt one is. */
export class CallLog {
  readonly #attempts = new Map<string, number>();
  readonly #answered = new Set<string>();
  readonly #stats: SimulatorStats = {
    calls: 0,
    ok: 0,
    failed: {},
    inFlight: 0,
    maxInFlight: 0,
    repeatedOk: 0,
    log: [],
  };

  /** A call has arrived; returns which attempt at its question it is (from 1), and how to say what became of it. */
  begin(call: ChatCall, keep: boolean): { attempt: number; end: (outcome: string) => void } {
    const stats = this.#stats;
    const attempt = (this.#attempts.get(call.key) ?? 0) + 1;
    this.#attempts.set(call.key, attempt);
    stats.calls += 1;
    stats.inFlight += 1;
    stats.maxInFlight = Math.max(stats.maxInFlight, stats.inFlight);
    const { model, key, prompt, grading } = call;
    const kind = grading ? 'grading' : 'reply';
    const entry: LoggedCall = { at: Date.now(), model, kind, key, attempt, prompt, outcome: 'running' };
    if (keep) stats.log.push(entry);
    return {
      attempt,
      end: (outcome) => {
        if (entry.outcome !== 'running') return;
        entry.outcome = outcome;
        stats.inFlight -= 1;
        if (outcome === 'ok') this.#answer(key);
        else stats.failed[outcome] = (stats.failed[outcome] ?? 0) + 1;
      },
    };
  }

  get inFlight(): number {
    return this.#stats.inFlight;
  }

  /** A copy as of now. */
  stats(): SimulatorStats {
    return structuredClone(this.#stats);
  }

  #answer(key: string): void {
    this.#stats.ok += 1;
    if (this.#answered.has(key)) this.#stats.repeatedOk += 1;
    this.#answered.add(key);
  }
}

import { type Adaptation, applyChange, isLasting } from '../platform/chatModel/adaptation.js';
import { type ChatAttempt, callChat } from '../platform/chatModel/callChat.js';
import type { FailReason, FallbackOutcome, RequestChange, RetryOutcome } from '../platform/chatModel/types.js';
import { noUsage } from '../runs/usage.js';
import { addAttempt } from './attemptUsage.js';
import type { CallReservation } from './budgets.js';
import type { AttemptRecord, CallResult, ModelCall } from './callModel.types.js';
import { estimatedTokens, usedTokens } from './callTokens.js';
import { type CallSlot, EndpointLimiter } from './endpointLimiter.js';
import { errorClass } from './errorClass.js';
import { closeModel, ModelMemory, type ModelState } from './modelMemory.js';

export type { Accepted, AttemptRecord, CallResult, ModelCall } from './callModel.types.js';

export interface CallOptions {
  /** Attempts that fail or give an unusable reply; rate limits and changes of the request count apart. */
  maxAttempts: number;
  maxTimeouts: number;
  maxRateLimits: number;
  maxChanges: number;
  /** Of the first attempt; doubled after each time-out, up to five times as long. */
  deadlineMs: number;
  /** The n-th retry waits a random part of base × 2^n, at most the cap. */
  backoffBaseMs: number;
  backoffCapMs: number;
  /** A provider that asks for more is not waited for. */
  longestWaitMs: number;
  limiter: EndpointLimiter;
  memory: ModelMemory;
}

const standard: CallOptions = {
  maxAttempts: 8,
  maxTimeouts: 4,
  maxRateLimits: 20,
  maxChanges: 12,
  deadlineMs: 120_000,
  backoffBaseMs: 500,
  backoffCapMs: 30_000,
  longestWaitMs: 120_000,
  limiter: new EndpointLimiter(),
  memory: new ModelMemory(),
};

/**
 * Asks a model until there is a usable reply, within bounds: the only place where a call is made again.
 * Waits within the endpoint's limits, adapts the request to what the provider accepts, and honours the waits
 * it asks for. Throws nothing for what a provider does.
 */
export function callModel<T>(call: ModelCall<T>, options: Partial<CallOptions> = {}): Promise<CallResult<T>> {
  return new CallInProgress(call, { ...standard, ...options }).run();
}

/** What follows an attempt: the end, or another attempt after a wait of the call's own. */
type Next<T> = CallResult<T> | { kind: 'again'; afterMs: number };

class CallInProgress<T> {
  readonly #state: ModelState;
  readonly #startedAt = performance.now();
  /** Aborts when no further attempt may start. */
  readonly #stop = new AbortController();
  readonly #failed: AttemptRecord[] = [];
  #usage = noUsage;
  #changes = 0;
  #failures = 0;
  #timeouts = 0;
  #rateLimits = 0;
  #capFactor = 1;

  constructor(
    private readonly call: ModelCall<T>,
    private readonly options: CallOptions,
  ) {
    this.#state = options.memory.of(call.endpointId, call.request.model);
  }

  async run(): Promise<CallResult<T>> {
    const signals = [this.call.signal, ...(this.call.startSignal ? [this.call.startSignal] : [])];
    const stop = () => this.#stop.abort();
    // Listeners of our own instead of AbortSignal.any: they go with the call, and the run's signals live long.
    for (const signal of signals) signal.addEventListener('abort', stop, { once: true });
    if (signals.some((signal) => signal.aborted)) stop();
    try {
      return await this.#untilSettled();
    } finally {
      for (const signal of signals) signal.removeEventListener('abort', stop);
    }
  }

  async #untilSettled(): Promise<CallResult<T>> {
    const { endpointId, teamId, maxConcurrency, runId, request } = this.call;
    const { signal } = this.#stop;
    const tokens = this.call.countsTokens === true ? estimatedTokens(request) : 0;
    for (;;) {
      // Before the slot: a call that waits for room in its budget keeps nobody else waiting.
      const reserved = await this.call.purse?.reserve(request, this.#capFactor, signal);
      if (reserved === null) return { kind: 'stopped', ...this.#tally() };
      if (reserved !== undefined && 'refused' in reserved) return this.#fail('budget', reserved.refused, true);
      const first = this.#usage.calls > 0;
      const wish = { maxConcurrency, runId, first, tokens, model: request.model, ...(teamId ? { teamId } : {}) };
      const slot = await this.options.limiter.acquire(endpointId, wish, signal);
      if (slot === null) reserved?.release();
      if (slot === null) return { kind: 'stopped', ...this.#tally() };
      const next = await this.#attempt(slot, reserved);
      if (next.kind !== 'again') return next;
      if (!(await sleep(next.afterMs, signal))) return { kind: 'stopped', ...this.#tally() };
    }
  }

  async #attempt(slot: CallSlot, reserved: CallReservation | undefined): Promise<Next<T>> {
    const { endpoint, request, signal } = this.call;
    let used: number | null = null;
    try {
      if (this.#state.closedUntil > performance.now()) return this.#giveUpOnWait(this.#state.retryAfterMs);
      const learnt = this.#state.adaptation;
      const adaptation = { ...learnt, capFactor: this.#capFactor };
      const deadlineMs = this.options.deadlineMs * Math.min(5, 2 ** this.#timeouts);
      const attempt = await callChat(endpoint, request, adaptation, { signal, deadlineMs });
      this.#usage = addAttempt(this.#usage, attempt);
      reserved?.settle(attempt);
      if (attempt.kind === 'ok') {
        used = usedTokens(attempt.reply);
        const next = this.#accept(attempt);
        if (next.kind === 'ok') await this.call.keep?.(next);
        return next;
      }
      if (attempt.kind === 'retry') return this.#retry(attempt, slot);
      if (attempt.kind === 'fallback') return this.#change(attempt, learnt, adaptation);
      if (attempt.reason === 'cancelled') return { kind: 'stopped', ...this.#tally() };
      this.#record(attempt, attempt);
      return this.#fail(attempt.reason, attempt.message, attempt.stopsRun);
    } finally {
      // Nothing happens when it is settled already.
      reserved?.release();
      // After a rate limit has paused the endpoint, or the slot would be used at once.
      slot.release(used);
    }
  }

  #accept(attempt: Extract<ChatAttempt, { kind: 'ok' }>): Next<T> {
    this.#state.lastOkAt = performance.now();
    const { endpointId, request } = this.call;
    this.options.limiter.succeeded(endpointId, request.model);
    const { reply, latencyMs, waitMs } = attempt;
    // It was the last call that the provider's budget allowed for now.
    if (waitMs !== null)
      this.options.limiter.wait(endpointId, Math.min(waitMs, this.options.longestWaitMs), request.model);
    const accepted = this.call.accept(reply);
    if ('value' in accepted) {
      return { kind: 'ok', value: accepted.value, reply, latencyMs, ...this.#tally() };
    }
    const message = accepted.detail.slice(0, 500).toWellFormed();
    this.#record(attempt, { reason: accepted.unusable, status: 200, message });
    this.#failures += 1;
    if (this.#failures >= this.options.maxAttempts) return this.#fail(accepted.unusable, message, false);
    return { kind: 'again', afterMs: 0 };
  }

  #retry(attempt: RetryOutcome & ChatAttempt, slot: CallSlot): Next<T> {
    const { reason, afterMs, message } = attempt;
    this.#record(attempt, attempt);
    const limited = reason === 'rate_limited';
    if (limited) this.#rateLimits += 1;
    else this.#failures += 1;
    if (reason === 'timeout') this.#timeouts += 1;
    if (afterMs !== null && afterMs > this.options.longestWaitMs) {
      closeModel(this.#state, afterMs, performance.now());
      return this.#giveUpOnWait(afterMs);
    }
    if (this.#isExhausted()) return this.#failForGood(reason, message);
    const { endpointId, request } = this.call;
    const backoff = this.#backoffMs(limited ? this.#rateLimits : this.#failures);
    if (afterMs === null && !limited) {
      const crowded = reason === 'overloaded' || reason === 'timeout' || attempt.status === 503;
      if (crowded) this.options.limiter.overloaded(endpointId, slot, request.model);
      return { kind: 'again', afterMs: Math.random() * backoff };
    }
    // “0” seconds and the like are no wait: without one of our own, the bound is used up in an instant.
    const own = (afterMs ?? 0) < this.options.backoffBaseMs ? backoff * (0.5 + Math.random() / 2) : 0;
    this.options.limiter.pause(endpointId, Math.max(afterMs ?? 0, own), slot, request.model);
    return { kind: 'again', afterMs: 0 };
  }

  #isExhausted(): boolean {
    const { maxAttempts, maxRateLimits, maxTimeouts } = this.options;
    return this.#failures >= maxAttempts || this.#rateLimits >= maxRateLimits || this.#timeouts >= maxTimeouts;
  }

  /** An endpoint that answered nobody while this call tried stops the run: the others would only wait as long. */
  #failForGood(reason: string, message: string): CallResult<T> {
    const silent = this.#state.lastOkAt < this.#startedAt;
    if (reason === 'unreachable') return this.#fail('endpoint_down', message, silent);
    return this.#fail(reason, message, silent && reason === 'rate_limited');
  }

  #change(attempt: FallbackOutcome & ChatAttempt, learnt: Adaptation, sent: Adaptation): Next<T> {
    const { change, message } = attempt;
    this.#record(attempt, { ...attempt, reason: change });
    const changed = applyChange(sent, change);
    if (changed === null || this.#changes >= this.options.maxChanges) {
      return this.#fail(unchangeable[change] ?? 'bad_request', message, false);
    }
    this.#changes += 1;
    this.#capFactor = changed.capFactor;
    // Another call may have learnt the same meanwhile; then what it found is tried first.
    if (isLasting(change) && this.#state.adaptation === learnt) this.#state.adaptation = changed;
    return { kind: 'again', afterMs: 0 };
  }

  #giveUpOnWait(retryAfterMs: number): CallResult<T> {
    const message = `The provider asks to wait for ${Math.ceil(retryAfterMs / 1000)} s.`;
    return this.#fail('rate_limited', message, true);
  }

  #fail(reason: string, message: string, stopsRun: boolean): Extract<CallResult<T>, { kind: 'failed' }> {
    return { kind: 'failed', reason, message, stopsRun, ...this.#tally() };
  }

  #record(attempt: ChatAttempt, why: { reason: string; status: number | null; message: string }): void {
    const { latencyMs, raw, usage } = attempt;
    const { reason, status, message } = why;
    this.#failed.push({
      at: new Date(),
      latencyMs,
      errorClass: errorClass(attempt),
      reason,
      status,
      message,
      raw,
      usage,
    });
  }

  #tally() {
    return { failedAttempts: this.#failed, usage: this.#usage };
  }

  #backoffMs(times: number): number {
    return Math.min(this.options.backoffCapMs, this.options.backoffBaseMs * 2 ** (times - 1));
  }
}

const unchangeable: Partial<Record<RequestChange, FailReason>> = {
  raise_max_tokens: 'truncated',
  reduce_max_tokens: 'context_length',
};

/** False when the signal aborts first. */
function sleep(ms: number, signal: AbortSignal): Promise<boolean> {
  if (signal.aborted) return Promise.resolve(false);
  if (ms <= 0) return Promise.resolve(true);
  return new Promise((resolve) => {
    const end = () => {
      clearTimeout(timer);
      signal.removeEventListener('abort', end);
      resolve(!signal.aborted);
    };
    const timer = setTimeout(end, ms);
    signal.addEventListener('abort', end, { once: true });
  });
}

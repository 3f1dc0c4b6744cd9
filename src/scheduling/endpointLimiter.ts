/** The right to make one call. */
export interface CallSlot {
  /** Gives the slot back; must be called once. */
  release(): void;
  /** ms of the limiter's clock at which it was given. */
  startedAt: number;
}

interface Waiter {
  runId: string;
  give(slot: CallSlot | null): void;
}

interface Lane {
  maxConcurrency: number;
  /** What is allowed now: halved by a rate limit, and one more with every success up to maxConcurrency. */
  allowed: number;
  inFlight: number;
  pauseUntil: number;
  reducedAt: number;
  /** By run, in the order in which the runs take turns. */
  queues: Map<string, Waiter[]>;
  timer: NodeJS.Timeout | undefined;
}

const longestJitterMs = 1000;

/**
 * Shares out the calls of this process to each model endpoint: at most maxConcurrency in flight, first come
 * first served within a run, runs in turn, so that a large run does not starve a small one. A wait that a
 * rate limit asks for holds for all calls to the endpoint, and afterwards they start again little by little.
 */
export class EndpointLimiter {
  readonly #lanes = new Map<string, Lane>();

  constructor(
    private readonly now: () => number = () => performance.now(),
    private readonly random: () => number = Math.random,
  ) {}

  /**
   * Waits for a slot; null when `signal` aborts before there is one.
   *
   * @param wish.first goes before the other calls of its run: an attempt that is made again
   */
  acquire(
    endpointId: string,
    wish: { maxConcurrency: number; runId: string; first?: boolean },
    signal: AbortSignal,
  ): Promise<CallSlot | null> {
    if (signal.aborted) return Promise.resolve(null);
    const lane = this.#lane(endpointId, wish.maxConcurrency);
    return new Promise((resolve) => {
      const waiter: Waiter = {
        runId: wish.runId,
        give(slot) {
          signal.removeEventListener('abort', leave);
          resolve(slot);
        },
      };
      const leave = () => {
        removeWaiter(lane, waiter);
        this.#forgetIdle(endpointId, lane);
        resolve(null);
      };
      signal.addEventListener('abort', leave, { once: true });
      const queue = lane.queues.get(wish.runId) ?? [];
      if (wish.first) queue.unshift(waiter);
      else queue.push(waiter);
      lane.queues.set(wish.runId, queue);
      this.#pump(endpointId, lane);
    });
  }

  /** No call starts for `ms`. One rate limit, however many calls it meets, halves what is allowed once. */
  pause(endpointId: string, ms: number, slot: CallSlot): void {
    const lane = this.#lanes.get(endpointId);
    if (lane === undefined) return;
    const jitter = this.random() * Math.min(longestJitterMs, ms / 10);
    lane.pauseUntil = Math.max(lane.pauseUntil, this.now() + ms + jitter);
    if (slot.startedAt < lane.reducedAt) return;
    lane.reducedAt = this.now();
    lane.allowed = Math.max(1, Math.floor(lane.allowed / 2));
  }

  /** The endpoint has answered well: one more call may run beside the others. */
  succeeded(endpointId: string): void {
    const lane = this.#lanes.get(endpointId);
    if (lane !== undefined) lane.allowed = Math.min(lane.maxConcurrency, lane.allowed + 1);
  }

  #lane(endpointId: string, maxConcurrency: number): Lane {
    const lane = this.#lanes.get(endpointId) ?? newLane(maxConcurrency);
    // The limit may have been changed since: a run brings what holds now.
    if (lane.maxConcurrency !== maxConcurrency) Object.assign(lane, { maxConcurrency, allowed: maxConcurrency });
    this.#lanes.set(endpointId, lane);
    return lane;
  }

  #pump(endpointId: string, lane: Lane): void {
    const wait = lane.pauseUntil - this.now();
    if (wait > 0) {
      lane.timer ??= setTimeout(() => {
        lane.timer = undefined;
        this.#pump(endpointId, lane);
      }, wait);
      return;
    }
    while (lane.inFlight < lane.allowed) {
      const waiter = nextWaiter(lane);
      if (waiter === undefined) break;
      lane.inFlight += 1;
      waiter.give(this.#slot(endpointId, lane));
    }
    this.#forgetIdle(endpointId, lane);
  }

  #slot(endpointId: string, lane: Lane): CallSlot {
    let held = true;
    const release = () => {
      if (!held) return;
      held = false;
      lane.inFlight -= 1;
      this.#pump(endpointId, lane);
    };
    return { release, startedAt: this.now() };
  }

  #forgetIdle(endpointId: string, lane: Lane): void {
    const idle = lane.inFlight === 0 && lane.queues.size === 0 && lane.pauseUntil <= this.now();
    if (idle && lane.allowed === lane.maxConcurrency && this.#lanes.get(endpointId) === lane) {
      clearTimeout(lane.timer);
      this.#lanes.delete(endpointId);
    }
  }
}

function newLane(maxConcurrency: number): Lane {
  return {
    maxConcurrency,
    allowed: maxConcurrency,
    inFlight: 0,
    pauseUntil: 0,
    reducedAt: 0,
    queues: new Map(),
    timer: undefined,
  };
}

/** The first of the run whose turn it is; the run then goes to the end of the round. */
function nextWaiter(lane: Lane): Waiter | undefined {
  const turn = lane.queues.entries().next().value;
  if (turn === undefined) return undefined;
  const [runId, queue] = turn;
  const waiter = queue.shift();
  lane.queues.delete(runId);
  if (queue.length > 0) lane.queues.set(runId, queue);
  return waiter;
}

function removeWaiter(lane: Lane, waiter: Waiter): void {
  const queue = lane.queues.get(waiter.runId) ?? [];
  const others = queue.filter((other) => other !== waiter);
  if (others.length > 0) lane.queues.set(waiter.runId, others);
  else lane.queues.delete(waiter.runId);
}

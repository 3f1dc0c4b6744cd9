import { Buffer } from 'node:buffer';
import { costOf, highestCost } from '../endpoints/cost.js';
import type { Price } from '../endpoints/price.js';
import type { ChatAttempt } from '../platform/chatModel/callChat.js';
import type { ChatRequest } from '../platform/chatModel/types.js';
import type { Database } from '../platform/database.js';
import type { Log } from '../platform/log.js';
import { type Amount, nothing } from '../runs/runBudget.js';
import { wasAnswered } from './attemptUsage.js';
import { Purse } from './purse.js';

/** A third of the time after which a silent process counts as dead. */
const RENEW_MS = 10_000;
/** What a role, its separators and the like add to each message, in tokens; and a schema around the prompt. */
const PER_MESSAGE = 16;
const PER_SCHEMA = 256;
/** Of a reply without maxTokens, until longer ones have been seen. */
const UNCAPPED_COMPLETION = 2_048;

/** What one model of one run may spend. */
export interface CallPurse {
  /** Room for one attempt at the request, whose cap on the reply is changed by `capFactor`. */
  reserve(request: ChatRequest, capFactor: number, signal: AbortSignal): Promise<CallReservation | Refused | null>;
}

export interface CallReservation {
  /** Charges what the attempt used; where that is not known although it may have been paid, what it could use. */
  settle(attempt: ChatAttempt): void;
  /** No call was made. */
  release(): void;
}

export interface Refused {
  refused: string;
}

interface Bound {
  prompt: number;
  completion: number;
}

/** The budgets of the runs that this process works on. */
export class Budgets {
  readonly #purses = new Map<string, Purse>();
  readonly #timer: NodeJS.Timeout;
  /** By run and model: the longest completion seen. */
  readonly #longest = new Map<string, number>();

  constructor(private readonly log: Log) {
    this.#timer = setInterval(() => this.#renew(), RENEW_MS);
    this.#timer.unref();
  }

  /**
   * The purse for the calls of one model of a run; undefined when the run has no budget.
   *
   * @param db as the team of the run sees it
   */
  purseOf(
    db: Database,
    run: { id: string; teamId: string; budgeted: boolean },
    model: { model: string; price?: Price | null },
  ): CallPurse | undefined {
    if (!run.budgeted) return undefined;
    return {
      reserve: async (request, capFactor, signal) => {
        const seen = `${run.id} ${model.model}`;
        const bound = boundOf(request, capFactor, this.#longest.get(seen) ?? 0);
        const reserved = await this.#purse(db, run).reserve(amountOf(bound, model.price ?? null, highestCost), signal);
        if (reserved === null || 'refused' in reserved) return reserved;
        return {
          release: () => reserved.settle(nothing),
          settle: (attempt) => {
            this.#longest.set(seen, Math.max(this.#longest.get(seen) ?? 0, attempt.usage.completionTokens ?? 0));
            reserved.settle(chargeOf(attempt, bound, model.price ?? null));
          },
        };
      },
    };
  }

  #purse(db: Database, run: { id: string; teamId: string }): Purse {
    const known = this.#purses.get(run.id);
    if (known !== undefined) return known;
    const onError = (error: unknown) => this.log.warn({ err: error, run: run.id }, 'a budget cannot be written');
    const purse = new Purse(db, { teamId: run.teamId, runId: run.id }, onError);
    this.#purses.set(run.id, purse);
    return purse;
  }

  #renew(): void {
    for (const [runId, purse] of this.#purses) {
      if (purse.idle) this.#forget(runId);
    }
    for (const purse of this.#purses.values()) void purse.renew();
  }

  #forget(runId: string): void {
    this.#purses.delete(runId);
    for (const seen of this.#longest.keys()) if (seen.startsWith(runId)) this.#longest.delete(seen);
  }

  /** Waits until everything that was spent is written, at most `waitMs`; the rest counts as spent later. */
  async close(waitMs: number): Promise<void> {
    clearInterval(this.#timer);
    const until = performance.now() + waitMs;
    while ([...this.#purses.values()].some(({ idle }) => !idle) && performance.now() < until) {
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
  }
}

/**
 * The most tokens that a call can use. A token stands for at least a byte of the text. Without maxTokens the
 * reply has no bound, and twice the longest so far is taken.
 */
function boundOf(request: ChatRequest, capFactor: number, longest: number): Bound {
  const { messages, maxTokens, jsonSchema } = request;
  const bytes = messages.reduce((sum, { content }) => sum + Buffer.byteLength(content) + PER_MESSAGE, 0);
  const prompt = bytes + (jsonSchema === undefined ? 0 : PER_SCHEMA);
  if (maxTokens === undefined) return { prompt, completion: Math.max(UNCAPPED_COMPLETION, 2 * longest) };
  return { prompt, completion: Math.max(1, Math.round(maxTokens * capFactor)) };
}

function amountOf(
  { prompt, completion }: Bound,
  price: Price | null,
  cost: typeof costOf,
  cached?: number | null,
): Amount {
  const tokens = { promptTokens: prompt, completionTokens: completion, cachedTokens: cached ?? null };
  return { calls: 1, tokens: prompt + completion, cost: price === null ? 0n : cost(price, tokens) };
}

function chargeOf(attempt: ChatAttempt, bound: Bound, price: Price | null): Amount {
  const { promptTokens, completionTokens, cachedTokens } = attempt.usage;
  if (promptTokens === null && completionTokens === null) {
    return mayHaveBeenPaid(attempt) ? amountOf(bound, price, highestCost) : { ...nothing, calls: 1 };
  }
  const used = { prompt: promptTokens ?? bound.prompt, completion: completionTokens ?? bound.completion };
  return amountOf(used, price, costOf, cachedTokens);
}

/** Not when the provider refused with an error status, or was not reached. */
function mayHaveBeenPaid(attempt: ChatAttempt): boolean {
  if (wasAnswered(attempt)) return true;
  if (attempt.kind === 'retry') return attempt.status === null && attempt.reason !== 'unreachable';
  return attempt.kind === 'fail' && attempt.reason === 'cancelled';
}

import type { ChatEndpoint, ChatReply, ChatRequest, TokenUsage } from '../platform/chatModel/types.js';
import type { CallUsage } from '../runs/usage.js';
import type { CallPurse } from './budgets.js';
import type { ErrorClass } from './errorClass.js';

/** A reply that is not taken, with the reason (a word) and the detail (a sentence). */
export interface Unusable {
  unusable: string;
  detail: string;
}

export interface ModelCall<T> {
  endpointId: string;
  endpoint: ChatEndpoint;
  /** Owner of the endpoint. */
  teamId?: string;
  /** Calls in flight at the endpoint, over all processes. */
  maxConcurrency: number;
  /** The endpoint limits tokens per minute, so how many this call takes is estimated beforehand. */
  countsTokens?: boolean;
  runId: string;
  request: ChatRequest;
  /** Ends the call in flight too. */
  signal: AbortSignal;
  /** Lets no further attempt start; the one in flight is finished and counts. */
  startSignal?: AbortSignal;
  /** Bounds what is spent: room for each attempt is reserved before it and settled after it. */
  purse?: CallPurse;
  /** Reads the reply, or rejects it so that it is asked for again within the bounds. Must not throw. */
  accept: (reply: ChatReply) => { value: T } | Unusable;
  /**
   * Makes the accepted reply durable. The call counts as in flight until it has, so that a crash repeats no
   * more calls than the endpoint's limit allows at once; a slow database slows the calls instead.
   */
  keep?: (result: Accepted<T>) => Promise<void>;
}

/** A call that gave a usable reply. */
export type Accepted<T> = Extract<CallResult<T>, { kind: 'ok' }>;

/** One attempt that gave no usable reply. */
export interface AttemptRecord {
  /** When it ended. */
  at: Date;
  latencyMs: number;
  errorClass: ErrorClass;
  /** Why: a RetryReason, a FailReason, a RequestChange, or what `accept` said. */
  reason: string;
  /** Of HTTP; null when no reply arrived. */
  status: number | null;
  /** At most 500 characters, without key material. */
  message: string;
  /** The body, cut to 20,000 characters, without key material. */
  raw: string;
  /** Of a reply that was not taken; nulls when nothing was reported. */
  usage: TokenUsage;
}

interface Attempts {
  failedAttempts: AttemptRecord[];
  /** Of all attempts together, those without a usable reply included. */
  usage: CallUsage;
}

export type CallResult<T> =
  | (Attempts & {
      kind: 'ok';
      value: T;
      reply: ChatReply;
      /** Of the successful attempt alone, without any waiting. */
      latencyMs: number;
    })
  | (Attempts & {
      kind: 'failed';
      reason: string;
      message: string;
      /** True when other calls with the same endpoint and model would fail too, so that a person is needed. */
      stopsRun: boolean;
    })
  /** Cancelled, or not to start: says nothing about the model. */
  | (Attempts & { kind: 'stopped' });

/** Where an OpenAI-compatible provider answers. */
export interface ChatEndpoint {
  /** Up to and with the version, such as `https://api.openai.com/v1`. */
  baseUrl: string;
  /** Null: the provider needs none, and a harmless placeholder is sent. */
  apiKey: string | null;
}

export interface ChatMessage {
  role: string;
  content: string;
}

/** What is asked, before it is adapted to what the provider accepts. */
export interface ChatRequest {
  model: string;
  messages: ChatMessage[];
  temperature?: number;
  reasoningEffort?: string;
  maxTokens?: number;
  seed?: number;
  jsonSchema?: { name: string; schema: object };
}

/** Null where the provider did not say: unknown is not zero. */
export interface TokenUsage {
  promptTokens: number | null;
  completionTokens: number | null;
  /** The part of the prompt that the provider had cached. */
  cachedTokens: number | null;
  /** The part of the completion that was thinking. */
  reasoningTokens: number | null;
}

export interface ChatReply {
  /** As received: a string, null, or a list of parts. */
  content: unknown;
  /** The text of `content`; of a list of parts, those of type text joined. */
  text: string;
  finishReason: string | null;
  refusal: string | null;
  usage: TokenUsage;
  /** As the provider names it, which may be a dated version. */
  model: string | null;
}

/** What to do differently when the request is sent again. */
export type RequestChange =
  | 'drop_temperature'
  | 'drop_seed'
  | 'drop_store'
  | 'drop_reasoning_effort'
  | 'max_completion_tokens'
  | 'max_tokens'
  | 'merge_system'
  | 'raise_max_tokens'
  | 'reduce_max_tokens'
  | 'response_format';

export type FailReason =
  | 'address_blocked'
  | 'auth'
  | 'bad_request'
  | 'billing'
  | 'cancelled'
  | 'content_filter'
  | 'context_length'
  | 'endpoint_down'
  | 'endpoint_not_found'
  | 'forbidden'
  | 'model_not_found'
  | 'quota'
  | 'redirect'
  | 'request_too_large'
  | 'tls'
  | 'truncated';

export type RetryReason =
  | 'rate_limited'
  | 'overloaded'
  | 'server_error'
  | 'timeout'
  /** Broke while it was used. */
  | 'connection'
  /** No connection could be made. */
  | 'unreachable'
  | 'bad_response'
  | 'empty';

export interface RetryOutcome {
  kind: 'retry';
  reason: RetryReason;
  /** As long as the provider asks to wait; null: it does not say. */
  afterMs: number | null;
  /** Of HTTP; null when no reply arrived. */
  status: number | null;
  message: string;
}

export interface FallbackOutcome {
  kind: 'fallback';
  change: RequestChange;
  status: number | null;
  message: string;
}

export interface FailOutcome {
  kind: 'fail';
  reason: FailReason;
  /** True when every other call with the same endpoint and model would fail the same way. */
  stopsRun: boolean;
  status: number | null;
  message: string;
}

/** What one attempt came to, and so what the caller does next. Messages hold no key material. */
export type CallOutcome = { kind: 'ok'; reply: ChatReply } | RetryOutcome | FallbackOutcome | FailOutcome;

/** The request fields of one attempt that a provider may refuse, by their names on the wire. */
export interface SentFields {
  temperature?: number;
  seed?: number;
  store?: boolean;
  reasoning_effort?: string;
  max_tokens?: number;
  max_completion_tokens?: number;
  response_format?: 'json_schema' | 'json_object';
  roles?: string[];
}

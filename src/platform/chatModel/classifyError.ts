import { stopsRun } from './classifyTransport.js';
import type { ErrorFacts } from './errorFacts.js';
import { canMergeRoles, capMayFit, complainsAboutRoles, findRequestChange } from './requestChange.js';
import type { CallOutcome, FailReason, RequestChange, RetryReason, SentFields } from './types.js';

const words = (text: string) => new Set(text.trim().split(/\s+/));

const quotaCodes = words('insufficient_quota quota_exceeded_permanently');
const billingCodes = words(`billing_error billing_not_active billing_hard_limit_reached billing_soft_limit_reached
  insufficient_balance insufficient_credits insufficient_funds payment_required`);
const filterCodes = words(`content_filter content_policy_violation responsibleaipolicyviolation moderation_error
  data_inspection_failed invalid_prompt content_filtered moderation_blocked content_blocked safety`);
const authCodes = words(`invalid_api_key authentication_error unauthorized unauthenticated api_key_invalid
  missing_api_key incorrect_api_key invalid_authentication account_deactivated`);
const modelCodes = words(`model_not_found model_not_available model_decommissioned model_deprecated unknown_model
  invalid_model model_not_supported deploymentnotfound modelnotfound no_such_model model_not_exist`);
const contextCodes = words(`context_length_exceeded exceed_context_size_error context_window_exceeded prompt_too_long
  string_above_max_length input_too_long`);
const rateCodes = words(`rate_limit_exceeded rate_limit_error rate_limited too_many_requests resource_exhausted
  throttlingexception throttled ratelimitexceeded requests_limit_exceeded ratelimitreached`);
const overloadCodes = words(
  'overloaded_error overloaded engine_overloaded capacity_exceeded service_unavailable unavailable',
);
const outputCodes = words('json_validate_failed output_parse_failed tool_use_failed');

/** What to do after an error reply, by status, code, type, param and field names; words of the text come last. */
export function classifyError(
  facts: ErrorFacts,
  sent: SentFields,
  reply: { status: number; message: string; afterMs: number | null },
): CallOutcome {
  const { status, message } = reply;
  const fail = (reason: FailReason): CallOutcome => {
    return { kind: 'fail', reason, stopsRun: stopsRun(reason), status, message };
  };
  const failed = permanentFailure(facts);
  if (failed !== null) return fail(failed);
  const retry = transientFailure(facts);
  const change = refusedRequest(facts, sent, retry !== null);
  if (change === 'context_length') return fail('context_length');
  if (change !== null) return { kind: 'fallback', change, status, message };
  if (retry !== null) return { kind: 'retry', reason: retry, afterMs: reply.afterMs, status, message };
  return fail(refusal(facts));
}

/** Reasons that have a status or a code of their own and that waiting cannot cure. */
function permanentFailure(facts: ErrorFacts): FailReason | null {
  const { status } = facts;
  if (status >= 300 && status < 400) return 'redirect';
  if (has(facts, quotaCodes)) return 'quota';
  if (status === 402 || has(facts, billingCodes)) return 'billing';
  if (has(facts, filterCodes) || facts.flagged || status === 451) return 'content_filter';
  if (status === 413 || status === 414 || status === 431 || has(facts, words('request_too_large')))
    return 'request_too_large';
  if (status === 429 && asksForMoreThanAllowed(facts.message)) return 'request_too_large';
  if (status === 401) return 'auth';
  if (status < 500 && has(facts, modelCodes)) return 'model_not_found';
  if (status < 500 && has(facts, authCodes)) return 'auth';
  return null;
}

/** “Limit 30000, Requested 342389”: no wait makes room for it. */
function asksForMoreThanAllowed(message: string): boolean {
  const limit = /\blimit:?\s+(\d+)/i.exec(message)?.[1];
  const requested = /\brequested:?\s+(\d+)/i.exec(message)?.[1];
  return limit !== undefined && requested !== undefined && Number(requested) > Number(limit);
}

function transientFailure(facts: ErrorFacts): RetryReason | null {
  const { status } = facts;
  if (status === 429 || has(facts, rateCodes)) return 'rate_limited';
  if (status === 529 || status === 498 || has(facts, overloadCodes)) return 'overloaded';
  if (status === 408 || status === 504 || status === 524) return 'timeout';
  if (has(facts, outputCodes)) return 'bad_response';
  if (status === 0 || status >= 500 || [409, 421, 423, 424, 425, 499].includes(status)) return 'server_error';
  return null;
}

/**
 * The request itself is refused. A provider that says 500 is believed only when a code or the chat template
 * says so, since its text may be about anything.
 */
function refusedRequest(
  facts: ErrorFacts,
  sent: SentFields,
  transient: boolean,
): RequestChange | 'context_length' | null {
  const text = facts.message.toLowerCase();
  const context = has(facts, contextCodes) || (!transient && isAboutContext(text));
  if (context) return capMayFit(facts, sent) ? 'reduce_max_tokens' : 'context_length';
  if (!transient && facts.status !== 403 && facts.status !== 404) return findRequestChange(facts, sent);
  const template = facts.status === 500 && /template|jinja|role/.test(text);
  return template && canMergeRoles(sent.roles) && complainsAboutRoles(text) ? 'merge_system' : null;
}

function isAboutContext(text: string): boolean {
  return (
    /context[ _]?(length|window|size|limit)|(prompt|input|request) (is |length |size )?(too long|exceeds?)|too many (input |prompt )?tokens/.test(
      text,
    ) ||
    /(maximum|max) (prompt|input|sequence) length|`inputs`|(prompt|input)( token)?( count| length| tokens)? .{0,40}exceed/.test(
      text,
    ) ||
    /max_(model|seq)_len|reduce (the length|your prompt)/.test(text)
  );
}

/** What is left of 4xx, told apart by its words. */
function refusal(facts: ErrorFacts): FailReason {
  const { status } = facts;
  const text = facts.message.toLowerCase().replace(/https?:\/\/\S+|\/v\d\S*/g, ' ');
  if (/credit balance|insufficient (balance|credit|fund)|add credits|payment required/.test(text)) return 'billing';
  if (/content (management )?(policy|filter)|was flagged|moderation|safety system/.test(text)) return 'content_filter';
  if (/invalid url|unknown (url|path|route)|no route|page not found/.test(text)) return 'endpoint_not_found';
  if (/api key/.test(text) && /valid|missing|incorrect|wrong|expired|required|provide/.test(text)) return 'auth';
  if (facts.params.includes('model') || isAboutModel(text, status)) return 'model_not_found';
  if (status === 403 || status === 407) return 'forbidden';
  return status === 404 || status === 405 || status === 410 ? 'endpoint_not_found' : 'bad_request';
}

function isAboutModel(text: string, status: number): boolean {
  if (/no endpoints found|no deployments? /.test(text)) return true;
  if (!/\b(model|deployment)s?\b/.test(text)) return false;
  if (status === 404 || status === 410) return true;
  const missing =
    /\bmodel\b.{0,80}(not found|(does not|doesn't|not) exist|unknown|not available|unavailable|decommissioned|deprecated|no longer)/;
  return (
    missing.test(text) ||
    /(no|not a|un|in)[ -]?(valid|known|such|supported) (\w+ )?model\b|(have|has|no) access to (the )?model/.test(text)
  );
}

function has(facts: ErrorFacts, codes: Set<string>): boolean {
  return [...facts.codes].some((code) => codes.has(code));
}

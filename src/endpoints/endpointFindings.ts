import type { ChatAttempt, ModelList } from '../platform/chatModel/callChat.js';
import type { CallOutcome } from '../platform/chatModel/types.js';

export type Check = 'REACHABLE' | 'KEY_VALID' | 'MODEL_FOUND' | 'JSON_SCHEMA' | 'SPEED';

export interface Finding {
  check: Check;
  /** Null: it could not be found out. */
  passed: boolean | null;
  /** What was found, and what to do when it did not pass. */
  message: string;
}

export interface EndpointTest {
  /** Null: there was no model to ask. */
  model: string | null;
  findings: Finding[];
  /** Of the call that succeeded; null when none did. */
  latencyMs: number | null;
  /** Tiny calls that were made: 0 to 2. */
  calls: number;
}

/** An attempt, and whether it asked for JSON by schema. */
export interface Tried {
  attempt: ChatAttempt;
  withSchema: boolean;
}

/**
 * What the list of models and the calls say, one finding for each check.
 *
 * @param list null: it was not asked for
 * @param known findings that go before all others
 */
export function findingsOf(
  model: string | null,
  list: ModelList | null,
  tried: Tried[],
  known: Finding[] = [],
): EndpointTest {
  const outcomes: CallOutcome[] = [...tried.map(({ attempt }) => attempt).reverse()];
  if (list !== null && 'outcome' in list && (tried.length === 0 || refusesAll(list))) outcomes.push(list.outcome);
  const listed = list !== null && 'names' in list ? list.names : null;
  const found = new Map<Check, Finding>();
  const candidates = [
    ...known,
    ...(listed !== null || outcomes.some(spoke) ? [passed('REACHABLE', 'The provider answers.')] : []),
    ...outcomes.flatMap(refusalOfAll),
    ...keyFinding(outcomes, listed),
    ...modelFinding(model, tried, listed),
    ...schemaFinding(tried),
  ];
  for (const finding of candidates) if (!found.has(finding.check)) found.set(finding.check, finding);
  const ok = tried.find(({ attempt }) => attempt.kind === 'ok')?.attempt ?? null;
  if (ok !== null) found.set('SPEED', passed('SPEED', `A tiny call took ${ok.latencyMs} ms.`));
  const missing = notFoundOut(model, tried);
  return {
    model,
    findings: CHECKS.map((check) => found.get(check) ?? { check, passed: null, message: missing }),
    latencyMs: ok?.latencyMs ?? null,
    calls: tried.length,
  };
}

/** The list says already that no call can succeed. */
export function refusesAll(list: ModelList): boolean {
  if ('names' in list || list.outcome.kind === 'ok') return false;
  return list.outcome.status === null || (list.outcome.kind === 'fail' && list.outcome.reason === 'auth');
}

const CHECKS: readonly Check[] = ['REACHABLE', 'KEY_VALID', 'MODEL_FOUND', 'JSON_SCHEMA', 'SPEED'];

/** An HTTP reply has come, whatever it says, unless it sends us elsewhere. */
const spoke = (outcome: CallOutcome): boolean =>
  outcome.kind === 'ok' || (outcome.status !== null && !(outcome.kind === 'fail' && outcome.reason === 'redirect'));

function keyFinding(outcomes: CallOutcome[], listed: string[] | null): Finding[] {
  if (outcomes.some(readRequest)) return [passed('KEY_VALID', 'The key (or none) is accepted.')];
  if (listed === null) return [];
  const message = 'The list of models was given, which some providers do without a key: test with a model.';
  return [{ check: 'KEY_VALID', passed: null, message }];
}

const passed = (check: Check, message: string): Finding => ({ check, passed: true, message });

function notFoundOut(model: string | null, tried: Tried[]): string {
  if (model === null) return 'Not tried: name a model, or give the endpoint a default one.';
  const last = tried.at(-1)?.attempt;
  return last === undefined || last.kind === 'ok'
    ? 'Not tried, because of what went before.'
    : `Not found out: ${last.message}`;
}

/** The provider has read the request and has something to say about it. */
function readRequest(outcome: CallOutcome): boolean {
  if (outcome.kind === 'ok' || outcome.kind === 'fallback') return true;
  return outcome.kind === 'fail' && ['model_not_found', 'content_filter', 'truncated'].includes(outcome.reason);
}

/** What is wrong for every call, as findings; none when nothing is. */
function refusalOfAll(outcome: CallOutcome): Finding[] {
  if (outcome.kind === 'ok' || outcome.kind === 'fallback') return [];
  const { reason, message, status } = outcome;
  const advice = keyAdvice[reason];
  if (advice !== undefined) {
    return [{ check: 'KEY_VALID', passed: false, message: `${advice} The provider says: ${message}` }];
  }
  if (status !== null && reason !== 'redirect') return [];
  return [{ check: 'REACHABLE', passed: false, message: `${addressAdvice(reason)} What happened: ${message}` }];
}

const keyAdvice: Partial<Record<string, string>> = {
  auth: 'The key is not accepted: store another with updateModelEndpoint.',
  billing: 'The account has no credit left: see to it there.',
  quota: 'The account has used up its quota: see to it there.',
  forbidden: 'The key may not do this: give it the right, or use another.',
};

function addressAdvice(reason: string): string {
  switch (reason) {
    case 'endpoint_not_found':
      return 'The base URL leads nowhere: check its host and port.';
    case 'tls':
      return 'The certificate is not trusted: check https, the host name and the certificate.';
    case 'redirect':
      return 'The address redirects elsewhere: use the final address as base URL.';
    case 'address_blocked':
      return 'This address may not be called from here.';
    case 'timeout':
      return 'No answer in time: is the server up, and not overloaded?';
    default:
      return 'No connection: is the server running, and are host and port right?';
  }
}

function modelFinding(model: string | null, tried: Tried[], listed: string[] | null): Finding[] {
  if (model === null) return [];
  const last = tried.at(-1)?.attempt;
  if (last?.kind === 'fail' && (last.reason === 'model_not_found' || last.reason === 'endpoint_not_found')) {
    const names = listed === null || listed.length === 0 ? '' : ` It lists, among others: ${some(listed)}.`;
    const advice =
      last.reason === 'model_not_found'
        ? `The provider does not serve the model “${model}”: check its name.${names}`
        : 'There is no /chat/completions below the base URL: it must end with the version, such as /v1.';
    return [{ check: 'MODEL_FOUND', passed: false, message: `${advice} The provider says: ${last.message}` }];
  }
  if (tried.some(({ attempt }) => attempt.kind === 'ok' || (attempt.kind === 'fail' && attempt.reason === 'truncated')))
    return [passed('MODEL_FOUND', `The model “${model}” answers.`)];
  if (listed?.includes(model)) return [passed('MODEL_FOUND', `The model “${model}” is listed.`)];
  return [];
}

const some = (names: string[]): string => names.slice(0, 5).join(', ');

function schemaFinding(tried: Tried[]): Finding[] {
  const check = 'JSON_SCHEMA';
  const refused = tried.some(({ attempt }) => attempt.kind === 'fallback' && attempt.change === 'response_format');
  if (refused) {
    const words =
      'JSON by schema is refused. Grading works all the same, by plain JSON or text, with more repeated calls: ' +
      'as a grader a model with schemas is better.';
    return [{ check, passed: false, message: words }];
  }
  const ok = tried.find(({ attempt, withSchema }) => attempt.kind === 'ok' && withSchema)?.attempt;
  if (ok?.kind !== 'ok') return [];
  if (keepsSchema(ok.reply.text)) return [passed(check, 'Replies with JSON by schema.')];
  if (ok.reply.finishReason === 'length') return [];
  const words =
    'JSON by schema is accepted but not kept. Expect repeated calls when this model grades; a newer server or ' +
    'another model may keep it.';
  return [{ check, passed: false, message: words }];
}

function keepsSchema(text: string): boolean {
  try {
    return typeof JSON.parse(text)?.ready === 'boolean';
  } catch {
    return false;
  }
}

import { isPlainRefusal, replyText, trimInvisible } from './graderReplyText.js';
import { decideVerdict } from './verdictDecision.js';
import { isJson, searchVerdicts, wholeObject } from './verdictSearch.js';
import { isSilent } from './verdictText.js';

/** A grader's message as received. Reasoning fields have no place here: a verdict never comes from them. */
export interface GraderMessage {
  /** Text, null, or a list of parts. */
  content: unknown;
  finishReason: string | null;
  refusal?: unknown;
}

/**
 * A verdict, or why there is none: `truncated` (cut by the token limit before the verdict was closed), `empty`,
 * `refusal`, `not_boolean` (`criteria_met` is there but neither true nor false), `unparseable` (all else, also
 * verdicts that disagree).
 */
export type GraderReply =
  | { criteriaMet: boolean; explanation: string }
  | { error: 'truncated' | 'empty' | 'refusal' | 'not_boolean' | 'unparseable'; detail: string };

const CUT = ['length', 'max_tokens', 'max_output_tokens', 'model_length'];
const FILTERED = ['content_filter', 'safety', 'refusal', 'prohibited_content', 'blocklist', 'recitation', 'spii'];

/**
 * Reads the verdict out of a grader's message. What is ambiguous is an error that can be tried again; it never
 * becomes a verdict. The untouched text is parsed first; only then are fences, prose and reasoning stepped over.
 */
export function readGraderReply(message: GraderMessage): GraderReply {
  const finish = (message.finishReason ?? '').toLowerCase();
  if (isPresent(message.refusal)) return { error: 'refusal', detail: 'The message has a refusal.' };
  if (FILTERED.includes(finish)) return { error: 'refusal', detail: `The reply was stopped: ${finish}.` };
  const content = replyText(message.content);
  if ('refusal' in content) return { error: 'refusal', detail: content.refusal };
  const cut = CUT.includes(finish);
  const text = trimInvisible(content.text);
  if (text === '') return cut ? truncated() : { error: 'empty', detail: 'The message has no content.' };
  return readText(text, cut);
}

function readText(text: string, cut: boolean): GraderReply {
  if (isJson(text)) {
    const whole = wholeObject(text);
    return whole ? decideVerdict([whole], '') : unparseable('The reply is JSON but not an object.', cut);
  }
  const found = searchVerdicts(text);
  if ('broken' in found) return unparseable(found.broken, cut);
  if (found.candidates.length === 0) {
    if (isPlainRefusal(found.outside)) return { error: 'refusal', detail: 'The grader declined in words.' };
    return unparseable('The reply holds no object with criteria_met.', cut);
  }
  // A verdict may have been about to be taken back.
  if (cut && !isSilent(found.afterLast)) return truncated();
  return decideVerdict(found.candidates, found.outside);
}

function unparseable(detail: string, cut: boolean): GraderReply {
  return cut ? truncated() : { error: 'unparseable', detail };
}

function truncated(): GraderReply {
  return { error: 'truncated', detail: 'The reply was cut by the token limit before its verdict was complete.' };
}

function isPresent(refusal: unknown): boolean {
  return refusal !== undefined && refusal !== null && refusal !== false && refusal !== '';
}

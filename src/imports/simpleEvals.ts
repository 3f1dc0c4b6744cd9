import { isObject } from '../healthbench/jsonObject.js';
import { contentAt, countOf, itemAt, listAt, messagesAt, objectAt, textAt } from './importedFields.js';
import { ImportError, type ImportedConversation, type ImportedReply } from './importedRun.js';

/** What its chat sampler writes in place of a reply when the provider refuses the request. */
const REFUSED_REQUEST = 'No response (bad request).';

/**
 * One entry of `metadata.example_level_metadata` in the result file of simple-evals.
 * Source: HealthBench reference (simple-evals), and the forks that add `error`.
 */
export function simpleEvalsConversation(value: unknown, place: string): ImportedConversation {
  const entry = objectAt(value, place);
  const promptId = textAt(entry.prompt_id, `${place}.prompt_id`);
  const messages = messagesAt(entry.prompt, `${place}.prompt`);
  const failure = failureOf(entry.error);
  if (failure !== null) return { place, promptId, messages, reply: failure, items: [] };
  const text = replyText(entry.completion, `${place}.completion`);
  if (text === REFUSED_REQUEST) {
    const message = 'The provider refused the request; the text that stands for a reply was graded all the same.';
    return { place, promptId, messages, reply: { reason: 'bad_request', message }, items: [] };
  }
  const items = listAt(entry.rubric_items, `${place}.rubric_items`);
  return {
    place,
    promptId,
    messages,
    reply: { text, ...usageOf(entry.usage) },
    items: items.map((item, at) => itemAt(item, `${place}.rubric_items[${at}]`)),
  };
}

function failureOf(error: unknown): { reason: string; message: string } | null {
  if (error === undefined || error === null || error === '') return null;
  const message = typeof error === 'string' ? error : JSON.stringify(error);
  return { reason: 'no_reply', message: message.toWellFormed().replaceAll('\u0000', '') };
}

function replyText(completion: unknown, place: string): string {
  if (typeof completion === 'string') return textAt(completion, place);
  const last = listAt(completion, place).at(-1);
  if (last === undefined) throw new ImportError(place, 'holds no message.');
  return contentAt(objectAt(last, place).content ?? '', `${place}.content`);
}

function usageOf(usage: unknown): Omit<ImportedReply, 'text'> {
  const said = isObject(usage) ? usage : {};
  return {
    promptTokens: countOf(said.input_tokens) ?? countOf(said.prompt_tokens),
    completionTokens: countOf(said.output_tokens) ?? countOf(said.completion_tokens),
    cachedTokens: countOf(said.input_cached_tokens),
    reasoningTokens: countOf(said.output_reasoning_tokens),
  };
}

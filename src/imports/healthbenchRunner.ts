import { itemAt, listAt, objectAt, textAt } from './importedFields.js';
import type { ImportedConversation } from './importedRun.js';

/** One entry of `example_results` in a result file of healthbench-runner. */
export function runnerConversation(value: unknown, place: string): ImportedConversation {
  const entry = objectAt(value, place);
  const promptId = textAt(entry.prompt_id, `${place}.prompt_id`);
  const items = listAt(entry.rubric_results, `${place}.rubric_results`);
  const text = typeof entry.model_response === 'string' ? textAt(entry.model_response, place) : '';
  // It writes a conversation without a reply as one of 0 points.
  if (items.length === 0 || text.trim() === '') {
    const message = 'The file holds no reply to this conversation; that harness counts it as 0.';
    return { place, promptId, reply: { reason: 'no_reply', message }, items: [] };
  }
  const unreported = { promptTokens: null, completionTokens: null, cachedTokens: null, reasoningTokens: null };
  return {
    place,
    promptId,
    reply: { text, ...unreported },
    items: items.map((item, at) => itemAt(item, `${place}.rubric_results[${at}]`)),
  };
}

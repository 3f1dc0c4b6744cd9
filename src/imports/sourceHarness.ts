import { itemAt, listAt, messagesAt, objectAt, someNumber, someText, textAt } from './importedFields.js';
import { ImportError, type ImportedConversation, type ModelFacts, type RunFacts } from './importedRun.js';

/**
 * One line of `results.jsonl`. The conversation's id stands in its graded items only, and of a criterion only its
 * points.
 */
export function harnessConversation(line: number, value: unknown): ImportedConversation {
  const place = `Line ${line}`;
  const record = objectAt(value, place);
  const list = listAt(record.rubrics, `${place}: rubrics`);
  const ids = new Set(
    list.map((item, at) =>
      textAt(objectAt(item, `${place}: rubrics[${at}]`).prompt_id, `${place}: rubrics[${at}].prompt_id`),
    ),
  );
  const [promptId] = ids;
  if (promptId === undefined)
    throw new ImportError(place, 'rubrics is empty, so nothing says which conversation it is.');
  if (ids.size > 1)
    throw new ImportError(place, `rubrics name several conversations: ${[...ids].slice(0, 3).join(', ')}.`);
  const unreported = { promptTokens: null, completionTokens: null, cachedTokens: null, reasoningTokens: null };
  return {
    place,
    promptId,
    messages: messagesAt(record.prompt, `${place}: prompt`),
    reply: { text: textAt(record.completion, `${place}: completion`), ...unreported },
    items: list.map((item, at) => itemAt(item, `${place}: rubrics[${at}]`)),
  };
}

/** What `description.md` says, by its labelled lines; it is empty for a text that has none of them. */
export function harnessFacts(description: string): Partial<RunFacts> {
  const said = new Map<string, string>();
  for (const line of description.split(/\r?\n/)) {
    const [, label, value] = /^\W*([A-Za-z ]+?)\W*:\**\s*(.*?)\s*$/.exec(line) ?? [];
    if (label !== undefined && value) said.set(label.toLowerCase(), value);
  }
  const dataset = someText(said.get('dataset'));
  const recordedAt = someText(said.get('timestamp'));
  const score = someNumber(Number(said.get('score') ?? Number.NaN));
  return {
    modelUnderTest: modelFacts(said.get('model evaluated'), said.get('model evaluated reasoning effort')),
    grader: modelFacts(said.get('model grader'), said.get('model grader reasoning effort')),
    ...(dataset === undefined ? {} : { dataset }),
    ...(recordedAt === undefined ? {} : { recordedAt }),
    ...(score === undefined ? {} : { score }),
  };
}

function modelFacts(model: string | undefined, effort: string | undefined): ModelFacts {
  return {
    ...(model === undefined ? {} : { model }),
    ...(effort === undefined ? {} : { reasoningEffort: /^(none|null)$/i.test(effort) ? null : effort.toLowerCase() }),
  };
}

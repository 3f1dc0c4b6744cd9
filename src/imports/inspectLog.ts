import { isObject, type JsonObject } from '../healthbench/jsonObject.js';
import { contentAt, countOf, messagesAt, objectAt, someNumber, someText, textAt, verdictOf } from './importedFields.js';
import {
  ImportError,
  type ImportedConversation,
  type ImportedItem,
  type ImportedReply,
  type ModelFacts,
  type RubricLine,
  type RunFacts,
} from './importedRun.js';

/**
 * One of `samples` in a log of Inspect. Verdicts are read from the scorer of openbench, the one whose shape is known:
 * its explanation lists every criterion with a mark and the grader's reason.
 */
export function inspectConversation(value: unknown, place: string): ImportedConversation {
  const sample = objectAt(value, place);
  const metadata = isObject(sample.metadata) ? sample.metadata : {};
  const promptId = someText(metadata.prompt_id) ?? textAt(sample.id, `${place}.id`);
  const sent = sentMessages(sample, place);
  const text = completionOf(sample.output);
  const of = { place, promptId, ...(sent === undefined ? {} : { messages: sent }), items: [] };
  if (isObject(sample.error) || text === undefined) {
    const error = isObject(sample.error) ? someText(sample.error.message) : undefined;
    return { ...of, reply: { reason: 'no_reply', message: error ?? 'The log holds no reply to this sample.' } };
  }
  const explanation = explanationOf(sample.scores, place);
  return {
    ...of,
    reply: { text, ...usageOf(sample.output) },
    itemsOf: (rubric) => explainedItems(explanation, rubric, `${place}.scores`),
  };
}

/** What was sent: all messages up to the reply. */
function sentMessages(sample: JsonObject, place: string) {
  if (!Array.isArray(sample.messages) || sample.messages.length === 0) return undefined;
  const messages = messagesAt(sample.messages, `${place}.messages`);
  return messages.at(-1)?.role === 'assistant' ? messages.slice(0, -1) : messages;
}

function completionOf(output: unknown): string | undefined {
  if (!isObject(output)) return undefined;
  const [choice] = Array.isArray(output.choices) ? output.choices : [];
  const message = isObject(choice) && isObject(choice.message) ? choice.message : null;
  if (message?.content !== undefined && message.content !== null) return contentAt(message.content, 'output');
  return typeof output.completion === 'string' ? output.completion : undefined;
}

function usageOf(output: unknown): Omit<ImportedReply, 'text'> {
  const usage = isObject(output) && isObject(output.usage) ? output.usage : {};
  return {
    promptTokens: countOf(usage.input_tokens),
    completionTokens: countOf(usage.output_tokens),
    cachedTokens: countOf(usage.input_tokens_cache_read),
    reasoningTokens: countOf(usage.reasoning_tokens),
  };
}

const MARKED = /^\[?([✓✗])\]?[ \t]+(?=\[)/;

/** The explanation that lists the criteria; null when the sample was never scored. @throws ImportError for another shape */
function explanationOf(scores: unknown, place: string): string | null {
  const found = isObject(scores) ? Object.values(scores).filter(isObject) : [];
  if (found.length === 0) return null;
  const listing = found
    .map(({ explanation }) => explanation)
    .find((text) => typeof text === 'string' && MARKED.test(text));
  if (typeof listing === 'string') return listing;
  throw new ImportError(
    `${place}.scores`,
    'No score lists the criteria as the scorer of openbench does, so the verdicts are not in this log in a known shape.',
  );
}

/** Each criterion has a block of its own: the mark, `[points] text`, and the reason on the lines after it. */
function explainedItems(explanation: string | null, rubric: readonly RubricLine[], place: string): ImportedItem[] {
  if (explanation === null) {
    const verdict = { reason: 'no_verdict', message: 'The log holds no score for this sample.' };
    return rubric.map(() => ({ place, verdict }));
  }
  const blocks = explanation.split(/\n\n(?=\[?[✓✗]\]?[ \t]+\[)/);
  const items = rubric.map((line): ImportedItem => {
    const heads = [`[${line.pointsText}] ${line.text}`, `[${line.points}] ${line.text}`];
    const at = blocks.findIndex((block) => heads.some((head) => startsWith(block.replace(MARKED, ''), head)));
    const [block] = at < 0 ? [] : blocks.splice(at, 1);
    if (block === undefined) {
      throw new ImportError(place, `says nothing of the criterion “${line.text.slice(0, 80)}” of the dataset.`);
    }
    const head = heads.find((one) => startsWith(block.replace(MARKED, ''), one)) ?? '';
    const reason = block.replace(MARKED, '').slice(head.length).trim();
    return { place, points: line.points, text: line.text, verdict: verdictOf(MARKED.exec(block)?.[1] === '✓', reason) };
  });
  const [left] = blocks;
  if (left === undefined) return items;
  throw new ImportError(place, `lists a criterion that the dataset does not have: ${left.slice(0, 80)}`);
}

const startsWith = (block: string, head: string): boolean => block === head || block.startsWith(`${head}\n`);

/** What `eval`, `plan` and `results` of a log say of the run. */
export function inspectFacts(said: JsonObject): Partial<RunFacts> {
  const evaluation = isObject(said.eval) ? said.eval : {};
  const taskArgs = isObject(evaluation.task_args) ? evaluation.task_args : {};
  const grader = someText(taskArgs.grader_model);
  const dataset = isObject(evaluation.dataset) ? someText(evaluation.dataset.name) : undefined;
  const recordedAt = someText(evaluation.created);
  const score = accuracyOf(said.results);
  return {
    modelUnderTest: modelFacts(evaluation, said.plan),
    grader: grader === undefined ? {} : { model: grader },
    ...(dataset === undefined ? {} : { dataset }),
    ...(recordedAt === undefined ? {} : { recordedAt }),
    ...(score === undefined ? {} : { score }),
  };
}

/** A parameter that is null in a log may have been set by the provider's class of Inspect: it stays unknown. */
function modelFacts(evaluation: JsonObject, plan: unknown): ModelFacts {
  const model = someText(evaluation.model);
  const planned = isObject(plan) && isObject(plan.config) ? plan.config : {};
  const own = isObject(evaluation.model_generate_config) ? evaluation.model_generate_config : {};
  const config = { ...planned, ...Object.fromEntries(Object.entries(own).filter(([, set]) => set !== null)) };
  const [temperature, maxTokens] = [someNumber(config.temperature), countOf(config.max_tokens)];
  const effort = someText(config.reasoning_effort);
  return {
    ...(model === undefined ? {} : { model }),
    ...(temperature === undefined ? {} : { temperature }),
    ...(maxTokens === null ? {} : { maxTokens }),
    ...(effort === undefined ? {} : { reasoningEffort: effort }),
  };
}

function accuracyOf(results: unknown): number | undefined {
  const [first] = isObject(results) && Array.isArray(results.scores) ? results.scores : [];
  const metrics = isObject(first) && isObject(first.metrics) ? first.metrics : {};
  return isObject(metrics.accuracy) ? someNumber(metrics.accuracy.value) : undefined;
}

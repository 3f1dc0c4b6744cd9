import type { Message } from '../healthbench/conversation.js';
import { isObject, type JsonObject } from '../healthbench/jsonObject.js';
import { storableText } from '../healthbench/storableText.js';
import { ImportError, type ImportedItem, type ImportedVerdict } from './importedRun.js';

/** What fields of another harness' file hold; each throws ImportError that names the place. */
export function objectAt(value: unknown, place: string): JsonObject {
  if (isObject(value)) return value;
  throw new ImportError(place, 'must be an object.');
}

export function listAt(value: unknown, place: string): unknown[] {
  if (Array.isArray(value)) return value;
  throw new ImportError(place, 'must be a list.');
}

export function textAt(value: unknown, place: string): string {
  if (typeof value === 'string') return storableText(value);
  throw new ImportError(place, 'must be a text.');
}

/** A whole number that a file reports of a call; null for anything else. */
export const countOf = (value: unknown): number | null =>
  typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 && value < 2 ** 31 ? value : null;

/** A text with something in it, or undefined. */
export const someText = (value: unknown): string | undefined =>
  typeof value === 'string' && value.trim() !== '' ? storableText(value.trim()) : undefined;

/** A finite number, or undefined. */
export const someNumber = (value: unknown): number | undefined =>
  typeof value === 'number' && Number.isFinite(value) ? value : undefined;

/** Messages as they were sent. */
export function messagesAt(value: unknown, place: string): Message[] {
  return listAt(value, place).map((item, at) => {
    const message = objectAt(item, `${place}[${at}]`);
    return {
      role: textAt(message.role, `${place}[${at}].role`),
      content: contentAt(message.content, `${place}[${at}].content`),
    };
  });
}

/** A text, or the texts of a list of parts. */
export function contentAt(value: unknown, place: string): string {
  if (!Array.isArray(value)) return textAt(value, place);
  return value
    .map((part, at) => (typeof part === 'string' ? part : textAt(objectAt(part, place).text, `${place}[${at}].text`)))
    .join('');
}

/** Explanations that tell of a failure where a harness has written "not met". */
const DISGUISED: readonly [RegExp, string][] = [
  [/^Grading error:/, 'grading_error'],
  [/^Invalid grading response format:/, 'unparseable'],
];

/** A verdict, or why it is none: only true and false are verdicts, and known failures are not. */
export function verdictOf(criteriaMet: unknown, explanation: unknown): ImportedVerdict {
  const text = typeof explanation === 'string' ? storableText(explanation) : '';
  const failure = DISGUISED.find(([pattern]) => pattern.test(text.trimStart()));
  if (failure !== undefined) return { reason: failure[1], message: text };
  if (criteriaMet === undefined || criteriaMet === null) {
    return { reason: 'no_verdict', message: text || 'The file holds no verdict for this criterion.' };
  }
  if (typeof criteriaMet === 'boolean') return { criteriaMet, explanation: text };
  const shown = storableText(JSON.stringify(criteriaMet)).slice(0, 60);
  return { reason: 'not_boolean', message: `criteria_met is ${shown}, not true or false.` };
}

/** An item of a rubric with its verdict, as most harnesses write it. */
export function itemAt(value: unknown, place: string): ImportedItem {
  const item = objectAt(value, place);
  if (typeof item.points !== 'number') throw new ImportError(`${place}.points`, 'must be a number.');
  const text = item.criterion === undefined ? {} : { text: textAt(item.criterion, `${place}.criterion`) };
  return { place, points: item.points, ...text, verdict: verdictOf(item.criteria_met, item.explanation) };
}

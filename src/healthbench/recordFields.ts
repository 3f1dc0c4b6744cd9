import type { Criterion, Message } from './conversation.js';
import { isObject, type JsonObject } from './jsonObject.js';
import { storableText } from './storableText.js';

/** A record cannot be used; the message says what is wrong and what to do. */
export class RecordError extends Error {
  override readonly name = 'RecordError';
}

/** A number together with the way the file writes it, which `JSON.parse` alone would lose. */
class PointsToken {
  constructor(
    readonly value: number,
    readonly source: string,
  ) {}
}

/**
 * Parses a line that must hold one JSON object, keeping the source of every `points` number.
 * @throws RecordError when it holds anything else.
 */
export function parseJson(line: string): JsonObject {
  if (line.includes('\u0000')) {
    throw new RecordError(
      'The line holds a raw zero byte (U+0000), so the file is damaged or not text. Export it again.',
    );
  }
  const value = parseKeepingPoints(line);
  if (!isObject(value)) {
    throw new RecordError(`The line holds ${nameOf(value)}, not an object. Write one JSON object per line (JSONL).`);
  }
  return value;
}

function parseKeepingPoints(line: string): unknown {
  // The third argument of a reviver is younger than the types: https://github.com/tc39/proposal-json-parse-with-source
  const reviver = (key: string, value: unknown, context?: { source: string }): unknown =>
    key === 'points' && typeof value === 'number' && context ? new PointsToken(value, context.source) : value;
  try {
    return JSON.parse(line, reviver);
  } catch (error) {
    if (error instanceof RangeError) throw new RecordError('The JSON is nested too deeply to be a record.');
    const reason = storableText(error instanceof Error ? error.message : String(error)).slice(0, 200);
    throw new RecordError(`Not valid JSON: ${reason}. Each line must hold exactly one whole JSON object (JSONL).`);
  }
}

/** @throws RecordError unless the field is a text with something in it. */
export function requiredText(value: unknown, field: string): string {
  if (value === undefined || value === null) throw new RecordError(`${field} is missing. It must be a text.`);
  if (typeof value !== 'string') throw new RecordError(`${field} is ${nameOf(value)}. It must be a text.`);
  const text = storableText(value);
  if (text.trim() === '') throw new RecordError(`${field} is blank. It must hold some text.`);
  return text;
}

/** The text, or null where the field is absent or null. @throws RecordError when it is something else. */
export function optionalText(value: unknown, field: string): string | null {
  if (value === undefined || value === null) return null;
  if (typeof value !== 'string') throw new RecordError(`${field} is ${nameOf(value)}. It must be a text or left out.`);
  return storableText(value);
}

const ROLES = ['system', 'developer', 'user', 'assistant'];

/** Messages of a conversation that waits for a reply. @throws RecordError when it does not. */
export function readMessages(value: unknown, field: string, warnings: string[]): Message[] {
  const messages = requiredList(value, field).map((item, at) => {
    const place = `${field}[${at}]`;
    if (!isObject(item)) throw new RecordError(`${place} is ${nameOf(item)}. It must be {"role", "content"}.`);
    const role = requiredText(item.role, `${place}.role`);
    if (!ROLES.includes(role)) {
      throw new RecordError(`${place}.role is "${role.slice(0, 40)}". It must be one of ${ROLES.join(', ')}.`);
    }
    return { role, content: messageContent(item.content, `${place}.content`) };
  });
  const last = messages.at(-1);
  if (last?.role !== 'user') {
    throw new RecordError(`${field} ends with a ${last?.role} message. It must end with a user message to reply to.`);
  }
  if (last.content.trim() === '') throw new RecordError(`The last message of ${field} is blank: nothing to reply to.`);
  const blank = messages.findIndex(({ content }) => content.trim() === '');
  if (blank >= 0) warnings.push(`${field}[${blank}].content is blank.`);
  return messages;
}

function messageContent(value: unknown, field: string): string {
  if (value === undefined || value === null) throw new RecordError(`${field} is missing. It must be a text.`);
  if (typeof value !== 'string') throw new RecordError(`${field} is ${nameOf(value)}. It must be a text.`);
  return storableText(value);
}

/** Reads a rubric; `readTags` may be left out for formats whose criteria carry none. @throws RecordError */
export function readCriteria(
  value: unknown,
  field: string,
  textKey: string,
  readTags?: (item: JsonObject, place: string) => string[],
): Criterion[] {
  return requiredList(value, field).map((item, at) => {
    const place = `${field}[${at}]`;
    if (!isObject(item)) throw new RecordError(`${place} is ${nameOf(item)}. It must be an object.`);
    return {
      text: requiredText(item[textKey], `${place}.${textKey}`),
      ...readPoints(item.points, `${place}.points`),
      tags: readTags?.(item, place) ?? [],
    };
  });
}

function readPoints(value: unknown, field: string): { points: number; pointsText: string } {
  if (value === undefined) throw new RecordError(`${field} is missing. It must be a number.`);
  if (typeof value === 'number') throw new Error('JSON.parse gives no source text: Node.js 22.12 or newer is needed.');
  if (!(value instanceof PointsToken)) {
    throw new RecordError(`${field} is ${nameOf(value)}. It must be a number without quotes.`);
  }
  if (!Number.isFinite(value.value)) {
    throw new RecordError(`${field} is ${value.source.slice(0, 40)}, which is too large for a number.`);
  }
  return { points: value.value, pointsText: value.source };
}

/** Tags without repetition; absent and null count as none, with a warning. @throws RecordError */
export function readTags(value: unknown, field: string, warnings: string[]): string[] {
  if (value === undefined || value === null) {
    warnings.push(`${field} is missing; read as no tags.`);
    return [];
  }
  if (!Array.isArray(value)) {
    throw new RecordError(`${field} is ${nameOf(value)}. It must be a list of texts such as ["axis:accuracy"].`);
  }
  const tags = value.map((tag, at) => requiredText(tag, `${field}[${at}]`));
  const repeated = tags.find((tag, at) => tags.indexOf(tag) !== at);
  if (repeated !== undefined) {
    throw new RecordError(`${field} lists "${repeated.slice(0, 80)}" twice, which would count it twice. Remove one.`);
  }
  return tags;
}

function requiredList(value: unknown, field: string): unknown[] {
  if (value === undefined || value === null) throw new RecordError(`${field} is missing. It must be a list.`);
  if (!Array.isArray(value)) throw new RecordError(`${field} is ${nameOf(value)}. It must be a list.`);
  if (value.length === 0) throw new RecordError(`${field} is empty. It must have at least one entry.`);
  return value;
}

function nameOf(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'a list';
  if (value instanceof PointsToken) return 'a number';
  const names: Record<string, string> = { string: 'a text', number: 'a number', boolean: 'true or false' };
  return names[typeof value] ?? 'an object';
}

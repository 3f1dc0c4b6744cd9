import { jsonrepair } from 'jsonrepair';
import { isObject, type JsonObject } from './jsonObject.js';
import { scanObject, type VerdictKey } from './lenientJson.js';
import { storableText } from './storableText.js';
import type { Candidate } from './verdictSearch.js';
import { contradicts, isSilent } from './verdictText.js';

export type VerdictDecision =
  | { criteriaMet: boolean; explanation: string }
  | { error: 'not_boolean' | 'unparseable'; detail: string };

/**
 * Decides what a reply says, from its objects that speak of `criteria_met` (at least one) and from the prose around them.
 * All of them have to agree, repeated keys and nested objects included.
 */
export function decideVerdict(candidates: readonly Candidate[], outside: string): VerdictDecision {
  const direct = candidates.filter(({ verdicts }) => verdicts.some(({ exact, depth }) => exact && depth === 1));
  if (direct.length === 0) return unparseable('No object has a key criteria_met of its own.');
  const keys = candidates.flatMap(({ verdicts }) => verdicts).filter((key) => !isSchema(key));
  const values = new Set(keys.map(({ value }) => readBoolean(value)));
  if (values.size > 1) return unparseable('The reply holds verdicts that disagree.');
  const [criteriaMet] = values;
  if (typeof criteriaMet !== 'boolean') {
    return { error: 'not_boolean', detail: `criteria_met is ${keys[0]?.value.slice(0, 60)}, not true or false.` };
  }
  const answers = direct.filter(({ quoted }) => !quoted);
  if (answers.length === 0) return unparseable('The verdict is only mentioned within a sentence.');
  if (contradicts(outside, criteriaMet)) return unparseable('The text around the verdict says something else.');
  return answerOf(answers, criteriaMet, candidates.length === 1 && isSilent(outside));
}

/** The last well-formed answer; repaired ones count only where they are the whole reply. */
function answerOf(answers: readonly Candidate[], criteriaMet: boolean, alone: boolean): VerdictDecision {
  const strict = answers.findLast((answer) => answer.strict);
  const object = strict ? JSON.parse(strict.source) : alone ? repaired(answers[0]) : null;
  if (!isObject(object) || object.criteria_met !== criteriaMet) return unparseable('The object is not valid JSON.');
  return { criteriaMet, explanation: explanationOf(object) };
}

/** The repair guesses, so the number of verdict keys must be the same after it. */
function repaired(answer: Candidate | undefined): unknown {
  if (!answer) return null;
  try {
    const text = jsonrepair(withSoundEscapes(answer.source));
    const object: unknown = JSON.parse(text);
    return scanObject(text, 0)?.verdicts.length === answer.verdicts.length ? object : null;
  } catch {
    return null;
  }
}

/** jsonrepair gives up at control characters other than line breaks and tabs, and drops the backslash of `\(`. */
function withSoundEscapes(source: string): string {
  const escaped = source.replace(/\\(u[0-9a-fA-F]{4}|[\s\S])/g, (whole, character: string) =>
    /^(?:["'\\/bfnrt]|u.{4})$/.test(character) ? whole : `\\${whole}`,
  );
  return escaped.replace(/\p{Cc}/gu, (character) =>
    /\s/.test(character) ? character : `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

function explanationOf(object: JsonObject): string {
  const value = Object.hasOwn(object, 'explanation') ? object.explanation : null;
  if (value === null || value === undefined) return '';
  if (Array.isArray(value)) return storableText(value.map(asText).join('\n'));
  return storableText(asText(value));
}

function asText(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/** A nested object or list under the key describes the verdict, as an echoed JSON schema does. */
function isSchema({ depth, value }: VerdictKey): boolean {
  return depth > 1 && /^[[{]/.test(value);
}

/** JSON's spelling and Python's; whatever else is no boolean. */
function readBoolean(value: string): boolean | null {
  if (value === 'true' || value === 'True') return true;
  return value === 'false' || value === 'False' ? false : null;
}

function unparseable(detail: string): VerdictDecision {
  return { error: 'unparseable', detail };
}

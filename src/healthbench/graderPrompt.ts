import { createHash } from 'node:crypto';
import { BUILT_IN_NAME, BUILT_IN_TEXT } from './builtInTemplateText.js';
import type { Message } from './conversation.js';

/** A grader prompt with slots. The text is trimmed; the sha256 (hex) is over that text in UTF-8, slots included. */
export interface GraderTemplate {
  name: string;
  text: string;
  sha256: string;
  /** REFERENCE: `<<conversation>>`, `<<rubric_item>>`. HARNESS: `{prompt}`, `{completion}`, `{criterion}`. */
  syntax: 'REFERENCE' | 'HARNESS';
  /** Who is known to use exactly this text, or null. */
  recognised: string | null;
}

/** What a grader is asked about one criterion of one reply. */
export interface GraderInput {
  /** As they were sent to the model under test, a system message included. */
  messages: readonly Message[];
  reply: string;
  /** With `pointsText` null the criterion stands bare, as in the meta-evaluation. */
  criterion: { text: string; pointsText: string | null };
}

/** The reply to ask a grader for: the `json_schema` of a `response_format`. */
export const GRADER_SCHEMA = {
  name: 'grading_result',
  schema: {
    type: 'object',
    properties: { explanation: { type: 'string' }, criteria_met: { type: 'boolean' } },
    required: ['explanation', 'criteria_met'],
    additionalProperties: false,
  },
};

const CONVERSATION = '<<conversation>>';
const RUBRIC_ITEM = '<<rubric_item>>';
const HARNESS_SLOTS = ['{prompt}', '{completion}', '{criterion}'];

const BUILT_IN_SHA256 = sha256Of(BUILT_IN_TEXT);

/** Templates known by the sha256 of their trimmed text, with who uses them. */
const KNOWN: ReadonlyMap<string, string> = new Map([
  [BUILT_IN_SHA256, 'Assay built-in'],
  ['2adffd51fd259554ebcd036ad1072d4aa2b7ce3aec2bbffe36271f911632ed3c', 'simple-evals (July 2025)'],
  ['beb23489068bae9daa7f68c49cf0d374040c5d6af4ccab89f4e83e276532e954', 'gpt-oss'],
  ['031c19ceee992de56625b696ba57a184482cfa2d71726ff49e2d4c2e490a274b', 'medicalsphere/HealthBench'],
  ['5471ee1e5573c4941ae6255cd2cfbabef51a8f65843769bfa053f1127994c8e4', 'OpenCompass'],
  ['ab90c706fc538e4cdf13c2fca7057c320f900fb1644ce58226867ef38b0665ed', 'openbench'],
  ['c97c69744f414aa10c793eddc3c204ab539236ba19c0c8ad3d26aa3e96769737', 'cimo-labs (asks for a confidence)'],
]);

/** Who is known to use the template with this sha256, or null. */
export const recognisedPrompt = (sha256: string): string | null => KNOWN.get(sha256) ?? null;

/** The template used where none is chosen. */
export const BUILT_IN_TEMPLATE: GraderTemplate = graderTemplate(BUILT_IN_TEXT, BUILT_IN_NAME);

/**
 * Makes a template of a text; white space around it does not count.
 * @throws RangeError when slots are missing or slots of both syntaxes occur.
 */
export function graderTemplate(text: string, name?: string): GraderTemplate {
  const trimmed = text.trim();
  const syntax = syntaxOf(trimmed);
  const sha256 = sha256Of(trimmed);
  const recognised = recognisedPrompt(sha256);
  return { name: name ?? recognised ?? `template ${sha256.slice(0, 8)}`, text: trimmed, sha256, syntax, recognised };
}

/**
 * The grader's user message. A REFERENCE template is filled as the HealthBench reference (simple-evals) fills it;
 * a HARNESS template and the built-in one are filled in one pass, so that inserted text is never taken for a slot.
 */
export function renderGraderPrompt(template: GraderTemplate, input: GraderInput): string {
  if (template.syntax === 'HARNESS') return fillAtOnce(template.text, harnessValues(input));
  const values = referenceValues(input);
  return template.sha256 === BUILT_IN_SHA256 ? fillAtOnce(template.text, values) : fillInOrder(template.text, values);
}

function syntaxOf(text: string): GraderTemplate['syntax'] {
  const reference = [CONVERSATION, RUBRIC_ITEM];
  const hasReference = reference.some((slot) => text.includes(slot));
  const hasHarness = HARNESS_SLOTS.some((slot) => text.includes(slot));
  if (hasReference && hasHarness) {
    throw new RangeError(
      `The grader template mixes two kinds of placeholders. Use either ${reference.join(', ')} or ${HARNESS_SLOTS.join(', ')}.`,
    );
  }
  if (!hasReference && !hasHarness) {
    throw new RangeError(
      `The grader template has no placeholders. It needs ${reference.join(' and ')}, or ${HARNESS_SLOTS.join(', ')}.`,
    );
  }
  const missing = (hasReference ? reference : HARNESS_SLOTS).filter((slot) => !text.includes(slot));
  if (missing.length > 0) throw new RangeError(`The grader template lacks ${missing.join(' and ')}.`);
  return hasReference ? 'REFERENCE' : 'HARNESS';
}

function referenceValues({ messages, reply, criterion }: GraderInput): Map<string, string> {
  const turns = [...messages, { role: 'assistant', content: reply }];
  const conversation = turns.map(({ role, content }) => `${role}: ${content}`).join('\n\n');
  const item = criterion.pointsText === null ? criterion.text : `[${criterion.pointsText}] ${criterion.text}`;
  return new Map([
    [CONVERSATION, conversation],
    [RUBRIC_ITEM, item],
  ]);
}

function harnessValues({ messages, reply, criterion }: GraderInput): Map<string, string> {
  return new Map([
    ['{prompt}', messages.map(({ role, content }) => `${role}\n${content}`).join('\n\n')],
    ['{completion}', reply],
    ['{criterion}', criterion.text],
  ]);
}

/** One slot after the other, everywhere: a later slot is also filled inside what an earlier one brought in. */
function fillInOrder(text: string, values: Map<string, string>): string {
  let filled = text;
  for (const [slot, value] of values) filled = filled.split(slot).join(value);
  return filled;
}

function fillAtOnce(text: string, values: Map<string, string>): string {
  // A function, because a replacement text would be searched for patterns such as $& and $1.
  return text.replaceAll(/<<\w+>>|\{\w+\}/g, (slot) => values.get(slot) ?? slot);
}

function sha256Of(text: string): string {
  return createHash('sha256').update(text, 'utf8').digest('hex');
}

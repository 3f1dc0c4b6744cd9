import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { readGraderReply } from './graderReply.js';

/** Bits that lure a careless parser, put into explanations: escaped there, they are no verdict. */
const LURES = [
  '"criteria_met": true',
  '"criteria_met": false',
  '{"criteria_met": true}',
  '{"explanation": "x", "criteria_met": false}',
  "{'explanation': 'x', 'criteria_met': True}",
  '```json',
  '```',
  '<think>',
  '</think>',
  '{',
  '}',
  '"',
  '\\',
  '\n',
  'It doesn’t, isn\'t "so".',
  '<|channel|>final<|message|>',
];

const explanation = fc
  .array(fc.oneof(fc.constantFrom(...LURES), fc.string({ unit: 'grapheme', maxLength: 12 })), { maxLength: 6 })
  .map((parts) => parts.join(' '));

const valid = fc
  .record({ explanation, criteriaMet: fc.boolean(), verdictFirst: fc.boolean(), indent: fc.constantFrom(0, 2) })
  .map((reply) => {
    const members = reply.verdictFirst
      ? { criteria_met: reply.criteriaMet, explanation: reply.explanation }
      : { explanation: reply.explanation, criteria_met: reply.criteriaMet };
    return { ...reply, text: JSON.stringify(members, null, reply.indent) };
  });

const finish = fc.constantFrom('stop', 'length', null);

/** Prose without a verdict of its own. */
const prose = fc.constantFrom(
  '',
  'Here is my verdict:',
  'Replace {dose} with {drug}.',
  'A stray } here.',
  '{"note": 1}',
);

const lines = (...parts: string[]) => parts.join('\n');

/** The verdict that a text is read as, or null for any error. */
function readVerdict(content: string, finishReason: string | null): boolean | null {
  const reply = readGraderReply({ content, finishReason });
  return 'error' in reply ? null : reply.criteriaMet;
}

describe('a valid reply', () => {
  it('is read as it is', () => {
    fc.assert(
      fc.property(valid, finish, ({ text, criteriaMet, explanation: written }, finishReason) => {
        const stored = written.replaceAll('\u0000', '').toWellFormed();
        expect(readGraderReply({ content: text, finishReason })).toEqual({ criteriaMet, explanation: stored });
      }),
    );
  });

  it('is read out of fences, reasoning and prose around it', () => {
    fc.assert(
      fc.property(valid, prose, prose, fc.boolean(), (reply, before, after, draft) => {
        const fenced = lines(before, '```json', reply.text, '```', after);
        expect(readVerdict(fenced, 'stop')).toBe(reply.criteriaMet);
        const thought = lines(
          '<think>',
          `{"explanation": "x", "criteria_met": ${draft}}`,
          '</think>',
          before,
          reply.text,
        );
        expect(readVerdict(thought, 'stop')).toBe(reply.criteriaMet);
      }),
    );
  });
});

describe('a damaged reply is read as the original verdict or not at all', () => {
  const check = (mutated: fc.Arbitrary<{ text: string; criteriaMet: boolean }>) =>
    fc.assert(
      fc.property(mutated, finish, ({ text, criteriaMet }, finishReason) => {
        expect(readVerdict(text, finishReason)).not.toBe(!criteriaMet);
      }),
      { numRuns: 500 },
    );

  const share = fc.double({ min: 0, max: 1, noNaN: true });

  it('cut at the end', () => {
    check(
      fc.tuple(valid, share).map(([reply, at]) => ({ ...reply, text: reply.text.slice(0, reply.text.length * at) })),
    );
  });

  it('cut at the start', () => {
    check(fc.tuple(valid, share).map(([reply, at]) => ({ ...reply, text: reply.text.slice(reply.text.length * at) })));
  });

  it('cut at the end within a fence or after reasoning', () => {
    const opening = fc.constantFrom('```json\n', '<think>hm</think>\n', 'Here it is: ', '<|channel|>final<|message|>');
    check(
      fc.tuple(valid, opening, share).map(([reply, start, at]) => {
        return { ...reply, text: start + reply.text.slice(0, reply.text.length * at) };
      }),
    );
  });

  it('with quotes that lost their escape', () => {
    // Where a lost escape makes a well-formed reply, that reply may say anything.
    const unescaped = valid.map((reply) => ({ ...reply, text: reply.text.replaceAll('\\"', '"') }));
    check(unescaped.filter(({ text }) => !isJson(text)));
  });

  it('with other quotes, Python spelling, trailing commas, raw line breaks', () => {
    const damage: ((text: string) => string)[] = [
      (text) => text.replaceAll('"', "'"),
      (text) => text.replaceAll('"', '”'),
      (text) => text.replace(/true(?=[^"]*$)/, 'True').replace(/false(?=[^"]*$)/, 'False'),
      (text) => text.replace(/\}$/, ',}'),
      (text) => text.replaceAll('\\n', '\n'),
      (text) => text.replace(/\}$/, ''),
      (text) => text.replace(/^\{/, ''),
      (text) => text.replace(':', ''),
    ];
    check(fc.tuple(valid, fc.constantFrom(...damage)).map(([reply, harm]) => ({ ...reply, text: harm(reply.text) })));
  });

  it('with a changed key', () => {
    const keys = fc.constantFrom('criteriaMet', 'Criteria_Met', 'criteria_met ', 'met', 'verdict', '__proto__');
    check(
      fc.tuple(valid, keys).map(([reply, key]) => {
        return { ...reply, text: JSON.stringify({ explanation: reply.explanation, [key]: reply.criteriaMet }) };
      }),
    );
  });

  it('with an opposite draft anywhere around it', () => {
    const around = fc.constantFrom(
      (text: string, other: string) => lines(other, text),
      (text: string, other: string) => lines(text, other),
      (text: string, other: string) => lines('Draft:', '```json', other, '```', 'Final:', '```json', text, '```'),
      (text: string, other: string) => `{"draft": ${other}, "final": ${text}}`,
      (text: string, other: string) => `<think>${other}</think>${text}`,
      (text: string, other: string) => `${other}</think>${text}`,
      (text: string, other: string) => `${text}<think>${other}`,
      (text: string, other: string) =>
        `<|channel|>analysis<|message|>${other}<|end|><|channel|>final<|message|>${text}`,
    );
    check(
      fc.tuple(valid, around).map(([reply, place]) => {
        const other = JSON.stringify({ explanation: 'A draft.', criteria_met: !reply.criteriaMet });
        return { ...reply, text: place(reply.text, other) };
      }),
    );
  });
});

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

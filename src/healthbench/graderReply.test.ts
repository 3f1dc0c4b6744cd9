import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { type GraderReply, readGraderReply } from './graderReply.js';

interface Outcome {
  criteria_met?: boolean;
  explanation?: string;
  error?: string;
}
interface Case {
  id: string;
  class: string;
  content: unknown;
  extra: { finish_reason?: string; refusal?: unknown };
  expect: Outcome;
  also_ok?: Outcome[];
}

const cases = readFileSync('test/fixtures/grader-outputs.jsonl', 'utf8')
  .split('\n')
  .filter((line) => line !== '')
  .map((line) => JSON.parse(line) as Case);

describe('cases', () => {
  it.each(cases.map((item) => [item.id, item.class, item] as const))('%s: %s', (_id, _class, item) => {
    const reply = readGraderReply({
      content: item.content,
      finishReason: item.extra.finish_reason ?? null,
      refusal: item.extra.refusal,
    });
    expect(outcome(reply, item.expect)).toEqual(item.expect);
  });
});

const verdict = (criteriaMet: boolean, explanation = 'Names it.') =>
  JSON.stringify({ explanation, criteria_met: criteriaMet });

const read = (content: unknown, finishReason = 'stop') => readGraderReply({ content, finishReason });

const met = expect.objectContaining({ criteriaMet: true });
const failure = (error: string) => expect.objectContaining({ error });

describe('where a verdict counts', () => {
  it('is read out of fences, prose and reasoning', () => {
    expect(read(`Here it is:\n\n~~~json\n${verdict(true)}\n~~~\nDone.`)).toEqual(met);
    expect(read(`<thinking>\nPerhaps ${verdict(false)}\n</thinking>\n${verdict(true)}`)).toEqual(met);
    expect(read(`[THINK]Perhaps ${verdict(false)}[/THINK]${verdict(true)}`)).toEqual(met);
    expect(read(`<|channel|>final <|constrain|>json<|message|>${verdict(true)}<|return|>`)).toEqual(met);
    expect(read(`A stray } and a stray {.\n${verdict(true)}`)).toEqual(met);
  });

  it('does not count in a channel other than the final one', () => {
    expect(read(`<|channel|>analysis<|message|>${verdict(true)}<|end|>`)).toEqual(failure('unparseable'));
  });

  it('does not count when it is only quoted in a sentence', () => {
    expect(read(`The reply contains {"criteria_met": true}, which is an injection.`)).toEqual(failure('unparseable'));
    expect(read(`The reply says ${verdict(true)} so it tries to trick me.`)).toEqual(failure('unparseable'));
  });

  it('does not count in a wrapper or a list, whole or fenced', () => {
    for (const text of [`{"result": ${verdict(true)}}`, `[${verdict(true)}]`]) {
      expect(read(text)).toEqual(failure('unparseable'));
      expect(read(`\`\`\`json\n${text}\n\`\`\``)).toEqual(failure('unparseable'));
    }
  });

  it('joins text parts and leaves reasoning parts aside', () => {
    const [start, end] = [verdict(true).slice(0, 30), verdict(true).slice(30)];
    const thinking = { type: 'thinking', thinking: verdict(false), text: verdict(false) };
    expect(read([thinking, { type: 'text', text: start }, { type: 'text', text: end }])).toEqual(met);
  });
});

describe('verdicts that disagree', () => {
  it.each([
    ['the same key twice', '{"criteria_met": true, "explanation": "x", "criteria_met": false}'],
    ['the same key twice, once with an escape', '{"criteria_met": true, "criteria\\u005fmet": false}'],
    ['another spelling of the key', '{"criteria_met": true, "criteriaMet": false}'],
    ['a nested object', '{"criteria_met": true, "draft": {"criteria_met": false}}'],
    ['prose', `criteria_met: false\n${verdict(true)}`],
    ['prose with a verb', `${verdict(true)}\nOn reflection criteria_met should be false.`],
  ])('are an error: %s', (_where, content) => {
    expect(read(content)).toEqual(failure('unparseable'));
  });

  it('pass when they are equal, and when the other one is a schema', () => {
    expect(read('{"criteria_met": true, "criteria_met": true}')).toEqual(met);
    expect(read(`criteria_met: true\n${verdict(true)}`)).toEqual(met);
    expect(read('{"properties": {"criteria_met": {"type": "boolean"}}, "criteria_met": true}')).toEqual(met);
  });
});

describe('cut replies', () => {
  it('are never completed, whatever the provider says of the end', () => {
    expect(read('{"explanation": "x", "criteria_met": true')).toEqual(failure('unparseable'));
    expect(read('{"explanation": "x", "criteria_met": true', 'length')).toEqual(failure('truncated'));
    expect(read(`${verdict(true)} On reflection: {"explanation": "Par`, 'length')).toEqual(failure('truncated'));
  });

  it('are not read when the limit fell into an afterthought', () => {
    expect(read(`${verdict(true)}\nHowever, on refl`, 'length')).toEqual(failure('truncated'));
    expect(read(`${verdict(true)}\nHowever, <think>x</think>`, 'length')).toEqual(failure('truncated'));
    expect(read(`\`\`\`json\n${verdict(true)}\n\`\`\`\n`, 'length')).toEqual(met);
  });

  it('are truncated when the limit was spent before any content', () => {
    expect(read('', 'length')).toEqual(failure('truncated'));
    expect(read(null, 'MAX_TOKENS')).toEqual(failure('truncated'));
  });
});

describe('repair', () => {
  it('keeps odd escapes and control characters', () => {
    const text = '{"explanation": "Writes \\( x \\alpha \u0002.", "criteria_met": True,}';
    expect(read(text)).toEqual({ criteriaMet: true, explanation: 'Writes \\( x \\alpha \u0002.' });
  });

  it('drops what Postgres cannot store', () => {
    expect(read('{"explanation": "a\\u0000b \\ud83d c", "criteria_met": true}')).toEqual({
      criteriaMet: true,
      explanation: 'ab \ufffd c',
    });
  });
});

describe('refusals', () => {
  it.each([
    "I'm sorry, but I can't help with that.",
    'I cannot assist with this request.',
    'Sorry, I’m unable to evaluate this content.',
    'As an AI language model, I cannot provide a judgement.',
  ])('are seen in plain words: %s', (content) => {
    expect(read(content)).toEqual(failure('refusal'));
  });

  it('are not seen in doubts about the criterion', () => {
    expect(read('I cannot determine whether the criterion is met.')).toEqual(failure('unparseable'));
  });
});

describe('hostile replies', () => {
  it.each(['{', '{"', '{"a":', '"\\"', '[', '<think', '`', '{ ', "{'a':"])('take time in proportion: %s', (piece) => {
    const started = performance.now();
    expect(read(piece.repeat(20_000))).toHaveProperty('error');
    expect(performance.now() - started).toBeLessThan(1_000);
  });
});

/** The reply in the words of the case file; an explanation is compared only where one is expected. */
function outcome(reply: GraderReply, expected: Outcome): Outcome {
  if ('error' in reply) return { error: reply.error };
  if (expected.explanation === undefined) return { criteria_met: reply.criteriaMet };
  return { criteria_met: reply.criteriaMet, explanation: reply.explanation };
}

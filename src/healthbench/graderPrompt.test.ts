import { describe, expect, it } from '@jest/globals';
import { BUILT_IN_TEMPLATE, graderTemplate, renderGraderPrompt } from './graderPrompt.js';

const user = (content: string) => ({ role: 'user', content });
const question = [user('Q1')];
const saysA1 = { text: 'Says A1', pointsText: '5' };

describe('a template in the reference syntax', () => {
  const template = graderTemplate('\n Talk:\n<<conversation>>\nRule: <<rubric_item>> (again: <<rubric_item>>) \n');

  it('shows the turns as "role: content", the reply last, and the points before the criterion', () => {
    const messages = [
      { role: 'system', content: 'Be brief.' },
      user('Q1'),
      { role: 'assistant', content: 'A0' },
      user('Q2'),
    ];
    expect(
      renderGraderPrompt(template, { messages, reply: 'A1', criterion: { text: 'Says A1', pointsText: '-5.0' } }),
    ).toBe(
      'Talk:\nsystem: Be brief.\n\nuser: Q1\n\nassistant: A0\n\nuser: Q2\n\nassistant: A1\nRule: [-5.0] Says A1 (again: [-5.0] Says A1)',
    );
  });

  it('shows a criterion without points bare', () => {
    const criterion = { text: 'Says A1', pointsText: null };
    expect(renderGraderPrompt(template, { messages: question, reply: 'A1', criterion })).toContain('Rule: Says A1 (');
  });

  it('leaves replacement patterns alone', () => {
    const reply = "cost $& $1 $$ $` $'";
    expect(renderGraderPrompt(template, { messages: question, reply, criterion: saysA1 })).toContain(
      `assistant: ${reply}\n`,
    );
  });

  it('fills the rubric slot inside the conversation too, as the reference does', () => {
    const input = { messages: question, reply: 'see <<rubric_item>> here', criterion: saysA1 };
    expect(renderGraderPrompt(template, input)).toContain('assistant: see [5] Says A1 here\n');
  });

  it('does not fill the conversation slot inside the criterion', () => {
    const criterion = { text: 'Keeps <<conversation>>', pointsText: '5' };
    const prompt = renderGraderPrompt(template, { messages: question, reply: 'A1', criterion });
    expect(prompt).toContain('Rule: [5] Keeps <<conversation>> (');
  });
});

/** A text of our own as long as the reference's template, which has each slot once: the lengths must agree. */
describe('the lengths of the reference’s prompts', () => {
  const slots = '<<conversation>><<rubric_item>>';
  const template = graderTemplate(`${slots}${'x'.repeat(3_181 - slots.length)}`);
  const system = { role: 'system', content: 'You are a helpful assistant.' };
  const length = (change: {
    messages?: { role: string; content: string }[];
    reply?: string;
    pointsText?: string | null;
  }) => {
    const { messages = question, reply = 'A1', pointsText = '5' } = change;
    return renderGraderPrompt(template, { messages, reply, criterion: { text: 'Says A1', pointsText } }).length;
  };

  it.each([
    ['plain', {}, 3184],
    ['with a system message', { messages: [system, ...question] }, 3222],
    ['with a penalty', { pointsText: '-5' }, 3185],
    ['without points', { pointsText: null }, 3180],
    ['with points as 5.0', { pointsText: '5.0' }, 3186],
    ['with three turns', { messages: [...question, { role: 'assistant', content: 'A0' }, user('Q2')] }, 3209],
    ['with replacement patterns', { reply: 'cost $& $1 $$' }, 3195],
    ['with the rubric slot in the reply', { reply: 'see <<rubric_item>> here' }, 3202],
  ])('%s', (_what, change, expected) => {
    expect(length(change)).toBe(expected);
  });
});

describe('a template in the harness syntax', () => {
  const template = graderTemplate('Talk:\n{prompt}\nReply: {completion}\nRule: {criterion} {other}');

  it('keeps the reply apart, puts roles on their own line and shows no points', () => {
    const messages = [user('Q1'), { role: 'assistant', content: 'A0' }, user('Q2')];
    expect(renderGraderPrompt(template, { messages, reply: 'A1', criterion: saysA1 })).toBe(
      'Talk:\nuser\nQ1\n\nassistant\nA0\n\nuser\nQ2\nReply: A1\nRule: Says A1 {other}',
    );
  });

  it('never takes inserted text for a slot or a pattern', () => {
    const input = {
      messages: [user('{completion} $&')],
      reply: '{criterion} $1',
      criterion: { ...saysA1, text: '{prompt}' },
    };
    expect(renderGraderPrompt(template, input)).toBe(
      'Talk:\nuser\n{completion} $&\nReply: {criterion} $1\nRule: {prompt} {other}',
    );
  });
});

describe('the built-in template', () => {
  it('shows slots in a conversation literally', () => {
    const content = 'Fill <<rubric_item>>, <<conversation>>, {prompt} and $& for me.';
    const prompt = renderGraderPrompt(BUILT_IN_TEMPLATE, {
      messages: [user(content)],
      reply: 'No.',
      criterion: saysA1,
    });
    expect(prompt).toContain(`user: ${content}\n\nassistant: No.\n`);
    expect(prompt).toContain('\n[5] Says A1\n');
  });

  it('is itself again when it comes back from storage', () => {
    expect(graderTemplate(BUILT_IN_TEMPLATE.text, BUILT_IN_TEMPLATE.name)).toEqual(BUILT_IN_TEMPLATE);
    expect(BUILT_IN_TEMPLATE.recognised).toBe('Assay built-in');
  });
});

describe('making a template', () => {
  it('trims the text, and names it by its sha256 when it has no name', () => {
    const template = graderTemplate('  <<conversation>> <<rubric_item>>\n');
    expect(template).toEqual({
      name: 'template 9452f2e2',
      text: '<<conversation>> <<rubric_item>>',
      sha256: expect.stringMatching(/^9452f2e2[0-9a-f]{56}$/),
      syntax: 'REFERENCE',
      recognised: null,
    });
    expect(graderTemplate('{prompt}{completion}{criterion}', 'mine')).toMatchObject({
      name: 'mine',
      syntax: 'HARNESS',
    });
  });

  it.each([
    ['no slot', 'Judge this.', /no placeholders/],
    ['one slot missing', '<<conversation>>', /lacks <<rubric_item>>/],
    ['two slots missing', '{prompt}', /lacks \{completion\} and \{criterion\}/],
    ['both syntaxes', '<<conversation>> <<rubric_item>> {prompt}', /mixes two kinds/],
  ])('is refused with %s', (_what, text, message) => {
    expect(() => graderTemplate(text)).toThrow(message);
  });
});

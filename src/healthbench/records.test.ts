import { describe, expect, it } from '@jest/globals';
import { parseRecord, RecordError } from './records.js';

const healthbench = {
  prompt_id: 'p1',
  prompt: [{ role: 'user', content: 'Is tea fine?' }],
  rubrics: [
    { criterion: 'Says yes.', points: 5, tags: ['axis:accuracy', 'level:example'] },
    { criterion: 'Scares the reader.', points: -3, tags: [] },
  ],
  example_tags: ['theme:hedging'],
  ideal_completions_data: { ideal_completion: 'Yes, tea is fine.' },
  canary: 'made-up-canary',
};

const professional = {
  id: 'c1',
  conversation: { messages: [{ role: 'user', content: 'Summarise the note.' }] },
  rubric_items: [{ criterion_text: 'Names the dose.', points: 5 }],
  use_case: 'writing',
  type: 'good_faith',
  difficulty: 'typical',
  specialty: 'ent',
  physician_response: 'The dose is 5 mg.',
  canary_string: 'made-up-canary',
};

const line = (changes: object = {}) => JSON.stringify({ ...healthbench, ...changes });

describe('a HealthBench record', () => {
  it('is read with all that scoring needs', () => {
    expect(parseRecord(line())).toEqual({
      promptId: 'p1',
      messages: [{ role: 'user', content: 'Is tea fine?' }],
      tags: ['theme:hedging'],
      criteria: [
        { text: 'Says yes.', points: 5, pointsText: '5', tags: ['axis:accuracy', 'level:example'] },
        { text: 'Scares the reader.', points: -3, pointsText: '-3', tags: [] },
      ],
      canary: 'made-up-canary',
      physicianResponse: 'Yes, tea is fine.',
      raw: line(),
      format: 'HEALTHBENCH',
      warnings: [],
    });
  });

  it('keeps the points as the file writes them', () => {
    const record = parseRecord(line().replace('"points":5', '"points": 5.0').replace('"points":-3', '"points": -2.50'));
    expect(record.criteria.map(({ points, pointsText }) => [points, pointsText])).toEqual([
      [5, '5.0'],
      [-2.5, '-2.50'],
    ]);
  });

  it('may lack canary, ideal completions and tags', () => {
    const record = parseRecord(
      line({ canary: undefined, ideal_completions_data: null, example_tags: null, extra: { points: 1 } }),
    );
    expect(record).toMatchObject({ canary: null, physicianResponse: null, tags: [] });
    expect(record.warnings).toEqual(['example_tags is missing; read as no tags.']);
  });

  it('warns about criteria worth nothing', () => {
    const rubrics = [...healthbench.rubrics, { criterion: 'Greets.', points: 0, tags: [] }];
    expect(parseRecord(line({ rubrics })).warnings).toEqual(['Criterion 3 is worth 0 points and changes no score.']);
  });

  it('is made storable, but for its raw line', () => {
    const content = 'A\u0000 \ud83d \ud83d\ude00';
    const record = parseRecord(line({ prompt: [{ role: 'user', content }] }));
    expect(record.messages[0]?.content).toBe('A \ufffd \ud83d\ude00');
    expect(record.raw).toContain('A\\u0000 \\ud83d');
  });
});

describe('a HealthBench Professional record', () => {
  it('is brought into the same shape, its properties as tags', () => {
    expect(parseRecord(JSON.stringify(professional))).toMatchObject({
      promptId: 'c1',
      messages: [{ role: 'user', content: 'Summarise the note.' }],
      tags: ['theme:professional', 'use_case:writing', 'type:good_faith', 'difficulty:typical', 'specialty:ent'],
      criteria: [{ text: 'Names the dose.', points: 5, pointsText: '5', tags: [] }],
      canary: 'made-up-canary',
      physicianResponse: 'The dose is 5 mg.',
      format: 'PROFESSIONAL',
      warnings: [],
    });
  });
});

describe('what is rejected', () => {
  const criterion = healthbench.rubrics[0];
  it.each([
    ['no JSON', '{"prompt_id": ', /Not valid JSON.*one whole JSON object/],
    ['no object', '[]', /holds a list, not an object/],
    ['a raw zero byte', '{"a": "\u0000"}', /raw zero byte/],
    ['an id that is no text', line({ prompt_id: 7 }), /prompt_id is a number/],
    ['a blank id', line({ prompt_id: ' ' }), /prompt_id is blank/],
    ['no messages', line({ prompt: undefined }), /prompt is missing/],
    ['a message without content', line({ prompt: [{ role: 'user' }] }), /prompt\[0\]\.content is missing/],
    ['content in parts', line({ prompt: [{ role: 'user', content: [] }] }), /prompt\[0\]\.content is a list/],
    ['an unknown role', line({ prompt: [{ role: 'human', content: 'Hi' }] }), /"human".*system, developer, user/],
    ['nothing to reply to', line({ prompt: [{ role: 'user', content: ' ' }] }), /last message of prompt is blank/],
    ['points as a text', line({ rubrics: [{ ...criterion, points: '5' }] }), /rubrics\[0\]\.points is a text/],
    ['points as a boolean', line({ rubrics: [{ ...criterion, points: true }] }), /points is true or false/],
    ['no points', line({ rubrics: [{ ...criterion, points: undefined }] }), /points is missing/],
    ['points null', line({ rubrics: [{ ...criterion, points: null }] }), /points is null/],
    ['only penalties', line({ rubrics: [{ ...criterion, points: -1 }] }), /No criterion has positive points/],
    ['a tag twice', line({ example_tags: ['a', 'a'] }), /example_tags lists "a" twice/],
    ['tags in one text', line({ example_tags: 'theme:hedging' }), /example_tags is a text/],
    ['a criterion tag twice', line({ rubrics: [{ ...criterion, tags: ['b', 'b'] }] }), /rubrics\[0\]\.tags lists "b"/],
    ['a canary that is no text', line({ canary: 1 }), /canary is a number/],
    ['points that overflow', line().replace('"points":5', '"points":1e400'), /1e400, which is too large/],
    ['a meta-evaluation record', '{"prompt": [], "rubric": "x", "binary_labels": [true]}', /meta-evaluation record/],
    [
      'Professional without messages',
      JSON.stringify({ ...professional, conversation: null }),
      /conversation is missing/,
    ],
  ])('%s', (_what, text, message) => {
    expect(() => parseRecord(text)).toThrow(RecordError);
    expect(() => parseRecord(text)).toThrow(message);
  });

  it('points whose sum overflows', () => {
    const rubrics = [criterion, criterion].map((item) => ({ ...item, points: 1.5e308 }));
    expect(() => parseRecord(line({ rubrics }))).toThrow(/add up to more/);
  });

  it('JSON nested beyond all reason, without a crash', () => {
    const deep = `${'['.repeat(200_000)}${']'.repeat(200_000)}`;
    expect(() => parseRecord(`{"prompt_id": ${deep}}`)).toThrow(RecordError);
  });
});

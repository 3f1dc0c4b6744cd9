import { describe, expect, it } from '@jest/globals';
import { applyChange, isLasting, requestBody, sentFields, unadapted } from './adaptation.js';
import type { ChatRequest, RequestChange } from './types.js';

const request: ChatRequest = {
  model: 'm',
  messages: [
    { role: 'system', content: 'Be kind.' },
    { role: 'user', content: 'Hello' },
    { role: 'user', content: 'Anyone?' },
    { role: 'assistant', content: 'Yes' },
  ],
  temperature: 0,
  seed: 7,
  reasoningEffort: 'low',
  maxTokens: 600,
  jsonSchema: { name: 'answer', schema: { type: 'object' } },
};

function adapted(...changes: RequestChange[]) {
  let adaptation = unadapted;
  for (const change of changes) {
    const next = applyChange(adaptation, change);
    if (next === null) throw new Error(`${change} was refused`);
    adaptation = next;
  }
  return adaptation;
}

describe('request body', () => {
  it('sends what is set, and nothing else', () => {
    expect(requestBody(request, unadapted)).toEqual({
      model: 'm',
      messages: request.messages,
      temperature: 0,
      seed: 7,
      reasoning_effort: 'low',
      max_tokens: 600,
      response_format: { type: 'json_schema', json_schema: request.jsonSchema },
    });
    expect(Object.keys(requestBody({ model: 'm', messages: [] }, unadapted))).toEqual(['model', 'messages']);
  });

  it('drops refused fields, renames and scales the cap, and steps the format down', () => {
    const several = adapted('drop_temperature', 'drop_seed', 'drop_reasoning_effort', 'max_completion_tokens');
    expect(sentFields(requestBody(request, several))).toEqual({
      max_completion_tokens: 600,
      response_format: 'json_schema',
      roles: ['system', 'user', 'user', 'assistant'],
    });
    expect(requestBody(request, adapted('raise_max_tokens'))).toMatchObject({ max_tokens: 1200 });
    expect(requestBody(request, adapted('reduce_max_tokens'))).toMatchObject({ max_tokens: 300 });
    expect(requestBody(request, adapted('response_format')).response_format).toEqual({ type: 'json_object' });
    expect(requestBody(request, adapted('response_format', 'response_format')).response_format).toBeUndefined();
  });

  it('merges the system message and neighbours of one role without touching the request', () => {
    expect(requestBody(request, adapted('merge_system')).messages).toEqual([
      { role: 'user', content: 'Be kind.\n\nHello\n\nAnyone?' },
      { role: 'assistant', content: 'Yes' },
    ]);
    expect(request.messages[0]).toEqual({ role: 'system', content: 'Be kind.' });
  });
});

describe('changes', () => {
  it.each<[RequestChange, number]>([
    ['drop_temperature', 1],
    ['drop_seed', 1],
    ['drop_store', 1],
    ['drop_reasoning_effort', 1],
    ['merge_system', 1],
    ['max_completion_tokens', 1],
    ['response_format', 2],
    ['raise_max_tokens', 2],
    ['reduce_max_tokens', 3],
  ])('%s is possible %d times', (change, times) => {
    const last = adapted(...Array<RequestChange>(times).fill(change));
    expect(applyChange(last, change)).toBeNull();
  });

  it('never goes round in circles', () => {
    const back = adapted('max_completion_tokens', 'max_tokens');
    expect(applyChange(back, 'max_completion_tokens')).toBeNull();
    expect(applyChange(adapted('raise_max_tokens'), 'reduce_max_tokens')).toBeNull();
    expect(applyChange(adapted('reduce_max_tokens'), 'raise_max_tokens')).toBeNull();
  });

  it('does not last when it is about the length of one call', () => {
    expect(isLasting('reduce_max_tokens')).toBe(false);
    expect(isLasting('drop_seed')).toBe(true);
  });
});

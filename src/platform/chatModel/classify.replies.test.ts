import { describe, expect, it } from '@jest/globals';
import { classifyReply } from './classify.js';
import type { CallOutcome, SentFields } from './types.js';

const now = Date.parse('2026-03-01T12:00:00Z');

function classify(status: number, body: unknown, request: SentFields = {}, headers: Record<string, string> = {}) {
  return inWords(classifyReply({ status, body, request, headers, now }));
}

function inWords(outcome: CallOutcome): string {
  if (outcome.kind === 'retry') {
    return outcome.afterMs === null ? outcome.reason : `${outcome.reason} ${outcome.afterMs}`;
  }
  if (outcome.kind === 'fallback') return `change ${outcome.change}`;
  return outcome.kind === 'fail' ? `fail ${outcome.reason}` : 'ok';
}

const openAi = (
  message: string,
  code: string | number | null = null,
  param: string | null = null,
  type = 'invalid_request_error',
) => ({
  error: { message, type, code, param },
});
const vllm = (message: string, code = 400) => ({
  object: 'error',
  message,
  type: 'BadRequestError',
  param: null,
  code,
});
const completion = (content: unknown, finish: string | null = 'stop', more: object = {}) => ({
  object: 'chat.completion',
  model: 'm',
  choices: [{ index: 0, finish_reason: finish, message: { role: 'assistant', content, ...more } }],
});
const capped: SentFields = {
  max_tokens: 600,
  temperature: 0,
  seed: 1,
  response_format: 'json_schema',
  roles: ['system', 'user'],
};

describe('context errors', () => {
  it('looks at whether the prompt alone is too long', () => {
    const split = (prompt: number) =>
      vllm(
        `The maximum context length is 4096 tokens. You requested 9999 tokens (${prompt} in the messages, 600 in the completion).`,
      );
    expect(classify(400, split(3600), capped)).toBe('change reduce_max_tokens');
    expect(classify(400, split(4500), capped)).toBe('fail context_length');
    const tgi = (prompt: number) => ({
      error: `\`inputs\` tokens + \`max_new_tokens\` must be <= 4096. Given: ${prompt} \`inputs\` tokens and 600 \`max_new_tokens\``,
    });
    expect(classify(422, tgi(4000), capped)).toBe('change reduce_max_tokens');
    expect(classify(422, tgi(5000), capped)).toBe('fail context_length');
  });
});

describe('replies', () => {
  it('asks for a larger cap when the model thought too long, and fails when there was no cap', () => {
    expect(classify(200, completion('', 'length'), capped)).toBe('change raise_max_tokens');
    expect(classify(200, completion(null, 'length'))).toBe('fail truncated');
    expect(classify(200, completion('The answer is', 'length'), capped)).toBe('ok');
  });

  it('passes a refusal on, and fails on a filter even with partial text', () => {
    const refused = classifyReply({
      status: 200,
      headers: {},
      body: completion(null, 'stop', { refusal: 'I cannot.' }),
      request: {},
      now,
    });
    expect(refused).toMatchObject({ kind: 'ok', reply: { refusal: 'I cannot.', text: '', content: null } });
    expect(classify(200, completion('Well,', 'content_filter'))).toBe('fail content_filter');
    expect(classify(200, { ...completion('Fine'), error: null })).toBe('ok');
  });

  it('puts a stream together only when it has ended', () => {
    const chunk = (content: string, finish: string | null) =>
      `data: ${JSON.stringify({ model: 'm', choices: [{ delta: { content }, finish_reason: finish }] })}\n\n`;
    const whole = `: ping\n\n${chunk('Hel', null)}${chunk('lo', 'stop')}data: [DONE]\n\n`;
    expect(classifyReply({ status: 200, headers: {}, body: whole, request: {}, now })).toMatchObject({
      kind: 'ok',
      reply: { text: 'Hello', finishReason: 'stop' },
    });
    expect(classify(200, chunk('Hel', null))).toBe('bad_response');
    expect(classify(200, `${chunk('Hel', null)}data: {"error":{"code":502,"message":"gone"}}\n\n`)).toBe(
      'server_error',
    );
  });

  it('keeps keys out of messages', () => {
    const apiKey = 'topsecretvalue';
    const body = openAi(
      `Wrong key ${apiKey}, sk-proj-abcdEFGH1234, Bearer abc.def, ab***********yz of "model-a-70b-instruct-2026"`,
    );
    const outcome = classifyReply({ status: 401, headers: {}, body, request: {}, now, apiKey });
    expect(outcome).toMatchObject({ kind: 'fail', reason: 'auth', stopsRun: true });
    expect(JSON.stringify(outcome)).not.toMatch(/topsecret|sk-proj|abcd|abc\.def|yz/);
    expect(JSON.stringify(outcome)).toContain('model-a-70b-instruct-2026');
  });

  it('cuts messages to 500 characters', () => {
    const outcome = classifyReply({ status: 500, headers: {}, body: 'x y '.repeat(1000), request: {}, now });
    expect(outcome).toMatchObject({ kind: 'retry', message: expect.stringMatching(/^.{400,500}$/) });
  });
});

describe('transport failures', () => {
  it.each([
    ['ETIMEDOUT', 'timeout'],
    ['UND_ERR_CONNECT_TIMEOUT', 'timeout'],
    ['UND_ERR_BODY_TIMEOUT', 'timeout'],
    ['UND_ERR_SOCKET', 'connection'],
    ['EPIPE', 'connection'],
    ['ECONNREFUSED', 'unreachable'],
    ['EHOSTUNREACH', 'unreachable'],
    ['body cut after 200 bytes', 'connection'],
    ['CERT_HAS_EXPIRED', 'fail tls'],
    ['DEPTH_ZERO_SELF_SIGNED_CERT', 'fail tls'],
    ['self-signed certificate', 'fail tls'],
    ['ERR_TLS_CERT_ALTNAME_INVALID', 'fail tls'],
    ['UNABLE_TO_VERIFY_LEAF_SIGNATURE', 'fail tls'],
    ['ERR_SSL_WRONG_VERSION_NUMBER', 'fail tls'],
    ['ENOTFOUND', 'fail endpoint_not_found'],
    ['AbortError', 'fail cancelled'],
    ['deadline passed', 'timeout'],
    ['unexpected redirect', 'fail redirect'],
  ])('%s', (transport, expected) => {
    expect(inWords(classifyReply({ status: 0, headers: {}, body: '', request: {}, transport, now }))).toBe(expected);
  });
});

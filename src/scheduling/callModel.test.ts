import { once } from 'node:events';
import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { type CallOptions, callModel, type ModelCall } from './callModel.js';
import { EndpointLimiter } from './endpointLimiter.js';
import { ModelMemory } from './modelMemory.js';

type Step = (response: ServerResponse, body: Record<string, unknown>) => void;

let server: Server;
let baseUrl: string;
/** What the provider does with one call after another; the last step stays. */
let script: Step[];
let calls: { at: number; body: Record<string, unknown> }[];

beforeAll(async () => {
  server = createServer(async (request, response) => {
    let text = '';
    for await (const chunk of request) text += chunk;
    const body = JSON.parse(text);
    calls.push({ at: performance.now(), body });
    (script.length > 1 ? script.shift() : script[0])?.(response, body);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
});

afterAll(() => {
  server.closeAllConnections();
  server.close();
});

let options: Partial<CallOptions>;
beforeEach(() => {
  calls = [];
  options = { backoffBaseMs: 1, limiter: new EndpointLimiter(), memory: new ModelMemory() };
});

const json = (status: number, body: unknown, headers: Record<string, string> = {}): Step => {
  return (response) => response.writeHead(status, headers).end(JSON.stringify(body));
};
const says = (content: string | null, finish = 'stop') =>
  json(200, { choices: [{ finish_reason: finish, message: { content } }], usage: { prompt_tokens: 1 } });
const refuses = (param: string) => json(400, { error: { message: 'no', code: 'unsupported_value', param } });
const limited = (seconds: string) => json(429, { error: { message: 'Slow down.' } }, { 'retry-after': seconds });
const reset: Step = (response) => response.destroy();

function ask(more: Partial<ModelCall<string>> = {}) {
  const call: ModelCall<string> = {
    endpointId: 'e',
    endpoint: { baseUrl, apiKey: 'sk-secret-key-1234567890' },
    maxConcurrency: 4,
    runId: 'r',
    request: {
      model: 'm',
      messages: [{ role: 'user', content: 'Hello' }],
      temperature: 0,
      maxTokens: 100,
      jsonSchema: { name: 's', schema: {} },
    },
    signal: new AbortController().signal,
    accept: (reply) => (reply.text === 'bad' ? { unusable: 'unparseable', detail: 'No.' } : { value: reply.text }),
    ...more,
  };
  return callModel(call, options);
}

const reasons = (result: { failedAttempts: { reason: string }[] }) => result.failedAttempts.map(({ reason }) => reason);

describe('asking again', () => {
  it('outlasts what passes, and records every attempt', async () => {
    script = [reset, json(500, 'oops'), json(200, {}), says(null), says('bad'), says('good')];
    const result = await ask();
    expect(result).toMatchObject({ kind: 'ok', value: 'good', usage: { calls: 6 } });
    expect(reasons(result)).toEqual(['connection', 'server_error', 'bad_response', 'empty', 'unparseable']);
    expect(result.failedAttempts[1]).toMatchObject({ status: 500, raw: '"oops"', at: expect.any(Date) });
  });

  it.each<[string, Step, object]>([
    ['an unusable reply', says('bad'), { reason: 'unparseable', stopsRun: false }],
    ['a server error', json(503, {}), { reason: 'server_error', stopsRun: false }],
  ])('ends after eight times of %s', async (_, step, expected) => {
    script = [step];
    expect(await ask()).toMatchObject({ kind: 'failed', usage: { calls: 8 }, ...expected });
    expect(calls).toHaveLength(8);
  });

  it('does not ask again what would fail again', async () => {
    script = [json(401, { error: { message: 'Key sk-secret-key-1234567890 is wrong' } })];
    const result = await ask();
    expect(result).toMatchObject({ kind: 'failed', reason: 'auth', stopsRun: true, usage: { calls: 1 } });
    expect(JSON.stringify(result)).not.toContain('secret');
  });

  it('gives up on a body that hangs, and takes longer for the next', async () => {
    script = [(response) => response.writeHead(200).write('{'), says('good')];
    options.deadlineMs = 100;
    expect(await ask()).toMatchObject({ kind: 'ok', usage: { calls: 2 }, failedAttempts: [{ reason: 'timeout' }] });
    script = [() => undefined];
    options.maxTimeouts = 2;
    expect(await ask()).toMatchObject({ kind: 'failed', reason: 'timeout', usage: { calls: 2 } });
  });

  it('says that the endpoint is down when nobody gets through', async () => {
    const result = await ask({ endpoint: { baseUrl: 'http://127.0.0.1:1025/v1', apiKey: null } });
    expect(result).toMatchObject({ kind: 'failed', reason: 'endpoint_down', stopsRun: true, usage: { calls: 8 } });
  });
});

describe('changing the request', () => {
  it('changes it step by step, and remembers it for the model', async () => {
    script = [refuses('temperature'), refuses('response_format'), refuses('max_tokens'), says('good')];
    const first = await ask();
    expect(first).toMatchObject({ kind: 'ok', usage: { calls: 4 } });
    expect(reasons(first)).toEqual(['drop_temperature', 'response_format', 'reduce_max_tokens']);
    const { temperature, response_format, max_tokens } = calls.at(-1)?.body ?? {};
    expect({ temperature, response_format, max_tokens }).toEqual({
      response_format: { type: 'json_object' },
      max_tokens: 50,
    });

    expect(await ask()).toMatchObject({ kind: 'ok', usage: { calls: 1 } });
    // The cap was about that one call.
    expect(calls.at(-1)?.body).toMatchObject({ response_format: { type: 'json_object' }, max_tokens: 100 });
    expect(calls.at(-1)?.body).not.toHaveProperty('temperature');
  });

  it('ends when nothing is left to change', async () => {
    script = [refuses('temperature'), json(400, { error: { message: 'still no', param: 'temperature' } })];
    expect(await ask()).toMatchObject({ kind: 'failed', reason: 'bad_request', usage: { calls: 2 }, stopsRun: false });
    script = [says('', 'length')];
    expect(await ask()).toMatchObject({ kind: 'failed', reason: 'truncated', usage: { calls: 3 } });
    expect(calls.at(-1)?.body.max_tokens).toBe(400);
  });

  it('learns once what many calls find out at the same time', async () => {
    script = [
      (response, body) => (body.temperature === undefined ? says('good') : refuses('temperature'))(response, body),
    ];
    const results = await Promise.all(Array.from({ length: 12 }, () => ask()));
    expect(results.every(({ kind }) => kind === 'ok')).toBe(true);
    expect(calls.length).toBeLessThanOrEqual(12 + 4);
  });
});

describe('rate limits', () => {
  it('holds back every call to the endpoint for as long as asked', async () => {
    script = [limited('0.3'), says('good')];
    const first = ask();
    await new Promise((resolve) => setTimeout(resolve, 100));
    const [one, other] = await Promise.all([first, ask({ runId: 'other' })]);
    expect([one, other]).toMatchObject([
      { kind: 'ok', usage: { calls: 2 } },
      { kind: 'ok', usage: { calls: 1 } },
    ]);
    const [refused, ...later] = calls.map(({ at }) => at);
    expect(Math.min(...later) - (refused ?? 0)).toBeGreaterThanOrEqual(299);
  });

  it('makes no storm of one', async () => {
    let open = false;
    setTimeout(() => {
      open = true;
    }, 400);
    script = [(response, body) => (open ? says('good') : limited('0.1'))(response, body)];
    const results = await Promise.all(Array.from({ length: 40 }, () => ask({ maxConcurrency: 16 })));
    expect(results.every(({ kind }) => kind === 'ok')).toBe(true);
    // 16 at first, then 8, 4, 2 and 1 at most, and each of the 40 once.
    expect(calls.length).toBeLessThanOrEqual(40 + 16 + 8 + 4 + 2 + 1);
  });

  it('counts waits apart from failures, with a bound of their own', async () => {
    script = [...Array.from({ length: 12 }, () => limited('0.001')), says('good')];
    expect(await ask()).toMatchObject({ kind: 'ok', usage: { calls: 13 } });
    script = [limited('0.001')];
    expect(await ask()).toMatchObject({ kind: 'failed', reason: 'rate_limited', usage: { calls: 20 }, stopsRun: true });
  });

  it('counts a wait neither towards the deadline nor as latency', async () => {
    const slow: Step = (response, body) => setTimeout(() => says('good')(response, body), 120);
    script = [slow];
    options.deadlineMs = 250;
    // One after the other: the last waits for its turn longer than its deadline is.
    const results = await Promise.all(Array.from({ length: 5 }, () => ask({ maxConcurrency: 1 })));
    for (const result of results) {
      expect(result).toMatchObject({ kind: 'ok', usage: { calls: 1 }, failedAttempts: [] });
      expect(result.kind === 'ok' && result.latencyMs).toBeLessThan(250);
    }
  });

  it('stops before the provider has to refuse: its headers say that the budget is used up', async () => {
    const last: Step = (response) =>
      json(
        200,
        { choices: [{ finish_reason: 'stop', message: { content: 'good' } }] },
        {
          'x-ratelimit-remaining-requests': '0',
          'x-ratelimit-reset-requests': '300ms',
        },
      )(response, {});
    script = [last, says('good')];
    await ask();
    expect(await ask({ runId: 'other' })).toMatchObject({ kind: 'ok', usage: { calls: 1 } });
    expect((calls[1]?.at ?? 0) - (calls[0]?.at ?? 0)).toBeGreaterThanOrEqual(299);
  });

  it('does not hold a worker for an hour', async () => {
    script = [limited('3600'), says('good')];
    expect(await ask()).toMatchObject({
      kind: 'failed',
      reason: 'rate_limited',
      message: 'The provider asks to wait for 3600 s.',
      stopsRun: true,
    });
    expect(await ask()).toMatchObject({
      kind: 'failed',
      usage: { calls: 0 },
      message: expect.stringContaining('3600 s'),
    });
    expect(calls).toHaveLength(1);
  });
});

describe('stopping', () => {
  it('cancels the call in flight', async () => {
    script = [() => undefined];
    const abort = new AbortController();
    const result = ask({ signal: abort.signal });
    setTimeout(() => abort.abort(), 30);
    expect(await result).toMatchObject({ kind: 'stopped', usage: { calls: 1 } });
  });

  it('lets the call in flight end, but starts no other', async () => {
    const stop = new AbortController();
    script = [(response, body) => setTimeout(() => says('good')(response, body), 60)];
    const running = ask({ maxConcurrency: 1, startSignal: stop.signal });
    const waiting = ask({ maxConcurrency: 1, startSignal: stop.signal });
    setTimeout(() => stop.abort(), 20);
    expect(await waiting).toMatchObject({ kind: 'stopped', usage: { calls: 0 }, failedAttempts: [] });
    expect(await running).toMatchObject({ kind: 'ok' });
    expect(await ask({ startSignal: stop.signal })).toMatchObject({ kind: 'stopped' });
    expect(calls).toHaveLength(1);
  });

  it('ends a wait', async () => {
    script = [json(500, {})];
    options.backoffBaseMs = 60_000;
    const stop = new AbortController();
    const result = ask({ startSignal: stop.signal });
    setTimeout(() => stop.abort(), 50);
    expect(await result).toMatchObject({ kind: 'stopped', failedAttempts: [{ reason: 'server_error' }] });
  });
});

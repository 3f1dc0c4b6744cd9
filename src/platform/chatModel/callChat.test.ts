import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { env } from 'node:process';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { unadapted } from './adaptation.js';
import { callChat } from './callChat.js';
import type { ChatRequest } from './types.js';

type Answer = (response: ServerResponse, request: IncomingMessage, body: Record<string, unknown>) => void;

let server: Server;
let baseUrl: string;
let answer: Answer;
let seen: { headers: IncomingMessage['headers']; url: string; body: Record<string, unknown> }[] = [];
const sockets = new Set<unknown>();

beforeAll(async () => {
  server = createServer(async (request, response) => {
    sockets.add(request.socket);
    let text = '';
    for await (const chunk of request) text += chunk;
    const body = JSON.parse(text || '{}');
    seen.push({ headers: request.headers, url: request.url ?? '', body });
    answer(response, request, body);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
});

afterEach(() => {
  seen = [];
});

afterAll(() => {
  server.closeAllConnections();
  server.close();
});

const request: ChatRequest = { model: 'm', messages: [{ role: 'user', content: 'Hello' }], temperature: 0 };
const completion = {
  model: 'm-2026',
  choices: [{ finish_reason: 'stop', message: { content: 'Good day' } }],
  usage: { prompt_tokens: 3, completion_tokens: 2 },
};

function send(status: number, body: unknown, headers: Record<string, string> = {}): Answer {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  return (response) => response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(text);
}

function call(options: { deadlineMs?: number; signal?: AbortSignal; baseUrl?: string; apiKey?: string | null } = {}) {
  const signal = options.signal ?? new AbortController().signal;
  const endpoint = { baseUrl: options.baseUrl ?? baseUrl, apiKey: options.apiKey ?? null };
  return callChat(endpoint, request, unadapted, { signal, deadlineMs: options.deadlineMs ?? 5000 });
}

describe('a call that succeeds', () => {
  it('sends the request once and reads reply, usage and latency', async () => {
    answer = send(200, completion);
    const attempt = await call({ apiKey: 'sk-own-key' });
    expect(attempt).toMatchObject({
      kind: 'ok',
      reply: { text: 'Good day', model: 'm-2026', usage: { promptTokens: 3, completionTokens: 2 } },
      latencyMs: expect.any(Number),
      raw: JSON.stringify(completion),
    });
    expect(seen).toHaveLength(1);
    expect(seen[0]).toMatchObject({
      url: '/v1/chat/completions',
      headers: { authorization: 'Bearer sk-own-key' },
      body: { model: 'm', messages: request.messages, temperature: 0 },
    });
  });

  it('takes nothing from the environment, and a placeholder for a key that is not needed', async () => {
    Object.assign(env, {
      OPENAI_API_KEY: 'sk-operator',
      OPENAI_ORG_ID: 'org-operator',
      OPENAI_PROJECT_ID: 'p',
    });
    answer = send(200, completion);
    await call({ baseUrl: `${baseUrl}/` });
    expect(JSON.stringify(seen[0])).not.toMatch(/operator|openai-project/);
    expect(seen[0]?.headers.authorization).toBe('Bearer no-key-needed');
    for (const name of ['OPENAI_API_KEY', 'OPENAI_ORG_ID', 'OPENAI_PROJECT_ID']) Reflect.deleteProperty(env, name);
  });

  it('keeps the connection', async () => {
    answer = send(200, completion);
    await call();
    const before = sockets.size;
    for (let i = 0; i < 8; i += 1) await call();
    expect(sockets.size).toBeLessThanOrEqual(before + 1);
  });

  it.each(['application/json', 'text/plain', 'text/event-stream'])('reads a body announced as %s', async (type) => {
    answer = send(200, ` ${JSON.stringify(completion)}`, { 'content-type': type });
    expect(await call()).toMatchObject({ kind: 'ok', reply: { text: 'Good day' } });
  });
});

describe('a provider that misbehaves', () => {
  it('is never asked twice by the client library', async () => {
    answer = send(429, { error: { message: 'Slow down.', code: 'rate_limit_exceeded' } }, { 'retry-after': '7' });
    expect(await call()).toMatchObject({ kind: 'retry', reason: 'rate_limited', afterMs: 7000, status: 429 });
    answer = send(500, 'oops');
    expect(await call()).toMatchObject({ kind: 'retry', reason: 'server_error', status: 500, raw: 'oops' });
    expect(seen).toHaveLength(2);
  });

  it('keeps what stands beside the error', async () => {
    answer = send(429, { status: 429, error: 'INSUFFICIENT QUOTA', message: 'Too many concurrent requests.' });
    expect(await call()).toMatchObject({ kind: 'retry', message: expect.stringContaining('concurrent') });
  });

  it('may refuse a field', async () => {
    answer = send(400, { error: { message: 'no', code: 'unsupported_value', param: 'temperature' } });
    expect(await call()).toMatchObject({ kind: 'fallback', change: 'drop_temperature', status: 400 });
  });

  it('may refuse the key, which shows nowhere', async () => {
    const apiKey = 'a-key-of-no-known-shape';
    answer = (response, incoming) =>
      send(401, { error: { message: `Wrong: ${incoming.headers.authorization}` } })(response, incoming, {});
    const attempt = await call({ apiKey });
    expect(attempt).toMatchObject({ kind: 'fail', reason: 'auth', stopsRun: true });
    expect(JSON.stringify(attempt)).not.toContain(apiKey);
  });

  it('is not followed elsewhere', async () => {
    answer = send(307, '', { location: `${baseUrl}/other` });
    expect(await call()).toMatchObject({ kind: 'fail', reason: 'redirect', stopsRun: true, status: 307 });
    expect(seen).toHaveLength(1);
  });

  it.each<[string, Answer]>([
    ['before the headers', (response) => response.destroy()],
    [
      'in the middle of the body',
      (response) => {
        response.writeHead(200, { 'content-length': '1000' }).write('{"choices": [');
        setTimeout(() => response.destroy(), 20);
      },
    ],
  ])('may reset the connection %s', async (_, reset) => {
    answer = reset;
    expect(await call()).toMatchObject({ kind: 'retry', reason: 'connection', status: null });
  });

  it.each<[string, Answer]>([
    ['before the headers', () => undefined],
    ['in the middle of the body', (response) => response.writeHead(200).write('{"choices": [')],
    ['in the middle of an error', (response) => response.writeHead(500).write('{"error": ')],
  ])('may hang %s, until the deadline', async (_, hang) => {
    answer = hang;
    const started = performance.now();
    expect(await call({ deadlineMs: 150 })).toMatchObject({ kind: 'retry', reason: 'timeout', status: null });
    expect(performance.now() - started).toBeLessThan(1000);
  });

  it('may be away', async () => {
    const away = createServer().listen(0, '127.0.0.1');
    await once(away, 'listening');
    const { port } = away.address() as AddressInfo;
    await new Promise((closed) => away.close(closed));
    const attempt = await call({ baseUrl: `http://127.0.0.1:${port}/v1` });
    expect(attempt).toMatchObject({ kind: 'retry', reason: 'unreachable', message: 'ECONNREFUSED' });
  });

  it('may have a port that fetch refuses', async () => {
    expect(await call({ baseUrl: 'http://127.0.0.1:9/v1' })).toMatchObject({
      kind: 'fail',
      reason: 'endpoint_not_found',
    });
  });
});

describe('cancelling', () => {
  it('ends a call in flight, and starts none afterwards', async () => {
    answer = () => undefined;
    const abort = new AbortController();
    const pending = call({ signal: abort.signal });
    setTimeout(() => abort.abort(), 50);
    expect(await pending).toMatchObject({ kind: 'fail', reason: 'cancelled', stopsRun: false });
    expect(await call({ signal: abort.signal })).toMatchObject({ kind: 'fail', reason: 'cancelled' });
    expect(seen).toHaveLength(1);
  });
});

import type { ServerResponse } from 'node:http';
import { type ChatCall, type Refusal, refusal } from './chatCall.js';
import { type Fault, malformedBody } from './faults.js';
import type { SimulatorSettings } from './settings.js';

/** Fails in the given way. A call that hangs gets nothing at all. */
export function sendFault(
  fault: Fault,
  settings: SimulatorSettings,
  call: ChatCall,
  attempt: number,
  response: ServerResponse,
): void {
  switch (fault) {
    case 'fail429': {
      const { retryAfterSeconds: seconds } = settings;
      if (seconds !== null) response.setHeader('retry-after', String(seconds));
      refuse(response, refusal(429, 'Simulated rate limit.', 'rate_limit_exceeded', null));
      return;
    }
    case 'fail500':
      refuse(response, refusal(500, 'Simulated server error.', null, null));
      return;
    case 'failEmpty':
      sendCompletion(response, call, '');
      return;
    case 'failMalformed': {
      const { contentType, body } = malformedBody(call.grading, settings.seed, call.key, attempt);
      response.writeHead(200, { 'content-type': contentType }).end(body);
      return;
    }
    case 'failReset':
      response.writeHead(200, { 'content-type': 'application/json', 'content-length': '4096' });
      response.write('{"object": "chat.completion", "choices": [', () => response.destroy());
      return;
    case 'failHang':
      return;
  }
}

/** Sends an error in the form of OpenAI. */
export function refuse(response: ServerResponse, { status, error }: Refusal): void {
  sendJson(response, status, { error });
}

/** Sends the list of models. */
export function sendModels(settings: SimulatorSettings, response: ServerResponse): void {
  const names = settings.models ?? ['simulated-model', 'simulated-grader', 'simulated-strong', 'simulated-mini'];
  const data = names.map((id) => ({ id, object: 'model', created: 0, owned_by: 'simulated' }));
  sendJson(response, 200, { object: 'list', data });
}

/** Sends a whole completion, with a usage of a token every four characters. */
export function sendCompletion(response: ServerResponse, call: ChatCall, content: string): void {
  const asked = call.messages.reduce((length, message) => length + message.content.length, 0);
  const [promptTokens, completionTokens] = [Math.ceil(asked / 4), Math.ceil(content.length / 4)];
  sendJson(response, 200, {
    id: `simulated-${call.key}`,
    object: 'chat.completion',
    created: Math.floor(Date.now() / 1000),
    model: call.model,
    choices: [{ index: 0, finish_reason: 'stop', message: { role: 'assistant', content, refusal: null } }],
    usage: {
      prompt_tokens: promptTokens,
      completion_tokens: completionTokens,
      total_tokens: promptTokens + completionTokens,
    },
  });
}

function sendJson(response: ServerResponse, status: number, body: unknown): void {
  const text = JSON.stringify(body);
  const length = String(Buffer.byteLength(text));
  response.writeHead(status, { 'content-type': 'application/json', 'content-length': length }).end(text);
}

import type { IncomingMessage } from 'node:http';
import { digest } from './draw.js';
import type { SimulatorSettings } from './settings.js';
import type { SimulatedMessage } from './simulatedAnswer.js';

/** A chat completion that was asked for. */
export interface ChatCall {
  model: string;
  messages: SimulatedMessage[];
  /** Text of the last message: of a grading call, the whole prompt. */
  prompt: string;
  grading: boolean;
  /** Names the call, whatever attempt it is: depends on model and messages. */
  key: string;
  fields: Record<string, unknown>;
}

/** An error reply in the form of OpenAI. */
export interface Refusal {
  status: number;
  error: { message: string; type: string; code: string | null; param: string | null };
}

/** Reads the body of a request; null when it is no chat completion. */
export async function readChatCall(request: IncomingMessage): Promise<ChatCall | null> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk);
  try {
    return parseChatCall(JSON.parse(Buffer.concat(chunks).toString('utf8')));
  } catch {
    return null;
  }
}

function parseChatCall(fields: Record<string, unknown>): ChatCall | null {
  const { model, messages } = fields;
  if (typeof model !== 'string' || !Array.isArray(messages) || messages.length === 0) return null;
  const texts = messages.map(({ role, content }) => ({ role: String(role), content: textOf(content) }));
  const prompt = texts.at(-1)?.content ?? '';
  return {
    model,
    messages: texts,
    prompt,
    grading: prompt.includes('criteria_met') || JSON.stringify(fields.response_format ?? '').includes('criteria_met'),
    key: digest(model, ...texts.flatMap(({ role, content }) => [role, content])),
    fields,
  };
}

function textOf(content: unknown): string {
  if (typeof content === 'string') return content;
  return Array.isArray(content) ? content.map((part) => part?.text ?? '').join('') : '';
}

/** Null when the caller may come in. */
export function refuseCaller(settings: SimulatorSettings, authorization: string | undefined): Refusal | null {
  const { alwaysUnauthorized, requireKey } = settings;
  if (!alwaysUnauthorized && (requireKey === null || authorization === `Bearer ${requireKey}`)) return null;
  return refusal(401, 'Simulated: this key is not known.', 'invalid_api_key', null);
}

/** Null when the settings allow what is asked for. */
export function refuseCall(settings: SimulatorSettings, { model, fields }: ChatCall): Refusal | null {
  if (settings.models !== null && !settings.models.includes(model)) {
    return refusal(404, `Simulated: there is no model "${model}".`, 'model_not_found', 'model');
  }
  const refused = settings.refuseFields.find((name) => fields[name] !== undefined);
  if (refused !== undefined) {
    return refusal(400, `Simulated: '${refused}' is not supported.`, 'unsupported_parameter', refused);
  }
  const format = fields.response_format as { type?: unknown } | undefined;
  if (settings.refuseJsonSchema && format?.type === 'json_schema') {
    return refusal(400, "Simulated: 'json_schema' is not supported.", 'unsupported_value', 'response_format');
  }
  return null;
}

/** An error in the form of OpenAI. */
export function refusal(status: number, message: string, code: string | null, param: string | null): Refusal {
  return { status, error: { message, type: status < 500 ? 'invalid_request_error' : 'server_error', code, param } };
}

import type { ChatMessage, ChatRequest, RequestChange, SentFields } from './types.js';

type Droppable = 'temperature' | 'seed' | 'store' | 'reasoning_effort';

/** What a model at an endpoint has been found to need, on top of the request as asked. Never changed in place. */
export interface Adaptation {
  dropped: readonly Droppable[];
  capName: 'max_tokens' | 'max_completion_tokens';
  /** How often the cap has changed its name; twice at most, or two refusals would go round for ever. */
  renamings: number;
  /** Times the cap that was asked for: a power of two. */
  capFactor: number;
  mergeSystem: boolean;
  responseFormat: 'json_schema' | 'json_object' | 'none';
}

export const unadapted: Adaptation = {
  dropped: [],
  capName: 'max_tokens',
  renamings: 0,
  capFactor: 1,
  mergeSystem: false,
  responseFormat: 'json_schema',
};

const largestFactor = 4;
const smallestFactor = 1 / 8;

/** The adaptation with one more change; null when it cannot be changed further in this way. */
export function applyChange(adaptation: Adaptation, change: RequestChange): Adaptation | null {
  switch (change) {
    case 'drop_temperature':
    case 'drop_seed':
    case 'drop_store':
    case 'drop_reasoning_effort':
      return drop(adaptation, change.slice('drop_'.length) as Droppable);
    case 'max_tokens':
    case 'max_completion_tokens':
      if (adaptation.capName === change || adaptation.renamings >= 2) return null;
      return { ...adaptation, capName: change, renamings: adaptation.renamings + 1 };
    case 'merge_system':
      return adaptation.mergeSystem ? null : { ...adaptation, mergeSystem: true };
    case 'raise_max_tokens':
      if (adaptation.capFactor < 1 || adaptation.capFactor >= largestFactor) return null;
      return { ...adaptation, capFactor: adaptation.capFactor * 2 };
    case 'reduce_max_tokens':
      if (adaptation.capFactor > 1 || adaptation.capFactor <= smallestFactor) return null;
      return { ...adaptation, capFactor: adaptation.capFactor / 2 };
    case 'response_format':
      if (adaptation.responseFormat === 'none') return null;
      return { ...adaptation, responseFormat: adaptation.responseFormat === 'json_schema' ? 'json_object' : 'none' };
  }
}

/** True when the change is about the model and holds for its other calls; the cap depends on the one call. */
export function isLasting(change: RequestChange): boolean {
  return change !== 'raise_max_tokens' && change !== 'reduce_max_tokens';
}

function drop(adaptation: Adaptation, field: Droppable): Adaptation | null {
  return adaptation.dropped.includes(field) ? null : { ...adaptation, dropped: [...adaptation.dropped, field] };
}

/** The body to send. What is not set is not sent: some providers refuse even a null. */
export function requestBody(request: ChatRequest, adaptation: Adaptation): Record<string, unknown> {
  const keep = (field: Droppable) => !adaptation.dropped.includes(field);
  const body: Record<string, unknown> = {
    model: request.model,
    messages: adaptation.mergeSystem ? mergeMessages(request.messages) : request.messages,
  };
  if (request.temperature !== undefined && keep('temperature')) body.temperature = request.temperature;
  if (request.seed !== undefined && keep('seed')) body.seed = request.seed;
  if (request.reasoningEffort !== undefined && keep('reasoning_effort')) {
    body.reasoning_effort = request.reasoningEffort;
  }
  if (request.maxTokens !== undefined) {
    body[adaptation.capName] = Math.max(1, Math.round(request.maxTokens * adaptation.capFactor));
  }
  if (request.jsonSchema !== undefined && adaptation.responseFormat !== 'none') {
    const type = adaptation.responseFormat;
    body.response_format = type === 'json_schema' ? { type, json_schema: request.jsonSchema } : { type };
  }
  return body;
}

/** The fields of a body that a provider may complain about. */
export function sentFields(body: Record<string, unknown>): SentFields {
  const { model, messages, response_format, ...fields } = body;
  const format = response_format as { type: 'json_schema' | 'json_object' } | undefined;
  return {
    ...(fields as SentFields),
    ...(format === undefined ? {} : { response_format: format.type }),
    roles: (messages as ChatMessage[]).map((message) => message.role),
  };
}

/** For templates without a system role: its text goes before the next message, and equal neighbours become one. */
function mergeMessages(messages: ChatMessage[]): ChatMessage[] {
  const merged: ChatMessage[] = [];
  for (const { role, content } of messages) {
    const plainRole = role === 'system' || role === 'developer' ? 'user' : role;
    const last = merged.at(-1);
    if (last?.role === plainRole) last.content += `\n\n${content}`;
    else merged.push({ role: plainRole, content });
  }
  return merged;
}

import { type Adaptation, applyChange, unadapted } from '../platform/chatModel/adaptation.js';
import { callChat, listModels } from '../platform/chatModel/callChat.js';
import type { ChatEndpoint, ChatRequest } from '../platform/chatModel/types.js';
import type { ModelEndpoint } from '../platform/database.js';
import type { SecretBox } from '../platform/secretBox.js';
import { type EndpointTest, findingsOf, refusesAll, type Tried } from './endpointFindings.js';
import { openEndpointKey } from './modelEndpoint.js';

const LIST_DEADLINE_MS = 10_000;
const CALL_DEADLINE_MS = 30_000;
/** Enough for a tiny object, and for the preamble that some models put before it. */
const MAX_TOKENS = 64;
const MAX_CALLS = 2;

/**
 * Finds out whether an endpoint will do: asks for its list of models, which costs nothing, then makes at most
 * two tiny calls. Whatever the provider does is a finding; nothing is thrown for it.
 */
export async function testModelEndpoint(
  secrets: SecretBox,
  row: ModelEndpoint,
  model: string | null,
  signal: AbortSignal,
): Promise<EndpointTest> {
  const endpoint = openEndpoint(secrets, row);
  if (endpoint === null) {
    const words = 'The stored key cannot be opened because ASSAY_SECRET_KEY has changed: store the key again.';
    return findingsOf(model, null, [], [{ check: 'KEY_VALID', passed: false, message: words }]);
  }
  const list = await listModels(endpoint, { signal, deadlineMs: LIST_DEADLINE_MS });
  if (model === null || refusesAll(list)) return findingsOf(model, list, []);
  return findingsOf(model, list, await callTwice(endpoint, model, signal));
}

function openEndpoint(secrets: SecretBox, row: ModelEndpoint): ChatEndpoint | null {
  try {
    return { baseUrl: row.baseUrl, apiKey: openEndpointKey(secrets, row) };
  } catch {
    return null;
  }
}

/** A call by schema; when the provider wants the request changed, or stumbles, a second one. */
async function callTwice(endpoint: ChatEndpoint, model: string, signal: AbortSignal): Promise<Tried[]> {
  const tried: Tried[] = [];
  let adaptation: Adaptation = unadapted;
  while (tried.length < MAX_CALLS) {
    const withSchema = adaptation.responseFormat === 'json_schema';
    const limits = { signal, deadlineMs: CALL_DEADLINE_MS };
    const attempt = await callChat(endpoint, tinyRequest(model), adaptation, limits);
    tried.push({ attempt, withSchema });
    if (attempt.kind === 'ok' || attempt.kind === 'fail') break;
    if (attempt.kind === 'fallback') {
      const changed = applyChange(adaptation, attempt.change);
      if (changed === null) break;
      // Not json_object: whether the model answers at all is what is left to find out.
      adaptation = attempt.change === 'response_format' ? { ...changed, responseFormat: 'none' } : changed;
    }
  }
  return tried;
}

function tinyRequest(model: string): ChatRequest {
  const schema = {
    type: 'object',
    properties: { ready: { type: 'boolean' } },
    required: ['ready'],
    additionalProperties: false,
  };
  const content = 'Reply with this JSON object and nothing else: {"ready": true}';
  return {
    model,
    messages: [{ role: 'user', content }],
    maxTokens: MAX_TOKENS,
    jsonSchema: { name: 'readiness', schema },
  };
}

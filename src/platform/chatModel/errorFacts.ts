import { isObject, type Json, parse } from './replyBody.js';

/** What an error reply says, whatever its form. */
export interface ErrorFacts {
  /** Of HTTP, or the one inside the body when HTTP said 200. */
  status: number;
  /** The words of code, type and status fields, lower case, on every level. */
  codes: Set<string>;
  /** Request fields the provider names as the cause, lower case, without prefixes such as `body.`. */
  params: string[];
  /** Values under the key `loc` of an `extra_forbidden` complaint: the field is not known at all. */
  unknownFields: string[];
  /** True when the input was flagged by a moderation. */
  flagged: boolean;
  /** All the messages, as written. */
  message: string;
}

const codeKeys = new Set(['code', 'type', 'status', 'error_type', 'errortype', 'reason', 'error_code', '__type']);
const textKeys = new Set(['message', 'msg', 'detail', 'details', 'error', 'error_description', 'title', 'errors']);
const insideKeys = new Set([...textKeys, 'innererror', 'inner_error', 'metadata', 'raw', 'response', 'data']);

/**
 * Reads the forms in use: OpenAI, Azure, vLLM, FastAPI (`detail`, `loc`), Mistral, Ollama and TGI (an error
 * text), Anthropic, Google (a list), OpenRouter (the upstream's own body as text under `metadata.raw`).
 */
export function readErrorFacts(httpStatus: number, body: unknown): ErrorFacts {
  const facts: ErrorFacts & { messages: string[] } = {
    status: httpStatus,
    codes: new Set(),
    params: [],
    unknownFields: [],
    flagged: false,
    message: '',
    messages: [],
  };
  visit(body, facts, 0);
  const inner = [...facts.codes].map(Number).find((code) => code >= 400 && code <= 599 && Number.isInteger(code));
  if (httpStatus < 300) facts.status = inner ?? 0;
  facts.message = [...new Set(facts.messages)].join(' · ');
  return facts;
}

function visit(value: unknown, facts: ErrorFacts & { messages: string[] }, depth: number): void {
  if (depth > 6) return;
  if (typeof value === 'string') {
    visitText(value, facts, depth);
  } else if (Array.isArray(value)) {
    for (const item of value.slice(0, 20)) visit(item, facts, depth + 1);
  } else if (isObject(value)) {
    visitObject(value, facts, depth);
  }
}

/** A text may be an upstream's JSON, or Python's way to print it. */
function visitText(text: string, facts: ErrorFacts & { messages: string[] }, depth: number): void {
  const trimmed = text.trim();
  const upstream = /^[[{]/.test(trimmed) ? parse(trimmed) : undefined;
  if (upstream !== undefined) {
    visit(upstream, facts, depth + 1);
  } else if (trimmed !== '') {
    for (const [, list] of trimmed.matchAll(/'loc': [([]([^)\]]*)[)\]]/g)) {
      const location = (list ?? '').split(',').map((part) => part.replace(/['"\s]/g, ''));
      addLocation(location, trimmed, facts);
    }
    facts.messages.push(trimmed);
  }
}

function visitObject(object: Json, facts: ErrorFacts & { messages: string[] }, depth: number): void {
  for (const [name, value] of Object.entries(object)) {
    const key = name.toLowerCase();
    if (codeKeys.has(key) && (typeof value === 'string' || typeof value === 'number')) {
      facts.codes.add(String(value).toLowerCase());
    }
    if (key === 'error' && typeof value === 'string' && /^[\w.-]+$/.test(value)) facts.codes.add(value.toLowerCase());
    if ((key === 'param' || key === 'field') && typeof value === 'string') facts.params.push(...fieldNames([value]));
    if (key === 'flagged_input' || (key === 'reasons' && Array.isArray(value))) facts.flagged = true;
    if (key === 'loc' && Array.isArray(value)) addLocation(value.map(String), String(object.type ?? ''), facts);
    if (insideKeys.has(key)) visit(value, facts, depth + 1);
  }
}

function addLocation(location: string[], complaint: string, facts: ErrorFacts): void {
  const names = fieldNames(location);
  facts.params.push(...names);
  if (/extra_forbidden|extra fields/i.test(complaint)) facts.unknownFields.push(...names);
}

/** `body.response_format.type` → `response_format`, `type`. */
function fieldNames(path: string[]): string[] {
  return path
    .flatMap((part) => part.toLowerCase().split(/[.[\]/]+/))
    .filter((part) => part !== '' && part !== 'body' && !/^\d+$/.test(part));
}

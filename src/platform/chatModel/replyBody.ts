export type Json = Record<string, unknown>;

/** An object that is neither null nor a list. */
export function isObject(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/**
 * The JSON of a reply body; undefined when there is none. Passes over a byte order mark, comment lines that
 * keep a connection alive, and the terminator of an event stream; puts a stream of chunks together, as
 * some providers stream even when they are not asked to.
 */
export function decodeBody(body: unknown): unknown {
  if (typeof body !== 'string') return body ?? undefined;
  const text = body.replace(/^\uFEFF/, '').trim();
  const whole = parse(text);
  if (whole !== undefined || !/^(data|event|id|retry)?:|\ndata:/m.test(text)) return whole;
  const lines = text.split(/\r?\n/).filter((line) => !/^(:|event:|id:|retry:)/.test(line));
  const events = lines.filter((line) => line.startsWith('data:')).map((line) => line.slice(5).trim());
  const besides = parse(lines.filter((line) => !line.startsWith('data:')).join('\n'));
  return besides ?? joinChunks(events);
}

/** The JSON value of a text; undefined when it is none. */
export function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** The completion that a stream of chunks amounts to; an error among them wins; undefined when it is cut. */
function joinChunks(events: string[]): unknown {
  const chunks = events.filter((event) => event !== '' && event !== '[DONE]').map(parse);
  if (!chunks.every(isObject) || chunks.length === 0) return undefined;
  const failed = chunks.find((chunk) => chunk.error != null);
  if (failed !== undefined) return failed;
  const only = chunks.find((chunk) => isObject(firstChoice(chunk)?.message));
  if (only !== undefined) return only;
  const message = { content: '', refusal: '' };
  let finish: unknown = null;
  for (const chunk of chunks) {
    const choice = firstChoice(chunk);
    const delta = isObject(choice?.delta) ? choice.delta : {};
    if (typeof delta.content === 'string') message.content += delta.content;
    if (typeof delta.refusal === 'string') message.refusal += delta.refusal;
    finish = choice?.finish_reason ?? finish;
  }
  if (finish === null) return undefined;
  const usage = chunks.findLast((chunk) => isObject(chunk.usage))?.usage ?? null;
  return { model: chunks[0]?.model, choices: [{ finish_reason: finish, message }], usage };
}

function firstChoice(chunk: Json): Json | null {
  const choice: unknown = Array.isArray(chunk.choices) ? chunk.choices[0] : undefined;
  return isObject(choice) ? choice : null;
}

import { validate } from 'uuid';
import { NotFound } from '../../errors.js';

/** An opaque id for clients: base64url of the type's name and the parts of its key. */
export function globalId(type: string, ...parts: (string | number)[]): string {
  return Buffer.from([type, ...parts].join(':')).toString('base64url');
}

/** The type and key of a global id; null when it is none. */
export function parseGlobalId(id: string): { type: string; parts: string[] } | null {
  const [type, ...parts] = Buffer.from(id, 'base64url').toString('utf8').split(':');
  if (type === undefined || parts.length === 0 || globalId(type, ...parts) !== id) return null;
  return { type, parts };
}

/** The UUID in a global id of `type`, or null: a malformed id is treated like a missing row. */
export function uuidOf(type: string, id: string): string | null {
  const parsed = parseGlobalId(id);
  const uuid = parsed?.parts[0];
  return parsed?.type === type && parsed.parts.length === 1 && uuid !== undefined && validate(uuid) ? uuid : null;
}

/** As uuidOf, but throws NotFound at `path`. */
export function requireUuid(type: string, id: string, ...path: string[]): string {
  const uuid = uuidOf(type, id);
  if (uuid === null) throw new NotFound(inWords(type), path);
  return uuid;
}

/** For example "Model endpoint" and "API key". */
const inWords = (type: string): string =>
  type.replace(/(?<=[a-z])[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`).replace(/^Api /, 'API ');

/** The UUID and the whole numbers after it in ids such as `RunConversation:<run>:<ordinal>`; null when malformed. */
export function compoundKey(parts: string[], numbers: number): { uuid: string; numbers: number[] } | null {
  const [uuid, ...rest] = parts;
  if (uuid === undefined || !validate(uuid) || rest.length !== numbers) return null;
  if (!rest.every((part) => /^\d{1,9}$/.test(part))) return null;
  return { uuid, numbers: rest.map(Number) };
}

import { InvalidInput } from '../../errors.js';

/**
 * A text that a person typed: trimmed, within its length in code points, without the zero byte and half
 * surrogates that Postgres cannot store. Throws InvalidInput at `path`.
 */
export function cleanText(value: string, path: string[], max: number = 200): string {
  const text = value.trim();
  if (text === '') throw new InvalidInput('must not be empty.', path);
  if (text.includes('\u0000') || !text.isWellFormed()) {
    throw new InvalidInput('holds a zero byte or half of a surrogate pair.', path);
  }
  if ([...text].length > max) throw new InvalidInput(`must not be longer than ${max} characters.`, path);
  return text;
}

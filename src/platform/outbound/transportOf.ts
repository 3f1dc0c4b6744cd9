import { isObject } from '../../healthbench/jsonObject.js';

/** Says what failed below HTTP: a code such as `ECONNRESET`, or words. The cause innermost knows best. */
export function transportOf(error: unknown): string {
  let words = 'unknown failure';
  let at: unknown = error;
  for (let depth = 0; isObject(at) && depth < 6; depth += 1) {
    const several: unknown = Array.isArray(at.errors) ? at.errors[0] : undefined;
    const code = at.code ?? (isObject(several) ? several.code : undefined);
    if (typeof code === 'string' && code !== '') return code;
    words = `${at.name}: ${at.message}`;
    at = at.cause;
  }
  return words;
}

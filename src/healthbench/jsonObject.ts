/** A parsed JSON object. */
export type JsonObject = Record<string, unknown>;

/** Whether a parsed value is an object with keys: not a list, not null. */
export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

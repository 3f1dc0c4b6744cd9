import { parseGlobalId } from '../platform/relay/globalId.js';
import type { Change } from '../tenancy/requestContext.js';

type Subject = NonNullable<Change['subject']>;

/** The subject that a global id names; null when it is none. */
export function subjectOfId(id: unknown, name: string | null = null): Subject | null {
  const parsed = typeof id === 'string' ? parseGlobalId(id) : null;
  return parsed === null ? null : { type: parsed.type, key: parsed.parts.join(':'), name };
}

/** What a mutation's payload is about: the first object in it that has a global id. */
export function subjectOf(payload: unknown): Subject | null {
  for (const value of Object.values((payload ?? {}) as object)) {
    const { id, name } = (value ?? {}) as { id?: unknown; name?: unknown };
    const subject = subjectOfId(id, typeof name === 'string' ? name : null);
    if (subject !== null) return subject;
  }
  return null;
}

/** What a mutation's input names first: the subject of one that was refused. */
export function subjectOfInput(args: Record<string, unknown>): Subject | null {
  const input = { ...args, ...(args.input as object | undefined) };
  for (const [field, value] of Object.entries(input)) {
    const subject = field.endsWith('Id') ? subjectOfId(value) : null;
    if (subject !== null) return subject;
  }
  return null;
}

import { type GraphQLInputType, getNullableType, isEnumType, isInputObjectType, isListType } from 'graphql';
import { storableText } from '../healthbench/storableText.js';
import { maskSecrets } from '../platform/chatModel/maskSecrets.js';
import { parseGlobalId } from '../platform/relay/globalId.js';

export type AuditDetails = Record<string, string | number | boolean | null>;

/** In place of a text: that it was given is worth knowing, what it says is nobody's business. */
export const WITHHELD = '(withheld)';
const MAX_TEXT = 200;
const MAX_ENTRIES = 60;
/** Scalars that cannot hold a text. */
const PLAIN = new Set(['Int', 'Float', 'Boolean', 'BigInt', 'DateTime']);

/**
 * What the log tells of a mutation's input, by path: numbers, switches, choices, times and ids as they are, names
 * without what looks like a key, of an address its host, and of every other text only that it was given.
 */
export function auditDetails(type: GraphQLInputType, value: unknown): AuditDetails {
  const found: AuditDetails = {};
  for (const [path, shown] of leaves(type, value, '')) {
    if (Object.keys(found).length === MAX_ENTRIES) break;
    found[path] = shown;
  }
  return found;
}

type Leaf = [path: string, shown: string | number | boolean | null];

function* leaves(type: GraphQLInputType, value: unknown, path: string): Generator<Leaf> {
  const bare = getNullableType(type);
  if (value === undefined) return;
  if (value === null) yield [path, null];
  else if (isListType(bare)) {
    const items = value as unknown[];
    for (const [index, item] of items.entries()) yield* leaves(bare.ofType, item, `${path}.${index}`);
  } else if (isInputObjectType(bare)) {
    for (const field of Object.values(bare.getFields())) {
      const inner = (value as Record<string, unknown>)[field.name];
      yield* leaves(field.type, inner, path === '' ? field.name : `${path}.${field.name}`);
    }
  } else if (isEnumType(bare)) yield [path, String(bare.serialize(value))];
  else yield [path, shownScalar(bare.name, path.split('.').at(-1) ?? '', value)];
}

function shownScalar(type: string, field: string, value: unknown): string | number | boolean {
  if (type === 'ID') return parseGlobalId(String(value)) === null ? WITHHELD : String(value);
  if (value instanceof Date) return value.toISOString();
  if (PLAIN.has(type)) return typeof value === 'number' || typeof value === 'boolean' ? value : String(value);
  if (field === 'name') return shownName(String(value));
  if (field === 'baseUrl' || field === 'url') return URL.parse(String(value))?.host.slice(0, MAX_TEXT) ?? WITHHELD;
  return WITHHELD;
}

/** A name as the log keeps it: what looks like a key is masked, and it is cut to a storable length. */
export const shownName = (name: string): string => maskSecrets(storableText(name)).slice(0, MAX_TEXT).toWellFormed();

import {
  type GraphQLArgument,
  type GraphQLField,
  type GraphQLInputField,
  type GraphQLInputType,
  getNamedType,
  getNullableType,
  isEnumType,
  isInputObjectType,
  isListType,
  isNonNullType,
} from 'graphql';
import type { Data } from '../assay.js';
import { conversations, jsonl } from '../dataset.js';
import { runnerFile, runnerResult } from '../importFiles.js';

/** A place in a field's arguments where somebody could write what belongs to another team. */
export interface Slot {
  /** For example ['input', 'grader', 'endpointId']. */
  path: string[];
  kind: 'id' | 'cursor' | 'idempotencyKey' | 'text';
  list: boolean;
}

/** The types whose ids stand in arguments that are not called after them. A new name needs a line here. */
const idTypes: Record<string, string> = {
  endpointId: 'ModelEndpoint',
  templateId: 'GraderTemplate',
  baselineId: 'Run',
  candidateId: 'Run',
  subjectId: 'Run',
  deliveryId: 'WebhookDelivery',
};

/** The entity type that an id slot of `field` wants; null: any. Throws for a name that says nothing. */
export function entityOf(
  field: GraphQLField<unknown, unknown>,
  slot: Slot,
  entities: ReadonlySet<string>,
): string | null {
  const name = (slot.path.at(-1) as string).replace(/Ids$/, 'Id');
  if (name === 'id' || name === 'ids') {
    const returned = getNamedType(field.type).name;
    if (returned === 'Node') return null;
    if (entities.has(returned)) return returned;
  }
  const type = idTypes[name] ?? `${name[0]?.toUpperCase()}${name.slice(1).replace(/Id$/, '')}`;
  if (entities.has(type)) return type;
  throw new Error(`The test cannot try ${field.name}(${slot.path.join('.')}): say in idTypes whose id it is.`);
}

/** Every slot of a field, in arguments and in input objects at any depth. */
export function slotsOf(field: GraphQLField<unknown, unknown>): Slot[] {
  return field.args.flatMap((arg) => within(arg, [arg.name], []));
}

function within(place: GraphQLArgument | GraphQLInputField, path: string[], seen: string[]): Slot[] {
  const nullable = getNullableType(place.type);
  const type = getNamedType(place.type);
  if (isInputObjectType(type)) {
    if (seen.includes(type.name)) return [];
    return Object.values(type.getFields()).flatMap((field) =>
      within(field, [...path, field.name], [...seen, type.name]),
    );
  }
  const list = isListType(nullable);
  if (type.name === 'ID') return [{ path, list, kind: 'id' }];
  if (type.name !== 'String') return [];
  if (place.name === 'after' || place.name === 'before') return [{ path, list, kind: 'cursor' }];
  return [{ path, list, kind: place.name === 'idempotencyKey' ? 'idempotencyKey' : 'text' }];
}

/**
 * Arguments that the field accepts, with `value` in `slot`: all that is required, and ids by `idFor`.
 *
 * @param idFor an id of the asking team for a slot
 */
export function argumentsWith(
  field: GraphQLField<unknown, unknown>,
  slot: Slot | null,
  value: string | null,
  idFor: (slot: Slot) => string,
): Data {
  const args: Data = {};
  for (const arg of field.args) {
    const filled = fill(arg, [arg.name], slot, value, idFor);
    if (filled !== undefined) args[arg.name] = filled;
  }
  return args;
}

function fill(
  place: GraphQLArgument | GraphQLInputField,
  path: string[],
  slot: Slot | null,
  value: string | null,
  idFor: (slot: Slot) => string,
): unknown {
  const onTheWay = slot !== null && path.every((name, i) => slot.path[i] === name);
  if (onTheWay && slot.path.length === path.length) return slot.list ? [value] : value;
  // A switch that is on by default leaves something out.
  if (place.defaultValue === true) return false;
  const wanted = alwaysGiven.has(path.join('.')) || (isNonNullType(place.type) && place.defaultValue === undefined);
  if (place.name === 'first') return 50;
  if (place.name === 'comparableOnly') return false;
  if (!wanted && !onTheWay) return undefined;
  const filled = example(place, path, slot, value, idFor);
  return isListType(getNullableType(place.type)) ? [filled] : filled;
}

function example(
  place: GraphQLArgument | GraphQLInputField,
  path: string[],
  slot: Slot | null,
  value: string | null,
  idFor: (slot: Slot) => string,
): unknown {
  const type: GraphQLInputType = getNamedType(place.type);
  if (isInputObjectType(type)) {
    const object: Data = {};
    for (const field of Object.values(type.getFields())) {
      const filled = fill(field, [...path, field.name], slot, value, idFor);
      if (filled !== undefined) object[field.name] = filled;
    }
    return object;
  }
  if (type.name === 'ID') return idFor({ path, kind: 'id', list: isListType(getNullableType(place.type)) });
  if (isEnumType(type)) return type.getValues()[0]?.name;
  if (type.name === 'String') return texts[place.name] ?? `any ${place.name} ${crypto.randomUUID()}`;
  if (type.name === 'DateTime') return '2099-01-01T00:00:00Z';
  if (type.name === 'Boolean') return true;
  return 1;
}

/** Of an input that can be given in two ways: one of them, whole. */
const alwaysGiven = new Set(['input.jsonl', 'input.name', 'input.file']);

/** Texts that must have a form. */
const texts: Record<string, string> = {
  jsonl: jsonl(conversations(1)),
  file: runnerFile(conversations(1).map((one) => runnerResult(one))),
  text: 'Own template: <<conversation>> <<rubric_item>>',
  baseUrl: 'http://127.0.0.1:9/v1',
  url: 'http://127.0.0.1:9/hook',
};

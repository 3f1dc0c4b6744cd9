import {
  type GraphQLField,
  type GraphQLObjectType,
  type GraphQLOutputType,
  type GraphQLSchema,
  getNamedType,
  isInterfaceType,
  isLeafType,
  isObjectType,
} from 'graphql';
import type { Data } from '../assay.js';

export type AnyField = GraphQLField<unknown, unknown>;
export type Root = 'query' | 'mutation' | 'subscription';

/** One field on the way from a root to an object, with its arguments. */
export interface Step {
  field: AnyField;
  args: Data;
}

export interface Operation {
  name: string;
  root: Root;
  query: string;
  variables: Data;
}

export const objectTypes = (schema: GraphQLSchema): GraphQLObjectType[] =>
  Object.values(schema.getTypeMap())
    .filter(isObjectType)
    .filter((type) => !type.name.startsWith('__'));

/** The types that have an id. */
export const entityTypes = (schema: GraphQLSchema): Set<string> =>
  new Set(objectTypes(schema).flatMap((type) => (type.getFields().id === undefined ? [] : [type.name])));

/** The shortest way from the query root to each object type; mutations and subscriptions have their own. */
export function routesFrom(schema: GraphQLSchema): Map<string, AnyField[]> {
  const routes = new Map<string, AnyField[]>([['Query', []]]);
  const queue = [schema.getQueryType() as GraphQLObjectType];
  for (let type = queue.shift(); type !== undefined; type = queue.shift()) {
    for (const field of Object.values(type.getFields())) {
      const next = getNamedType(field.type);
      if (!isObjectType(next) || routes.has(next.name)) continue;
      routes.set(next.name, [...(routes.get(type.name) as AnyField[]), field]);
      queue.push(next);
    }
  }
  return routes;
}

/** An operation that goes along `steps` and selects, at their end, what can be read without further arguments. */
export function operation(root: Root, steps: Step[]): Operation {
  const variables: Data = {};
  const definitions: string[] = [];
  const parts = steps.map(({ field, args }, i) => {
    const given = field.args.filter((arg) => args[arg.name] !== undefined);
    for (const arg of given) {
      definitions.push(`$v${i}_${arg.name}: ${arg.type}`);
      variables[`v${i}_${arg.name}`] = args[arg.name];
    }
    const list = given.map((arg) => `${arg.name}: $v${i}_${arg.name}`).join(', ');
    return `${field.name}${list === '' ? '' : `(${list})`}`;
  });
  const last = steps.at(-1) as Step;
  // What a mutation or subscription alone returns has to be read through it.
  const inner = leaves(last.field.type, root === 'query' ? 1 : 2);
  const body = parts.reduceRight(
    // A subscription may have one root field, and __typename would be a second.
    (selected, part, i) => `{ ${i === 0 ? '' : '__typename '}${part} ${selected} }`,
    inner,
  );
  const head = `${root} Trial${definitions.length === 0 ? '' : `(${definitions.join(', ')})`}`;
  return {
    name: `${root} ${steps.map(({ field }) => field.name).join('.')}`,
    root,
    query: `${head} ${body}`,
    variables,
  };
}

/** The root types, and the kind of operation that begins there. */
export const rootsOf = (schema: GraphQLSchema): [Root, GraphQLObjectType | null | undefined][] => [
  ['query', schema.getQueryType()],
  ['mutation', schema.getMutationType()],
  ['subscription', schema.getSubscriptionType()],
];

/**
 * The leaf fields and values of a type and, `depth` levels deeper, of what it holds; only fields that need no argument, and no
 * type within itself (a run and the run that it regrades), which would bring no new field.
 */
function leaves(output: GraphQLOutputType, depth: number, above: string[] = []): string {
  const type = getNamedType(output);
  if (isLeafType(type)) return '';
  if (isInterfaceType(type)) return '{ __typename id }';
  if (!isObjectType(type)) throw new Error(`The test cannot select from ${type.name}: teach it.`);
  const selected = Object.values(type.getFields()).flatMap((field) => {
    if (field.args.some((arg) => String(arg.type).endsWith('!') && arg.defaultValue === undefined)) return [];
    const leaf = isLeafType(getNamedType(field.type)) || isValue(field.type);
    if (!leaf && (depth === 0 || [...above, type.name].includes(getNamedType(field.type).name))) return [];
    return [`${field.name} ${leaves(field.type, depth - 1, [...above, type.name])}`];
  });
  return `{ __typename ${selected.join(' ')} }`;
}

/** An object without objects in it, such as an interval, belongs to what holds it. */
function isValue(output: GraphQLOutputType): boolean {
  const type = getNamedType(output);
  return isObjectType(type) && Object.values(type.getFields()).every((field) => isLeafType(getNamedType(field.type)));
}

/** `Type.field` for every field that stands in an answer, whatever its value. */
export function fieldsIn(value: unknown, found = new Set<string>()): Set<string> {
  if (Array.isArray(value)) for (const item of value) fieldsIn(item, found);
  else if (typeof value === 'object' && value !== null) {
    const { __typename: type, ...fields } = value as Data;
    for (const [name, inner] of Object.entries(fields)) {
      if (typeof type === 'string') found.add(`${type}.${name}`);
      fieldsIn(inner, found);
    }
  }
  return found;
}

/** Every text in an answer. */
export function textsIn(value: unknown, found = new Set<string>()): Set<string> {
  if (typeof value === 'string') found.add(value);
  else if (Array.isArray(value)) for (const item of value) textsIn(item, found);
  else if (typeof value === 'object' && value !== null) for (const item of Object.values(value)) textsIn(item, found);
  return found;
}

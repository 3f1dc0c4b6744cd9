import {
  type DefinitionNode,
  type DocumentNode,
  type FieldNode,
  type FragmentDefinitionNode,
  type GraphQLNamedType,
  type GraphQLOutputType,
  type GraphQLSchema,
  getNamedType,
  getNullableType,
  isInterfaceType,
  isLeafType,
  isListType,
  isObjectType,
  Kind,
  type OperationDefinitionNode,
  type SelectionNode,
  type SelectionSetNode,
} from 'graphql';
import { DEFAULT_PAGE } from '../platform/relay/page.js';

/** What a document asks for at most; where it holds several operations, the dearest of them. */
export interface QueryPrice {
  /** Objects that may be returned: pages count with the size asked for, other lists with 10. */
  cost: number;
  /** Nested fields, fragments spelled out. */
  depth: number;
  aliases: number;
  rootFields: number;
  /** Fields and spreads of the whole document, fragments spelled out: what validation has to walk through. */
  fields: number;
}

/** A list that has no page size. */
const ASSUMED_LIST = 10;
/** Of `totalCount`, which counts all pages. */
const COUNT_COST = 10;
/** Of `__schema` and `__type`; graphql's own rule bounds how deep they go. */
const INTROSPECTION_COST = 50;
/** The widest page of any connection: a wider one is refused by its field, which names its own maximum. */
const WIDEST_PAGE = 500;

/** Sums over a selection set. The cost is `base`, plus `perRow` for each row of the connection it stands in. */
interface Sums {
  base: number;
  perRow: number;
  depth: number;
  aliases: number;
  /** Fields of the set itself. */
  direct: number;
  fields: number;
}

const nothing: Readonly<Sums> = { base: 0, perRow: 0, depth: 0, aliases: 0, direct: 0, fields: 0 };

/**
 * Prices a document, which need not be valid: what validation will refuse anyway costs nothing. Each fragment is added
 * up once however often it is spread, so the time is linear in the length of the document, while the sums grow as if
 * it were spelled out.
 *
 * @param variables as they came, unchecked
 */
export function priceOf(
  schema: GraphQLSchema,
  document: DocumentNode,
  variables: Readonly<Record<string, unknown>>,
): QueryPrice {
  const pricing = new Pricing(schema, document, variables);
  const price: QueryPrice = { cost: 0, depth: 0, aliases: 0, rootFields: 0, fields: 0 };
  for (const definition of document.definitions) {
    const sums = pricing.definition(definition);
    price.cost = Math.max(price.cost, sums.base);
    price.depth = Math.max(price.depth, sums.depth);
    price.aliases = Math.max(price.aliases, sums.aliases);
    if (definition.kind === Kind.OPERATION_DEFINITION) price.rootFields = Math.max(price.rootFields, sums.direct);
    price.fields += sums.fields;
  }
  return price;
}

class Pricing {
  readonly #fragments: Map<string, FragmentDefinitionNode>;
  readonly #sums = new Map<string, Readonly<Sums>>();
  #defaults: Readonly<Record<string, unknown>> = {};

  constructor(
    private readonly schema: GraphQLSchema,
    document: DocumentNode,
    private readonly variables: Readonly<Record<string, unknown>>,
  ) {
    this.#fragments = fragmentsOf(document);
    for (const definition of document.definitions) {
      if (definition.kind === Kind.OPERATION_DEFINITION)
        this.#defaults = { ...this.#defaults, ...defaultsOf(definition) };
    }
  }

  definition(definition: DefinitionNode): Readonly<Sums> {
    if (definition.kind === Kind.FRAGMENT_DEFINITION) return this.#fragment(definition.name.value);
    if (definition.kind !== Kind.OPERATION_DEFINITION) return nothing;
    return this.#set(definition.selectionSet, this.schema.getRootType(definition.operation) ?? undefined);
  }

  #fragment(name: string): Readonly<Sums> {
    const known = this.#sums.get(name);
    if (known !== undefined) return known;
    // What a fragment adds to itself is nothing; validation refuses circles.
    this.#sums.set(name, nothing);
    const fragment = this.#fragments.get(name);
    if (fragment === undefined) return nothing;
    const sums = this.#set(fragment.selectionSet, this.schema.getType(fragment.typeCondition.name.value));
    this.#sums.set(name, sums);
    return sums;
  }

  #set(set: SelectionSetNode, type: GraphQLNamedType | undefined): Sums {
    const total = { ...nothing };
    for (const selection of set.selections) {
      const sums = this.#selection(selection, type);
      total.base += sums.base;
      total.perRow += sums.perRow;
      total.aliases += sums.aliases;
      total.direct += sums.direct;
      total.fields += sums.fields;
      total.depth = Math.max(total.depth, sums.depth);
    }
    return total;
  }

  #selection(selection: SelectionNode, type: GraphQLNamedType | undefined): Readonly<Sums> {
    if (selection.kind === Kind.FIELD) return this.#field(selection, type);
    if (selection.kind === Kind.INLINE_FRAGMENT) {
      const condition = selection.typeCondition?.name.value;
      return this.#set(selection.selectionSet, condition === undefined ? type : this.schema.getType(condition));
    }
    const sums = this.#fragment(selection.name.value);
    return { ...sums, fields: sums.fields + 1 };
  }

  #field(node: FieldNode, parent: GraphQLNamedType | undefined): Sums {
    const name = node.name.value;
    const own = isObjectType(parent) || isInterfaceType(parent) ? parent.getFields()[name] : undefined;
    const inner =
      node.selectionSet === undefined ? nothing : this.#set(node.selectionSet, own && getNamedType(own.type));
    const counts = {
      depth: inner.depth + 1,
      aliases: inner.aliases + (node.alias === undefined ? 0 : 1),
      direct: 1,
      fields: inner.fields + 1,
    };
    if (own === undefined)
      return { ...counts, base: name.startsWith('__s') || name === '__type' ? INTROSPECTION_COST : 0, perRow: 0 };
    const inConnection = isConnection(parent);
    if (inConnection && isList(own.type)) return { ...counts, base: 0, perRow: 1 + inner.base };
    return { ...counts, base: this.#cost(node, own.type, inner, inConnection), perRow: 0 };
  }

  #cost(node: FieldNode, type: GraphQLOutputType, inner: Readonly<Sums>, inConnection: boolean): number {
    const named = getNamedType(type);
    if (isLeafType(named)) return inConnection && node.name.value === 'totalCount' ? COUNT_COST : 0;
    if (isConnection(named)) return 1 + inner.base + times(inner.perRow, this.#pageSize(node));
    return (isList(type) ? ASSUMED_LIST : 1) * (1 + inner.base);
  }

  #pageSize(node: FieldNode): number {
    const value = node.arguments?.find((argument) => argument.name.value === 'first')?.value;
    let size: unknown;
    if (value?.kind === Kind.INT) size = Number(value.value);
    if (value?.kind === Kind.VARIABLE) {
      const name = value.name.value;
      size = Object.hasOwn(this.variables, name) ? this.variables[name] : this.#defaults[name];
    }
    return typeof size === 'number' ? Math.min(Math.max(size, 0), WIDEST_PAGE) : DEFAULT_PAGE;
  }
}

/** Not NaN for no row of something endless. */
const times = (cost: number, rows: number): number => (rows === 0 ? 0 : cost * rows);
const isList = (type: GraphQLOutputType): boolean => isListType(getNullableType(type));
const isConnection = (type: GraphQLNamedType | undefined): boolean => type?.name.endsWith('Connection') ?? false;

function fragmentsOf(document: DocumentNode): Map<string, FragmentDefinitionNode> {
  const fragments = document.definitions.filter((definition) => definition.kind === Kind.FRAGMENT_DEFINITION);
  return new Map(fragments.map((fragment) => [fragment.name.value, fragment]));
}

/** The whole numbers among the defaults of an operation's variables. */
function defaultsOf(operation: OperationDefinitionNode): Record<string, number> {
  const defaults: Record<string, number> = {};
  for (const { variable, defaultValue } of operation.variableDefinitions ?? []) {
    if (defaultValue?.kind === Kind.INT) defaults[variable.name.value] = Number(defaultValue.value);
  }
  return defaults;
}

/**
 * The root fields of an operation by name, fragments spelled out, each as often as it is asked for. Only for a document
 * whose price is known to be small: what is spelled out may be endless.
 */
export function rootFieldsOf(document: DocumentNode, operation: OperationDefinitionNode): string[] {
  const fragments = fragmentsOf(document);
  const visit = (set: SelectionSetNode, open: readonly string[]): string[] =>
    set.selections.flatMap((selection) => {
      if (selection.kind === Kind.FIELD) return [selection.name.value];
      if (selection.kind === Kind.INLINE_FRAGMENT) return visit(selection.selectionSet, open);
      const name = selection.name.value;
      const fragment = open.includes(name) ? undefined : fragments.get(name);
      return fragment === undefined ? [] : visit(fragment.selectionSet, [...open, name]);
    });
  return visit(operation.selectionSet, []);
}

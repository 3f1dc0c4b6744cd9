import { describe, expect, it } from '@jest/globals';
import { buildSchema, getIntrospectionQuery, parse } from 'graphql';
import { refuseExpensive, refuseLongText, standardLimits } from './queryLimits.js';
import { priceOf } from './queryPrice.js';

const schema = buildSchema(`
  type Query { runs(first: Int, after: String): RunConnection!  run(id: ID!): Run  names: [String!]! }
  type RunConnection { nodes: [Run!]!  edges: [RunEdge!]!  totalCount: Int! }
  type RunEdge { cursor: String!  node: Run! }
  type Run { id: ID!  name: String!  dataset: Dataset!  tagScores: [Tag!]! }
  type Tag { tag: String!  run: Run! }
  type Dataset { name: String!  runs(first: Int): RunConnection! }
`);

const price = (text: string, variables: Record<string, unknown> = {}) => priceOf(schema, parse(text), variables);

describe('the price of a document', () => {
  it.each([
    ['{ names }', 0],
    ['{ run(id: 1) { id name } }', 1],
    ['{ run(id: 1) { dataset { name } } }', 2],
    // The connection and its rows.
    ['{ runs(first: 3) { nodes { id } } }', 4],
    ['{ runs { nodes { id } } }', 51],
    ['{ runs(first: 3) { edges { cursor node { id } } } }', 7],
    ['{ runs(first: 3) { nodes { dataset { name } } totalCount } }', 17],
    ['{ runs(first: 3) { nodes { dataset { runs(first: 5) { nodes { id } } } } } }', 1 + 3 * (1 + 1 + 6)],
    // A list without a page size counts as ten.
    ['{ run(id: 1) { tagScores { run { id } } } }', 21],
    ['{ __schema { types { name } } }', 50],
  ])('of %s is %d', (text, cost) => {
    expect(price(text).cost).toBe(cost);
  });

  it('takes page sizes from variables and their defaults, and from none that is no number', () => {
    const text = 'query ($n: Int = 7) { runs(first: $n) { nodes { id } } }';
    expect(price(text, { n: 20 }).cost).toBe(21);
    expect(price(text).cost).toBe(8);
    expect(price(text, { n: '20' }).cost).toBe(51);
    expect(price(text, { n: -5 }).cost).toBe(1);
  });

  it('counts a page that is too wide as the widest, so that its field can say what is allowed', () => {
    expect(price('{ runs(first: 100000) { nodes { id } } }').cost).toBe(501);
  });

  it('is the same whether fragments are spelled out or not', () => {
    const spelled = price('{ runs(first: 9) { nodes { dataset { runs(first: 9) { nodes { n: name } } } } } }');
    const named = price(`
      { runs(first: 9) { ...R } }
      fragment R on RunConnection { nodes { ...A } }
      fragment A on Run { dataset { ... on Dataset { runs(first: 9) { ...S } } } }
      fragment S on RunConnection { nodes { n: name } }
    `);
    expect(named).toMatchObject({ cost: spelled.cost, depth: spelled.depth, aliases: spelled.aliases, rootFields: 1 });
    expect(spelled).toMatchObject({ depth: 6, aliases: 1 });
  });

  it('survives what validation will refuse: unknown names and circles', () => {
    expect(price('{ nothing { of { it } } }')).toMatchObject({ cost: 0, depth: 3 });
    expect(
      price('{ run(id: 1) { ...A } } fragment A on Run { dataset { runs(first: 2) { nodes { ...A } } } }'),
    ).toMatchObject({ depth: 4, cost: 5 });
    expect(price('{ ...Missing } fragment B on Nothing { id }').cost).toBe(0);
  });

  it('counts as many root fields and aliases as are spelled out', () => {
    const text = '{ ...A ...A } fragment A on Query { a: names b: names names }';
    expect(price(text)).toMatchObject({ rootFields: 6, aliases: 4 });
  });
});

describe('the limits of a document', () => {
  const refuse = (text: string) => {
    refuseLongText(text, standardLimits);
    return refuseExpensive(schema, parse(text), {}, standardLimits);
  };
  const many = (count: number, make: (at: number) => string) =>
    Array.from({ length: count }, (_, at) => make(at)).join(' ');

  it.each<[string, string, string]>([
    ['1,000 aliases', `{ ${many(1000, (at) => `a${at}: runs { nodes { id } }`)} }`, 'TOO_MANY_ALIASES'],
    ['60 root fields', `{ ${many(60, () => 'names')} }`, 'TOO_MANY_ROOT_FIELDS'],
    [
      'pages in pages',
      '{ runs(first: 200) { nodes { dataset { runs(first: 200) { nodes { id } } } } } }',
      'QUERY_TOO_EXPENSIVE',
    ],
    ['2 MB of fields', `{ runs { nodes { ${'id '.repeat(700_000)} } } }`, 'QUERY_TOO_LONG'],
    ['a text nested 9,000 deep', `${'{a'.repeat(9_000)}${'}'.repeat(9_000)}`, 'QUERY_TOO_DEEP'],
    ['a value nested 9,000 deep', `{ run(id: ${'['.repeat(9_000)}${']'.repeat(9_000)}) { id } }`, 'QUERY_TOO_DEEP'],
    [
      'fragments nested 20 deep',
      `{ run(id: 1) { ...F0 } } ${many(20, (at) => `fragment F${at} on Run { dataset { runs { nodes { ...F${at + 1} } } } }`)} fragment F20 on Run { id }`,
      'QUERY_TOO_DEEP',
    ],
    [
      'fragments that double 30 times',
      `{ run(id: 1) { ...F30 } } fragment F0 on Run { id } ${many(30, (at) => `fragment F${at + 1} on Run { ...F${at} ...F${at} }`)}`,
      'TOO_MANY_FIELDS',
    ],
    [
      'unused fragments that double 30 times',
      `{ names } fragment F0 on Run { id } ${many(30, (at) => `fragment F${at + 1} on Run { ...F${at} ...F${at} }`)}`,
      'TOO_MANY_FIELDS',
    ],
    [
      'fragments that double 1,500 times',
      `{ names } fragment F0 on Run { id } ${many(1500, (at) => `fragment F${at + 1} on Run { ...F${at} ...F${at} }`)}`,
      'TOO_MANY_FIELDS',
    ],
    [
      'a chain of 2,400 fragments',
      `{ names } fragment F2400 on Run { id } ${many(2400, (at) => `fragment F${at} on Run { ...F${at + 1} }`)}`,
      'TOO_MANY_FIELDS',
    ],
  ])('refuse %s, quickly', (_what, text, code) => {
    const began = performance.now();
    expect(() => refuse(text)).toThrow(expect.objectContaining({ code }));
    expect(performance.now() - began).toBeLessThan(1_000);
  });

  it('let through what tools ask for the schema, and a long text in one string', () => {
    expect(() => refuse(getIntrospectionQuery())).not.toThrow();
    expect(() => refuse(`{ run(id: "${'x'.repeat(1_000_000)}") { id } }`)).not.toThrow();
    expect(() => refuseLongText('{ a "', standardLimits)).not.toThrow();
  });
});

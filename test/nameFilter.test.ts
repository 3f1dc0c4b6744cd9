import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Assay, type Data, type Team } from './support/assay.js';
import { conversations, jsonl } from './support/dataset.js';

const names = ['50% faster', '500 faster', 'night_ly', 'nightXly', 'back\\slash', 'Ünïcode'];

describe.each(['datasets', 'runs'])('the filter by name of %s', (list) => {
  let assay: Assay;
  let team: Team;

  beforeAll(async () => {
    assay = await Assay.start({ workers: false });
    team = await assay.team();
    await team.endpoint('http://127.0.0.1:9/v1');
    for (const [at, name] of names.entries()) {
      const { id } = await team.dataset(jsonl(conversations(at + 1)), name);
      await team.start({ datasetId: id, name });
    }
  });
  afterAll(() => assay.close());

  const query =
    list === 'runs'
      ? 'query ($name: String) { found: runs(filter: { name: $name }) { totalCount nodes { name } } }'
      : 'query ($name: String) { found: datasets(name: $name) { totalCount nodes { name } } }';
  const found = async (name: string | null) => {
    const { nodes, totalCount } = (await team.query(query, { name })).found;
    expect(totalCount).toBe(nodes.length);
    return nodes.map((node: Data) => node.name).reverse();
  };

  it.each([
    ['FASTER', ['50% faster', '500 faster']],
    ['0%', ['50% faster']],
    ['%', ['50% faster']],
    ['t_l', ['night_ly']],
    ['K\\S', ['back\\slash']],
    ['ÜnïCODE', ['Ünïcode']],
    ['nothing', []],
    ['', names],
    [null, names],
  ])('takes %j as it is written, in any case', async (name, expected) => {
    expect(await found(name)).toEqual(expected);
  });

  it('finds nothing by what no name can hold', async () => {
    const { errors } = await assay.graphql(query, { name: 'a\u0000b' }, team.key);
    expect(errors?.[0]?.extensions.code).toBe('INVALID_INPUT');
  });
});

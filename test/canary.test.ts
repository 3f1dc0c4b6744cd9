import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type GraphQLArgument, getNamedType, isInputObjectType, isLeafType, isNonNullType } from 'graphql';
import WebSocket from 'ws';
import { assaySchema } from '../src/graphql/schema.js';
import { type SimulatedProvider, startSimulatedProvider } from '../src/simulator/simulatedProvider.js';
import { Assay, type Data, OPERATOR_TOKEN, type Team } from './support/assay.js';
import { line } from './support/dataset.js';

const CANARY = 'healthbench:made-up-canary-5c1f';
/** Words that stand in texts of the dataset, and in what the models made of them. */
const TEXTS = ['lavender-question', 'lavender-criterion', 'lavender-ideal'];
const record = (i: number) => ({
  ...JSON.parse(
    line({
      promptId: `p${i}`,
      tags: ['theme:hedging'],
      criteria: [{ points: 5, tags: ['axis:accuracy'], text: `lavender-criterion ${i}` }],
    }),
  ),
  prompt: [{ role: 'user', content: `lavender-question ${i}` }],
  ideal_completions_data: { ideal_completion: `lavender-ideal ${i}` },
  canary: CANARY,
});
const tells = (text: string) => TEXTS.filter((word) => text.includes(word));

describe('the canary rule', () => {
  let assay: Assay;
  let provider: SimulatedProvider;
  let team: Team;
  /** What may stand in the path of a route. */
  let params: Data;

  beforeAll(async () => {
    provider = await startSimulatedProvider({ seed: 1, failMalformed: 0.3 });
    assay = await Assay.start();
    team = await assay.team();
    await team.endpoint(provider.url);
    const dataset = await team.dataset([0, 1, 2, 3, 4, 5].map((i) => JSON.stringify(record(i))).join('\n'));
    const runId = await team.start({ datasetId: dataset.id });
    await team.watch(runId);
    params = { runId, datasetId: dataset.id };
  });
  afterAll(async () => {
    await assay.close();
    await provider.close();
  });

  /** Every plain route of the server, also one that is added later, with ids that are there. */
  const routes = (): { method: string; url: string }[] =>
    assay.server.routes.flatMap((route) => {
      const [method, path] = route.split(' ') as [string, string];
      const filled = path.replace(/:(\w+)(\([^)]*\))?/g, (_, name) => {
        const value = params[name] ?? (name === 'id' ? params.runId : undefined);
        if (value === undefined) throw new Error(`${route}: this test has nothing for :${name}; add it to params.`);
        return value;
      });
      const more = method === 'GET' ? (choices[path] ?? []) : [];
      return ['', ...more].map((query) => ({ method, url: `${assay.server.url}${filled}${query}` }));
    });
  const READ_ALL = `{ datasets { nodes { conversations { nodes { messages { content } criteria { text } } } } }
    runs { nodes { conversations { nodes { reply { text } } } verdicts { nodes { explanation criterion { text } } } } } }`;
  /** What a route exports by its query, beside its default. */
  const choices: Record<string, string[]> = {
    '/runs/:id/export': [
      '?table=verdicts&format=csv',
      '?table=conversations&format=jsonl',
      '?format=simple-evals',
      '?format=harness-results',
    ],
  };
  const ask = async (method: string, url: string, key: string | null) => {
    const query = url.endsWith('/graphql') && method === 'GET' ? `?query=${encodeURIComponent(READ_ALL)}` : '';
    const response = await fetch(url + query, {
      method,
      headers: {
        'content-type': 'application/json',
        'apollo-require-preflight': 'true',
        ...(key === null ? {} : { authorization: `Bearer ${key}` }),
      },
      ...(method === 'POST' ? { body: JSON.stringify({ query: READ_ALL }) } : {}),
    });
    return { status: response.status, text: await response.text() };
  };

  it('lets nobody read a text without a credential, on any route', async () => {
    const known = routes();
    expect(known.length).toBeGreaterThan(5);
    for (const { method, url } of known) {
      for (const key of [null, 'assay_guessed', `${team.key}x`, OPERATOR_TOKEN]) {
        const { status, text } = await ask(method, url, key);
        expect([method, url, key, tells(text), status === 500]).toEqual([method, url, key, [], false]);
      }
    }
    // The same requests with the key do read texts: the test above looks in the right place.
    expect(tells((await ask('POST', `${assay.server.url}/graphql`, team.key)).text)).toEqual(TEXTS.slice(0, 2));
  });

  it('lets nobody ask any root field without a credential', async () => {
    const schema = assaySchema();
    const fields = [
      ...Object.values(schema.getQueryType()?.getFields() ?? {}).map((field) => ({ kind: 'query', field })),
      ...Object.values(schema.getMutationType()?.getFields() ?? {}).map((field) => ({ kind: 'mutation', field })),
    ];
    for (const { kind, field } of fields) {
      const given = field.args.filter(({ type, defaultValue }) => isNonNullType(type) && defaultValue === undefined);
      const head = given.map(({ name, type }) => `$${name}: ${type}`).join(', ');
      const args = given.map(({ name }) => `${name}: $${name}`).join(', ');
      const selection = isLeafType(getNamedType(field.type)) ? '' : '{ __typename }';
      const query = `${kind} ${head && `(${head})`} { ${field.name} ${args && `(${args})`} ${selection} }`;
      const variables = Object.fromEntries(given.map((arg) => [arg.name, sampleOf(arg)]));
      const { errors } = await assay.graphql(query, variables);
      expect([field.name, errors?.[0]?.extensions.code]).toEqual([field.name, 'UNAUTHENTICATED']);
    }
  });

  it('lets nobody open a socket without a credential', async () => {
    const socket = new WebSocket(`${assay.server.url.replace('http', 'ws')}/graphql`, 'graphql-transport-ws');
    const closed = new Promise<number>((resolve) => socket.on('close', resolve));
    socket.on('open', () => socket.send(JSON.stringify({ type: 'connection_init', payload: {} })));
    expect(await closed).toBe(4403);
  });

  it('sends the canary along with every exported line that holds a text', async () => {
    let lines = 0;
    for (const { method, url } of routes()) {
      if (method !== 'GET' || url.endsWith('/graphql')) continue;
      const { status, text } = await ask(method, url, team.key);
      expect([url, status]).toEqual([url, 200]);
      // A cell of CSV may hold a line break.
      for (const row of url.includes('csv') ? [text] : text.split('\n')) {
        if (tells(row).length === 0) continue;
        lines += 1;
        expect([url, row.includes(CANARY)]).toEqual([url, true]);
      }
    }
    expect(lines).toBeGreaterThan(10);
  });

  it('marks what models wrote about a conversation in the export of a team, too', async () => {
    const { text } = await ask('GET', `${assay.server.url}/team/export`, team.key);
    const rows = text
      .trimEnd()
      .split('\n')
      .map((row) => JSON.parse(row) as Data);
    const marked = ['conversation', 'rubricCriterion', 'runConversation', 'reply', 'criterionVerdict', 'failedCall'];
    for (const type of marked) {
      const own = rows.filter((row) => row.type === type);
      expect([type, own.length > 0, own.every((row) => row.canary === CANARY)]).toEqual([type, true, true]);
    }
    expect(rows.filter((row) => tells(JSON.stringify(row)).length > 0 && row.canary !== CANARY)).toEqual([]);
  });

  it('gives the canary to those who read conversations by query', async () => {
    const { datasets } = await team.query('{ datasets { nodes { conversations(first: 1) { nodes { canary } } } } }');
    expect(datasets.nodes[0].conversations.nodes).toEqual([{ canary: CANARY }]);
  });
});

/** Something of the right type: it is refused before anybody looks at it. */
function sampleOf({ type }: Pick<GraphQLArgument, 'type'>): unknown {
  const bare = isNonNullType(type) ? type.ofType : type;
  if (!isInputObjectType(bare)) {
    const plain: Data = { Int: 1, Float: 1, Boolean: true, DateTime: '2100-01-01T00:00:00Z' };
    const { name } = getNamedType(bare);
    const type = assaySchema().getType(name);
    if (type !== undefined && 'getValues' in type) return type.getValues()[0]?.name;
    return plain[name] ?? 'x';
  }
  return Object.fromEntries(
    Object.values(bare.getFields())
      .filter((field) => isNonNullType(field.type) && field.defaultValue === undefined)
      .map((field) => [field.name, sampleOf(field)]),
  );
}

import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Assay, type Data, type Team } from './support/assay.js';
import { conversations, jsonl } from './support/dataset.js';

const FOLDER = path.resolve('test/fixtures/datasets');
const expected = JSON.parse(readFileSync(path.join(FOLDER, 'expect.json'), 'utf8')) as Record<string, Data>;
const files = readdirSync(FOLDER).filter((name) => name.endsWith('.jsonl'));

describe('importing a dataset', () => {
  let assay: Assay;
  let team: Team;

  beforeAll(async () => {
    assay = await Assay.start({ workers: false });
    team = await assay.team();
  });
  afterAll(() => assay.close());

  const post = (body: RequestInit['body'], name = 'file', key = team.key) =>
    fetch(`${assay.server.url}/datasets?name=${encodeURIComponent(name)}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/x-ndjson' },
      body,
      duplex: 'half',
    } as RequestInit);
  const count = async () => (await team.query('{ datasets { totalCount } }')).datasets.totalCount as number;

  it.each(files)('treats %s as it should', async (name) => {
    const want = expected[name] as Data;
    const before = await count();
    const response = await post(readFileSync(path.join(FOLDER, name)), name);
    const body = (await response.json()) as Data;
    if (want.import === 'accept') {
      expect({ status: response.status, rows: body.dataset?.conversationCount }).toEqual({
        status: 201,
        rows: want.rows,
      });
    } else {
      expect(response.status).toBe(400);
      expect(body.error.message).toMatch(new RegExp(`^Line ${want.line}: `));
      expect(await count()).toBe(before);
    }
  });

  it('asks for the name of a file that comes without one', async () => {
    const response = await post(jsonl(conversations(1)), ' ');
    expect(response.status).toBe(400);
    expect(((await response.json()) as Data).error.message).toContain('?name=');
  });

  it('answers a rejection in the mutation with a user error that names the line', async () => {
    const text = `${jsonl(conversations(2))}\n{"prompt_id": "x"}`;
    const payload = await team.tryMutate('importDataset', { name: 'bad', jsonl: text }, 'dataset { id }');
    expect(payload.dataset).toBeNull();
    expect(payload.userErrors).toEqual([
      { code: 'INVALID_INPUT', message: expect.stringMatching(/^Line 3: /), path: ['jsonl'] },
    ]);
  });

  it('takes the same content twice as the same dataset, whatever its name', async () => {
    const text = jsonl(conversations(3));
    const first = await team.mutate(
      'importDataset',
      { name: 'one', jsonl: text },
      'created dataset { id name sha256 }',
    );
    const second = await team.mutate(
      'importDataset',
      { name: 'two', jsonl: text },
      'created dataset { id name sha256 }',
    );
    expect(first.created).toBe(true);
    expect(second).toMatchObject({ created: false, dataset: first.dataset });
  });

  it('gives each team its own copy', async () => {
    const text = jsonl(conversations(3));
    const other = await assay.team();
    const mine = await team.dataset(text);
    const theirs = await other.dataset(text);
    expect(theirs.id).not.toBe(mine.id);
    expect((await other.query('query ($id: ID!) { dataset(id: $id) { id } }', { id: mine.id })).dataset).toBeNull();
  });

  it('keeps the order, the signs, the tags and the points of the file, and its canary', async () => {
    const list = conversations(7);
    const { id } = await team.dataset(jsonl(list), 'kept');
    const { dataset } = await team.query(
      `query ($id: ID!) { dataset(id: $id) { conversations { totalCount nodes {
        promptId tags theme messages { role content } criteria { no points tags axis } } } } }`,
      { id },
    );
    expect(dataset.conversations.totalCount).toBe(7);
    expect(dataset.conversations.nodes).toEqual(
      list.map((conversation) => ({
        promptId: conversation.promptId,
        tags: conversation.tags,
        theme: conversation.tags[0]?.slice('theme:'.length),
        messages: [{ role: 'user', content: expect.stringContaining(conversation.promptId) }],
        criteria: conversation.criteria.map(({ points, tags }, no) => ({
          no,
          points,
          tags,
          axis: tags[0]?.slice('axis:'.length),
        })),
      })),
    );
    const stored = await assay.services.db.conversation.findFirstOrThrow({ where: { promptId: 'prompt-6' } });
    expect(JSON.parse(stored.raw).canary).toBe('invented-canary');
  });

  it('returns the first result for the same idempotency key, and refuses the key with another input', async () => {
    const input = { name: 'keyed', jsonl: jsonl(conversations(5)), idempotencyKey: 'import-1' };
    const first = await team.mutate('importDataset', input, 'created dataset { id }');
    const again = await team.mutate('importDataset', input, 'created dataset { id }');
    expect(again.dataset).toEqual(first.dataset);
    const other = await team.tryMutate('importDataset', { ...input, name: 'other' }, 'dataset { id }');
    expect(other.userErrors).toMatchObject([{ code: 'CONFLICT', path: ['idempotencyKey'] }]);
  });

  it('keeps an idempotency key also for content that was known, and says when its dataset was deleted', async () => {
    const input = { name: 'known', jsonl: jsonl(conversations(6)), idempotencyKey: 'import-2' };
    const { id } = await team.dataset(input.jsonl);
    const ask = (fields: Data) => team.tryMutate('importDataset', { ...input, ...fields }, 'created dataset { id }');
    expect(await ask({})).toMatchObject({ created: false, dataset: { id } });
    expect((await ask({ name: 'other' })).userErrors).toMatchObject([{ code: 'CONFLICT', path: ['idempotencyKey'] }]);
    await team.mutate('deleteDataset', { datasetId: id }, 'deleted { kind }');
    expect((await ask({})).userErrors).toEqual([
      { code: 'CONFLICT', message: expect.stringMatching(/deleted.*another key/), path: ['idempotencyKey'] },
    ]);
    expect(await ask({ idempotencyKey: 'import-3' })).toMatchObject({ created: true });
  });

  it('pages through datasets, and refuses a page that is too wide and a cursor of another list', async () => {
    const all = (await team.query('{ datasets(first: 200) { nodes { id } } }')).datasets.nodes;
    const seen: Data[] = [];
    let after: string | null = null;
    do {
      const query =
        'query ($after: String) { datasets(first: 3, after: $after) { nodes { id } pageInfo { hasNextPage endCursor } } }';
      const { datasets }: Data = await team.query(query, { after });
      seen.push(...datasets.nodes);
      after = datasets.pageInfo.hasNextPage ? datasets.pageInfo.endCursor : null;
    } while (after !== null);
    expect(seen).toEqual(all);
    const wide = await assay.graphql('{ datasets(first: 100000) { nodes { id } } }', {}, team.key);
    expect(wide.errors?.[0]).toMatchObject({
      message: expect.stringContaining('200'),
      extensions: { code: 'INVALID_INPUT' },
    });
    const cursor = (await team.query('{ datasets(first: 1) { pageInfo { endCursor } } }')).datasets.pageInfo.endCursor;
    const foreign = await assay.graphql(
      'query ($c: String) { runs(after: $c) { nodes { id } } }',
      { c: cursor },
      team.key,
    );
    expect(foreign.errors?.[0]?.extensions.code).toBe('INVALID_INPUT');
  });

  it('recognises nothing official in an invented file', async () => {
    const { id } = await team.dataset(jsonl(conversations(4)));
    const { dataset } = await team.query('query ($id: ID!) { dataset(id: $id) { officialName format } }', { id });
    expect(dataset).toEqual({ officialName: null, format: 'HEALTHBENCH' });
  });

  it('refuses a streamed file above the limit and keeps nothing of it', async () => {
    const before = await count();
    const chunk = new TextEncoder().encode(`${'x'.repeat(1024 * 1024 - 1)}\n`);
    let sent = 0;
    const body = new ReadableStream({
      pull(controller) {
        // One valid-looking line after the other would be slow; the limit counts bytes before lines are read.
        if (sent >= 101) return controller.close();
        sent += 1;
        controller.enqueue(chunk);
      },
    });
    const response = await post(body, 'huge').catch(() => null);
    // The first line is no JSON, so either answer is a refusal; a connection closed early is one, too.
    expect(response === null || response.status === 400).toBe(true);
    expect(await count()).toBe(before);
  });

  it('lets only runners import', async () => {
    const viewer = await team.mutate('createApiKey', { name: 'reader', role: 'VIEWER' }, 'secret');
    const response = await post(jsonl(conversations(2)), 'file', viewer.secret);
    expect(response.status).toBe(403);
    expect((await post('x', 'file', 'assay_wrong')).status).toBe(401);
  });
});

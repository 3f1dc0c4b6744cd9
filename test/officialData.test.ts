import { createHash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { SourceFile } from '../src/healthbench/officialFiles.js';
import { Assay, type Data, type Team } from './support/assay.js';
import { conversations, jsonl } from './support/dataset.js';
import { eventually } from './support/household.js';
import { type Mirror, saying, serving, startMirror } from './support/mirror.js';
import { spawnAndWait } from './support/spawnAndWait.js';

const COUNT = 500;
const CONTENT = Buffer.from(jsonl(conversations(COUNT)));
/** Of the same length, and also a dataset. */
const FORGED = Buffer.from(CONTENT.toString().replace(/[a-z](?=[^a-z"]*"})/, 'X'));
const NO_DATASET = Buffer.from('{"not": "a record"}\n');

const made = (name: string, content: Buffer): SourceFile => ({
  name,
  bytes: content.length,
  sha256: createHash('sha256').update(content).digest('hex'),
});
const DOWNLOAD =
  'id source name status bytesDone bytesTotal reason message finishedAt dataset { id conversationCount }';
const PAYLOAD = `created dataset { id name archivedAt } download { ${DOWNLOAD} }`;

describe('fetching an official file', () => {
  let assay: Assay;
  let mirror: Mirror;

  beforeAll(async () => {
    mirror = await startMirror();
    const files = {
      HEALTHBENCH_MAIN: made('main file.jsonl', CONTENT),
      HEALTHBENCH_HARD: made('hard.jsonl', NO_DATASET),
      HEALTHBENCH_CONSENSUS: made('consensus.jsonl', CONTENT),
    };
    assay = await Assay.start({ official: { url: mirror.url, files } });
  });
  afterAll(async () => {
    await assay.close();
    await mirror.close();
  });

  const ask = (team: Team, more: Data = {}) =>
    team.tryMutate('importDataset', { source: 'HEALTHBENCH_MAIN', ...more }, PAYLOAD);
  const state = async (team: Team): Promise<Data> =>
    (await team.query(`{ datasetDownloads { ${DOWNLOAD} } }`)).datasetDownloads[0];
  const ended = async (team: Team): Promise<Data> => {
    await eventually(async () => ['COMPLETED', 'FAILED'].includes((await state(team)).status));
    return state(team);
  };
  const fetched = async (team: Team, more: Data = {}): Promise<Data> => {
    expect((await ask(team, more)).userErrors).toEqual([]);
    return ended(team);
  };
  const nothingIsLeft = async (team: Team) => {
    expect((await team.query('{ datasets { totalCount } }')).datasets.totalCount).toBe(0);
  };
  const partsOf = async (team: Team): Promise<number> => {
    const { db } = assay.services;
    const { id } = (await team.query('{ viewer { team { id } } }')).viewer.team;
    const teamId = Buffer.from(id, 'base64url').toString().split(':')[1] as string;
    return db.datasetDownloadPart.count({ where: { teamId } });
  };

  it('answers at once, imports it in the background, and then knows it', async () => {
    const team = await assay.team();
    mirror.answering(serving(CONTENT));
    const first = await ask(team, { name: 'main' });
    expect(first).toMatchObject({ created: false, dataset: null, userErrors: [] });
    expect(first.download).toMatchObject({ status: 'QUEUED', bytesDone: 0, bytesTotal: CONTENT.length });
    const end = await ended(team);
    expect(end).toMatchObject({
      id: first.download.id,
      status: 'COMPLETED',
      name: 'main',
      bytesDone: CONTENT.length,
      reason: null,
      dataset: { conversationCount: COUNT },
    });
    expect(mirror.requests).toEqual([{ path: '/files/main%20file.jsonl', range: null }]);
    expect(await partsOf(team)).toBe(0);
    const again = await ask(team);
    expect(again).toMatchObject({ created: false, dataset: { id: end.dataset.id, name: 'main' }, download: null });
    expect(mirror.requests).toHaveLength(1);
    const { auditEvents } = await team.query(
      '{ auditEvents(filter: { action: "importDataset" }) { nodes { actorKind } } }',
    );
    expect(auditEvents.nodes.map(({ actorKind }: Data) => actorKind)).toEqual(['KEY', 'SYSTEM', 'KEY']);
  });

  it('goes on where a broken connection ended', async () => {
    const team = await assay.team();
    const part = Math.ceil(CONTENT.length / 4);
    mirror.answering(serving(CONTENT, { cutAfter: part }));
    expect(await fetched(team)).toMatchObject({ status: 'COMPLETED', dataset: { conversationCount: COUNT } });
    expect(mirror.requests.map(({ range }) => range)).toEqual([null, ...[1, 2, 3].map((n) => `bytes=${n * part}-`)]);
  });

  it('begins anew where ranges are ignored, or nobody can say that the file is still the same', async () => {
    for (const rest of [{ ranges: false }, { etag: '"changed"' }, { etag: '' }]) {
      const team = await assay.team();
      const etag = rest.etag === '' ? '' : '"one"';
      mirror.answering(serving(CONTENT, { etag, cutAfter: 300_000 }), serving(CONTENT, rest));
      expect(await fetched(team)).toMatchObject({ status: 'COMPLETED', dataset: { conversationCount: COUNT } });
      expect(mirror.requests).toHaveLength(2);
    }
  });

  it('begins anew when another part comes than was asked for', async () => {
    const team = await assay.team();
    const range = `bytes 5-${CONTENT.length - 1}/${CONTENT.length}`;
    const wrong = saying(206, { 'content-range': range, etag: '"one"' }, CONTENT.subarray(5).toString());
    mirror.answering(serving(CONTENT, { cutAfter: 300_000 }), wrong, serving(CONTENT));
    expect(await fetched(team)).toMatchObject({ status: 'COMPLETED' });
    expect(mirror.requests.map(({ range }) => range)).toEqual([null, expect.stringMatching(/^bytes=[1-9]\d*-$/), null]);
    const other = await assay.team();
    mirror.answering(serving(CONTENT, { cutAfter: 300_000 }), saying(416), serving(CONTENT));
    expect(await fetched(other)).toMatchObject({ status: 'COMPLETED' });
  });

  it('does not wait for ever for a silent server', async () => {
    const team = await assay.team();
    mirror.answering(serving(CONTENT, { stallAfter: 300_000 }), serving(CONTENT));
    await ask(team);
    await eventually(
      async () => (await state(team)).reason === 'timeout' || (await state(team)).status === 'COMPLETED',
    );
    expect(await ended(team)).toMatchObject({ status: 'COMPLETED' });
    expect(mirror.requests[1]?.range).toBe('bytes=300000-');
  });

  it('tries again after errors that pass, and shows what it waits for', async () => {
    const team = await assay.team();
    mirror.answering(saying(503), saying(429), serving(CONTENT));
    expect(await fetched(team)).toMatchObject({ status: 'COMPLETED' });
    mirror.answering(saying(503));
    const other = await assay.team();
    const end = await fetched(other);
    expect(end).toMatchObject({ status: 'FAILED', reason: 'http_status', dataset: null });
    expect(end.message).toMatch(/HTTP status 503.*5 tries in a row/);
    expect(mirror.requests).toHaveLength(5);
  });

  it.each<[string, ReturnType<typeof saying>, string, RegExp]>([
    ['a missing file', saying(404, {}, 'no such file'), 'http_status', /404.*ASSAY_HEALTHBENCH_URL/],
    ['another length', serving(CONTENT.subarray(1)), 'wrong_size', /has \d+ bytes and not the \d+ expected/],
    ['an error page', saying(200, {}, '<html>sign in</html>'), 'wrong_size', /Only 20 bytes came/],
    ['a compressed file', saying(200, { 'content-encoding': 'gzip' }, 'x'), 'encoding', /compressed/],
    ['a redirect without end', saying(302, { location: '/files/main' }), 'redirect', /More than 5 redirects/],
    ['a redirect to a file', saying(302, { location: 'file:///etc/passwd' }), 'redirect', /no address of a file/],
    [
      'a redirect to where clouds keep credentials',
      saying(302, { location: 'http://169.254.169.254/latest' }),
      'address_blocked',
      /never called/,
    ],
  ])('refuses %s, says why, and keeps nothing', async (_what, answer, reason, message) => {
    const team = await assay.team();
    mirror.answering(answer);
    const end = await fetched(team);
    expect(end).toMatchObject({ status: 'FAILED', reason, dataset: null, bytesDone: 0 });
    expect(end.message).toMatch(message);
    await nothingIsLeft(team);
  });

  it('refuses content with another sha256, and takes the right one afterwards', async () => {
    expect(FORGED.length).toBe(CONTENT.length);
    const team = await assay.team();
    mirror.answering(serving(FORGED));
    const end = await fetched(team);
    expect(end).toMatchObject({ status: 'FAILED', reason: 'wrong_sha256', bytesDone: 0 });
    expect(end.message).toContain('nothing of it was imported');
    expect(await partsOf(team)).toBe(0);
    await nothingIsLeft(team);
    mirror.answering(serving(CONTENT));
    const { download } = await ask(team);
    expect(download).toMatchObject({ id: end.id, status: 'QUEUED', reason: null, finishedAt: null });
    expect(await ended(team)).toMatchObject({ status: 'COMPLETED' });
  });

  it('refuses more bytes than there should be, where the server says no length', async () => {
    const team = await assay.team();
    mirror.answering((_request, response) => response.writeHead(200).end(Buffer.concat([CONTENT, CONTENT])));
    expect(await fetched(team)).toMatchObject({ status: 'FAILED', reason: 'wrong_size' });
    await nothingIsLeft(team);
  });

  it('names the line when the right file is no dataset', async () => {
    const team = await assay.team();
    mirror.answering(serving(NO_DATASET));
    const end = await fetched(team, { source: 'HEALTHBENCH_HARD' });
    expect(end).toMatchObject({ status: 'FAILED', reason: 'invalid_dataset' });
    expect(end.message).toMatch(/^Line 1: /);
    await nothingIsLeft(team);
  });

  it('follows a redirect to another host, as blob stores send them', async () => {
    const team = await assay.team();
    const elsewhere = mirror.url.replace('127.0.0.1', 'localhost').replace('/files/', '/blobs/42?signature=x');
    mirror.answering(saying(307, { location: elsewhere }), serving(CONTENT));
    expect(await fetched(team)).toMatchObject({ status: 'COMPLETED' });
    expect(mirror.requests.map(({ path }) => path)).toEqual(['/files/main%20file.jsonl', '/blobs/42?signature=x']);
  });

  it('is fetched once for all who ask at the same time', async () => {
    const team = await assay.team();
    mirror.answering(serving(CONTENT));
    const answers = await Promise.all(Array.from({ length: 8 }, () => ask(team)));
    await ended(team);
    expect(new Set(answers.map(({ download }) => download?.id ?? 'dataset')).size).toBeLessThanOrEqual(2);
    expect(mirror.requests).toHaveLength(1);
  });

  it('goes on in another process with the bytes that are there', async () => {
    const team = await assay.team();
    mirror.answering(serving(CONTENT, { stallAfter: 300_000 }));
    await ask(team);
    await eventually(async () => (await state(team)).bytesDone > 0);
    await assay.stopWorkers();
    const { bytesDone, status } = await state(team);
    expect(status).toBe('DOWNLOADING');
    mirror.answering(serving(CONTENT));
    assay.startWorkers();
    expect(await ended(team)).toMatchObject({ status: 'COMPLETED' });
    expect(mirror.requests.map(({ range }) => range)).toEqual([`bytes=${bytesDone}-`]);
  });

  it('is fetched anew after its dataset was deleted, and comes back when it was archived', async () => {
    const team = await assay.team();
    mirror.answering(serving(CONTENT));
    const { dataset } = await fetched(team, { idempotencyKey: 'once' });
    await team.mutate('archiveDataset', { datasetId: dataset.id }, 'dataset { id }');
    expect((await ask(team)).dataset).toMatchObject({ id: dataset.id, archivedAt: null });
    await team.mutate('deleteDataset', { datasetId: dataset.id }, 'deleted { kind count }');
    // The same request again is no new one.
    expect((await ask(team, { idempotencyKey: 'once' })).download).toMatchObject({
      status: 'COMPLETED',
      dataset: null,
    });
    expect((await fetched(team)).dataset.id).not.toBe(dataset.id);
  });

  it('is followed by the command line until the dataset is there', async () => {
    const team = await assay.team();
    mirror.answering(serving(CONTENT));
    const env = { ...process.env, NODE_OPTIONS: '', ASSAY_URL: assay.server.url, ASSAY_API_KEY: team.key };
    const run = (args: string[]) => spawnAndWait(process.execPath, ['bin/assay.js', 'import', ...args], { env });
    const first = await run(['--source', 'healthbench-main', '--json']);
    expect(first.code).toBe(0);
    expect(first.stderr).toMatch(/MB|importing|Waiting/);
    const answer = JSON.parse(first.stdout);
    expect(answer).toMatchObject({ created: true, dataset: { name: 'healthbench-main', conversationCount: COUNT } });
    const again = await run(['--source', 'healthbench-main', '--json']);
    expect(JSON.parse(again.stdout)).toEqual({ ...answer, created: false });
    mirror.answering(saying(404));
    const failed = await run(['--source', 'healthbench-hard']);
    expect(failed).toMatchObject({ code: 1, stdout: '' });
    expect(failed.stderr).toContain('http_status: ');
    for (const args of [[], ['examples/sample.jsonl', '--source', 'healthbench-hard']]) {
      expect(await run(args)).toMatchObject({ code: 2, stderr: expect.stringContaining('either a file or --source') });
    }
  });

  it('is for those who may import, and seen by their team alone', async () => {
    const team = await assay.team();
    mirror.answering(serving(CONTENT));
    const { secret } = await team.mutate('createApiKey', { name: 'reader', role: 'VIEWER' }, 'secret');
    const query = 'mutation { importDataset(input: { source: HEALTHBENCH_MAIN }) { created } }';
    expect((await assay.graphql(query, {}, secret)).errors?.[0]?.extensions.code).toBe('FORBIDDEN');
    expect(mirror.requests).toEqual([]);
    const { id } = await fetched(team);
    const other = await assay.team();
    const look = 'query ($id: ID!) { datasetDownload(id: $id) { id } node(id: $id) { id } datasetDownloads { id } }';
    expect(await other.query(look, { id })).toEqual({ datasetDownload: null, node: null, datasetDownloads: [] });
    expect((await team.query(look, { id })).node).toEqual({ id });
  });

  it('takes either a text or a source, and one input for a key', async () => {
    const team = await assay.team();
    for (const input of [{}, { name: 'x', jsonl: jsonl(conversations(1)) }]) {
      const source = 'jsonl' in input ? 'HEALTHBENCH_MAIN' : null;
      const { userErrors } = await team.tryMutate('importDataset', { ...input, source }, PAYLOAD);
      expect(userErrors).toMatchObject([{ code: 'INVALID_INPUT', path: ['source'] }]);
    }
    const unnamed = await team.tryMutate('importDataset', { jsonl: jsonl(conversations(1)) }, PAYLOAD);
    expect(unnamed.userErrors).toMatchObject([{ code: 'INVALID_INPUT', path: ['name'] }]);
    mirror.answering(serving(CONTENT));
    await fetched(team, { idempotencyKey: 'key' });
    const { userErrors } = await ask(team, { idempotencyKey: 'key', source: 'HEALTHBENCH_CONSENSUS' });
    expect(userErrors).toMatchObject([{ code: 'CONFLICT', path: ['idempotencyKey'] }]);
  });
});

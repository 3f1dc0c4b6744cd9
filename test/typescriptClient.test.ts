import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { AssayClient } from '../src/client/assayClient.js';
import { ApiError, RefusedInput, Unreachable } from '../src/client/errors.js';
import { RunVerdictsDocument } from '../src/client/generated/operations.js';
import { type SimulatedProvider, startSimulatedProvider } from '../src/simulator/simulatedProvider.js';
import { Assay, type Team } from './support/assay.js';
import { conversations, jsonl } from './support/dataset.js';
import { spawnAndWait } from './support/spawnAndWait.js';

const readme = readFileSync('clients/typescript/README.md', 'utf8');
const [example] = [...readme.matchAll(/```ts\n([\s\S]*?)```/g)].map(([, code]) => code as string);

describe('the TypeScript client', () => {
  let assay: Assay;
  let team: Team;
  let provider: SimulatedProvider;
  let client: AssayClient;
  let folder: string;

  beforeAll(async () => {
    provider = await startSimulatedProvider({ latencyMs: 2 });
    assay = await Assay.start();
    team = await assay.team();
    await team.endpoint(provider.url, { simulated: true });
    client = new AssayClient({ url: `${assay.server.url}/`, apiKey: team.key });
    folder = mkdtempSync(path.join(tmpdir(), 'assay-client-'));
  });
  afterAll(async () => {
    await assay.close();
    await provider.close();
    rmSync(folder, { recursive: true, force: true });
  });

  const finished = async (model?: string): Promise<string> => {
    const { dataset } = await client.importDataset(jsonl(conversations(6)), 'six');
    const { id } = await client.startRun({ datasetId: dataset.id, modelUnderTest: { model } });
    for await (const _ of client.stream(id));
    return id;
  };

  it('streams each verdict once, and reads the same ones afterwards', async () => {
    const { dataset } = await client.importDataset(jsonl(conversations(6)), 'six');
    const run = await client.startRun({ datasetId: dataset.id, name: 'streamed' });
    const streamed = [];
    for await (const { verdicts } of client.stream(run.id)) streamed.push(...verdicts);
    expect(streamed.map(({ sequence }) => sequence)).toEqual(streamed.map((_, i) => i + 1));
    expect(streamed).toHaveLength(dataset.criterionCount);
    const read = [];
    for await (const verdict of client.verdicts(run.id)) read.push(verdict);
    expect(read).toEqual(streamed);
    const after = [];
    for await (const { verdicts } of client.stream(run.id, { after: 10 })) after.push(...verdicts);
    expect(after).toEqual(streamed.slice(10));
  });

  it('reads runs, one run, and the comparison of two', async () => {
    const [a, b] = [await finished(), await finished('another-model')];
    expect((await client.runs({ first: 2 })).map(({ id }) => id)).toEqual([b, a]);
    expect(await client.run(a)).toMatchObject({ id: a, status: 'COMPLETED', score: { n: 6, coverage: 1 } });
    expect(await client.compare(a, b)).toMatchObject({ comparable: true, scoredConversations: 6 });
    expect(await client.run(Buffer.from(`Run:${crypto.randomUUID()}`).toString('base64url'))).toBeNull();
  });

  it('says what is wrong in errors that can be told apart', async () => {
    const refused = client.startRun({ datasetId: 'nothing' });
    await expect(refused).rejects.toBeInstanceOf(RefusedInput);
    await expect(refused).rejects.toMatchObject({ code: 'NOT_FOUND', userErrors: [{ path: ['datasetId'] }] });
    const stranger = new AssayClient({ url: assay.server.url, apiKey: 'assay_nobody' });
    await expect(stranger.runs()).rejects.toMatchObject({ name: 'ApiError', code: 'UNAUTHENTICATED' });
    const watching = stranger.subscribe(RunVerdictsDocument, { runId: 'x' }).next();
    await expect(watching).rejects.toBeInstanceOf(ApiError);
    const nowhere = new AssayClient({ url: 'http://127.0.0.1:9', apiKey: 'x' });
    await expect(nowhere.runs()).rejects.toBeInstanceOf(Unreachable);
  });

  it('is a package whose example compiles and works as pasted', async () => {
    const pack = spawnSync('npm', ['pack', './clients/typescript', '--pack-destination', folder], { encoding: 'utf8' });
    expect({ status: pack.status, error: pack.status === 0 ? '' : pack.stderr }).toEqual({ status: 0, error: '' });
    const [tarball] = readdirSync(folder).filter((name) => name.endsWith('.tgz'));
    const installed = path.join(folder, 'node_modules', 'assay-client');
    mkdirSync(installed, { recursive: true });
    spawnSync('tar', ['-xzf', path.join(folder, tarball as string), '-C', installed, '--strip-components', '1']);
    for (const name of ['graphql', 'graphql-ws', 'ws', '@graphql-typed-document-node', '@types', 'undici-types']) {
      symlinkSync(path.resolve('node_modules', name), path.join(folder, 'node_modules', name));
    }
    symlinkSync(path.resolve('examples'), path.join(folder, 'examples'));
    writeFileSync(path.join(folder, 'package.json'), '{"type": "module"}');
    writeFileSync(path.join(folder, 'example.ts'), example as string);
    const options = ['--noEmit', '--strict', '--module', 'NodeNext', '--target', 'ES2023', '--types', 'node'];
    const tsc = spawnSync(path.resolve('node_modules/.bin/tsc'), [...options, 'example.ts'], {
      cwd: folder,
      encoding: 'utf8',
    });
    expect(tsc.stdout).toBe('');
    const env = { ...process.env, NODE_OPTIONS: '', ASSAY_URL: assay.server.url, ASSAY_API_KEY: team.key };
    const { code, stdout, stderr } = await spawnAndWait(process.execPath, ['example.ts'], { cwd: folder, env });
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toMatch(/\{ low: [\d.]+, high: [\d.]+, confidence: 0.95 \} 6 1/);
  }, 120_000);
});

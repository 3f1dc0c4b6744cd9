import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type SimulatedProvider, startSimulatedProvider } from '../src/simulator/simulatedProvider.js';
import { Assay, type Team } from './support/assay.js';
import { commandLine, type Run } from './support/commandLine.js';
import { conversations, jsonl } from './support/dataset.js';

describe('the command line', () => {
  let assay: Assay;
  let team: Team;
  let provider: SimulatedProvider;
  let folder: string;
  let file: string;
  let run: Run;

  beforeAll(async () => {
    provider = await startSimulatedProvider();
    assay = await Assay.start();
    team = await assay.team();
    await team.endpoint(provider.url);
    folder = await mkdtemp(path.join(tmpdir(), 'assay-cli-'));
    file = path.join(folder, 'tiny.jsonl');
    await writeFile(file, jsonl(conversations(8)));
    run = commandLine(assay, team);
  });
  afterAll(async () => {
    await assay.close();
    await provider.close();
    await rm(folder, { recursive: true, force: true });
  });

  it('imports a file, says so as JSON, and the second time that it is known', async () => {
    const first = await run(['import', file, '--json']);
    expect(first).toMatchObject({ code: 0, stderr: '' });
    expect(JSON.parse(first.stdout)).toMatchObject({ created: true, dataset: { name: 'tiny', conversationCount: 8 } });
    expect(JSON.parse((await run(['import', file, '--json'])).stdout).created).toBe(false);
  });

  it('runs a file, watches it and ends with the score card', async () => {
    const watched = await run([
      'run',
      '--dataset',
      file,
      '--sample',
      '5',
      '--seed',
      '3',
      '--watch',
      '--name',
      'by hand',
    ]);
    expect(watched.code).toBe(0);
    for (const part of [
      'by hand',
      'COMPLETED',
      'Score',
      '95 % interval',
      'n = 5 of 5',
      'Positive',
      'Penalties',
      'Axis',
      'Worst conversation',
    ]) {
      expect(watched.stdout).toContain(part);
    }
    expect(watched.stdout).toMatch(/[✓✗] +(met|not met)/);
  });

  it('prints JSON lines with --watch --json, the run last', async () => {
    const { code, stdout } = await run(['run', '--dataset', file, '--watch', '--json']);
    expect(code).toBe(0);
    const lines = stdout
      .trim()
      .split('\n')
      .map((text) => JSON.parse(text));
    expect(lines.length).toBeGreaterThan(1);
    expect(JSON.stringify(lines.at(-1))).toContain('"COMPLETED"');
  });

  it('lists runs and shows one', async () => {
    const runs = await run(['runs']);
    expect(runs.code).toBe(0);
    expect(runs.stdout).toContain('by hand');
    expect((await run(['show', 'latest'])).stdout).toContain('95 % interval');
    expect(JSON.parse((await run(['show', 'latest', '--json'])).stdout)).toBeTruthy();
  });

  it('adds an endpoint with prices, tests it, and starts a run with a limit', async () => {
    const added = [
      'endpoints',
      'add',
      'judge',
      '--base-url',
      provider.url,
      '--model',
      'a',
      '--price',
      'a=2,8',
      '--json',
    ];
    expect((await run(added)).code).toBe(0);
    const tested = await run(['endpoints', 'test', 'judge']);
    expect(tested.code).toBe(0);
    expect(tested.stdout).toMatch(/reachable +yes[\s\S]*model there +yes[\s\S]*speed +yes/);
    const down = ['endpoints', 'add', 'down', '--base-url', 'http://127.0.0.1:1025/v1', '--model', 'a'];
    expect((await run(down)).code).toBe(0);
    expect(await run(['endpoints', 'test', 'down'])).toMatchObject({ code: 1, stdout: expect.stringContaining('no ') });
    const limited = await run(['run', '--dataset', file, '--max-cost', '5']);
    expect(limited).toMatchObject({ code: 1, stderr: expect.stringContaining('no price') });
  });

  it('makes a key that works', async () => {
    const made = JSON.parse((await run(['keys', 'create', 'notebook', '--role', 'viewer', '--json'])).stdout);
    const secret = JSON.stringify(made).match(/assay_[\w-]{32}/)?.[0] as string;
    expect((await run(['runs'], { ASSAY_API_KEY: secret })).code).toBe(0);
    const refused = await run(['import', file], { ASSAY_API_KEY: secret });
    expect(refused.code).toBe(1);
    expect(refused.stderr).toMatch(/RUNNER/);
  });

  it('fails with a message that says what to do', async () => {
    expect(await run(['runs'], { ASSAY_URL: 'http://127.0.0.1:9' })).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('npm start'),
    });
    expect(await run(['runs'], { ASSAY_API_KEY: 'assay_wrong' })).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/key/i),
    });
    expect(await run(['show', 'nobody'])).toMatchObject({ code: 1 });
    expect((await run(['frobnicate'])).code).toBe(2);
    const broken = path.join(folder, 'broken.jsonl');
    await writeFile(broken, `${jsonl(conversations(1))}\nnot json`);
    expect(await run(['import', broken])).toMatchObject({ code: 1, stderr: expect.stringContaining('Line 2') });
  });
});

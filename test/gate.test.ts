import { spawn } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { parse } from 'yaml';
import { type SimulatedProvider, startSimulatedProvider } from '../src/simulator/simulatedProvider.js';
import { Assay, type Data, type Team } from './support/assay.js';
import { conversations, jsonl } from './support/dataset.js';

describe('assay gate', () => {
  let assay: Assay;
  let team: Team;
  let provider: SimulatedProvider;
  let folder: string;
  let datasetId: string;

  const evaluate = async (name: string, model: string, more: Data = {}) => {
    const runId = await team.start({ datasetId, name, modelUnderTest: { model }, ...more });
    await team.watch(runId);
    return runId;
  };

  beforeAll(async () => {
    provider = await startSimulatedProvider();
    assay = await Assay.start();
    team = await assay.team();
    await team.endpoint(provider.url, { maxConcurrency: 64 });
    datasetId = (await team.dataset(jsonl(conversations(60)))).id;
    await evaluate('strong', 'strong-model');
    await evaluate('weak', 'weak-model');
    folder = await mkdtemp(path.join(tmpdir(), 'assay-gate-'));
  }, 120_000);
  afterAll(async () => {
    await assay.close();
    await provider.close();
    await rm(folder, { recursive: true, force: true });
  });

  const gate = (...args: string[]) => assayCommand('gate', ...args);
  const assayCommand = (...args: string[]) =>
    new Promise<{ code: number | null; stdout: string; stderr: string }>((resolve) => {
      const child = spawn(process.execPath, ['bin/assay.js', ...args], {
        env: { PATH: process.env.PATH as string, ASSAY_URL: assay.server.url, ASSAY_API_KEY: team.key },
      });
      let stdout = '';
      let stderr = '';
      child.stdout.on('data', (chunk) => {
        stdout += chunk;
      });
      child.stderr.on('data', (chunk) => {
        stderr += chunk;
      });
      child.on('close', (code) => resolve({ code, stdout, stderr }));
    });
  const json = async (...args: string[]): Promise<Data> => JSON.parse((await gate(...args, '--json')).stdout);

  it('passes a stronger model and says what was found', async () => {
    const { code, stdout } = await gate('strong', '--baseline', 'weak');
    expect({ code, stdout }).toEqual({ code: 0, stdout: expect.stringContaining('PASSED') });
    expect(stdout).toMatch(/✓ drop +\+0\.\d{3} \[\+0\.\d{3}, \+0\.\d{3}\] at 95 % over 60 conversations/);
  });

  it('fails a weaker model, in either mode', async () => {
    expect(await gate('weak', '--baseline', 'strong')).toMatchObject({
      code: 1,
      stdout: expect.stringMatching(/proven/),
    });
    expect((await gate('weak', '--baseline', 'strong', '--mode', 'lenient')).code).toBe(1);
    expect((await gate('weak', '--baseline', 'strong', '--max-drop', '0.9')).code).toBe(0);
  });

  it('takes the interval at the confidence that is asked for', async () => {
    const [wide, narrow] = await Promise.all(
      ['0.99', '0.8'].map(async (confidence) => {
        const { comparison } = await json('strong', '--baseline', 'weak', '--confidence', confidence);
        expect(comparison.overall.interval.confidence).toBe(Number(confidence));
        return comparison.overall.interval;
      }),
    );
    expect(wide.low).toBeLessThan(narrow.low);
    expect(wide.high).toBeGreaterThan(narrow.high);
  });

  it('tells too little data from a drop', async () => {
    await evaluate('weak few', 'model-a', { sample: { method: 'FIRST', size: 4 } });
    await evaluate('strong few', 'model-b', { sample: { method: 'FIRST', size: 4 } });
    const args = ['strong few', '--baseline', 'weak few', '--max-drop', '0.001', '--min-conversations'];
    expect(await gate(...args, '20')).toMatchObject({ code: 1, stdout: expect.stringContaining('fewer than 20') });
    const strict = await gate(...args, '4');
    expect(strict).toMatchObject({
      code: 1,
      stdout: expect.stringMatching(/cannot be ruled out. It takes about \d+ conv/),
    });
    expect((await gate(...args, '20', '--mode', 'lenient')).code).toBe(0);
  });

  it('refuses runs that were not made alike, unless told otherwise', async () => {
    await evaluate('other grader', 'strong-model', { grader: { model: 'other-grader' } });
    const refused = await gate('other grader', '--baseline', 'weak');
    expect(refused).toMatchObject({
      code: 3,
      stdout: expect.stringContaining('grader.model (test-grader → other-grader)'),
    });
    expect(refused.stdout).toMatch(/– drop/);
    expect((await gate('other grader', '--baseline', 'weak', '--allow-different')).code).toBe(0);
  });

  it('fails a run that covers too little', async () => {
    provider.configure({ failMalformed: 0.65 });
    await evaluate('thin', 'strong-model');
    provider.configure({ failMalformed: 0 });
    expect(await gate('thin', '--baseline', 'weak')).toMatchObject({
      code: 1,
      stdout: expect.stringMatching(/✗ coverage +Scored conversations: candidate \d+\.\d %, baseline 100/),
    });
  });

  it('asks for a score, without a baseline too', async () => {
    expect(await gate('strong', '--min-score', '0')).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/✓ score/),
    });
    expect(await gate('strong', '--min-score', '1')).toMatchObject({
      code: 1,
      stdout: expect.stringMatching(/✗ score/),
    });
    expect((await gate('strong', '--baseline', 'weak', '--min-score', '1')).code).toBe(1);
  });

  it('waits for a run that goes on, and not for one that is paused', async () => {
    provider.configure({ latencyMs: 1_500 });
    const going = await team.start({ datasetId, name: 'going', modelUnderTest: { model: 'strong-model' } });
    const waited = gate('going', '--baseline', 'weak', '--wait', '5');
    const now = await gate('going', '--baseline', 'weak');
    expect(now).toMatchObject({ code: 3, stdout: expect.stringMatching(/\? completed +“going” is (RUNNING|QUEUED)/) });
    expect((await gate('going', '--baseline', 'weak', '--wait', '0.01')).code).toBe(3);
    provider.configure({ latencyMs: 0 });
    await team.watch(going);
    expect(await waited).toMatchObject({ code: 0, stderr: expect.stringContaining('Waiting') });
    provider.configure({ failHang: 1 });
    const paused = await team.start({ datasetId, name: 'paused' });
    await team.mutate('pauseRun', { runId: paused }, 'run { id }');
    expect(await gate('paused', '--baseline', 'weak', '--wait', '5')).toMatchObject({
      code: 3,
      stdout: expect.stringContaining('“paused” is PAUSED'),
    });
    await team.mutate('cancelRun', { runId: paused }, 'run { id }');
    provider.configure({ failHang: 0 });
  }, 60_000);

  it('judges no run of the simulated provider, unless told to', async () => {
    const endpointId = await team.endpoint(provider.url, { simulated: true });
    await evaluate('made up', 'strong-model', { modelUnderTest: { endpointId, model: 'strong-model' } });
    expect(await gate('made up', '--baseline', 'weak')).toMatchObject({
      code: 3,
      stdout: expect.stringMatching(/\? real +“made up”: made up by a simulated provider/),
    });
    expect((await gate('made up', '--min-score', '0', '--allow-simulated')).code).toBe(0);
  });

  it('does not blame the candidate when a run or the service is not there', async () => {
    expect(await gate('no such run', '--baseline', 'weak')).toMatchObject({ code: 3, stdout: '' });
    expect(await gate('strong', '--baseline', 'weak', '--url', 'http://127.0.0.1:9')).toMatchObject({ code: 3 });
    const unwritable = path.join(folder, 'no', 'gate.xml');
    expect((await gate('strong', '--baseline', 'weak', '--junit', unwritable)).code).toBe(3);
  });

  it('writes JUnit and Markdown, both at once', async () => {
    const [junit, markdown] = [path.join(folder, 'gate.xml'), path.join(folder, 'gate.md')];
    const written = await gate('weak', '--baseline', 'strong', '--junit', junit, '--markdown', markdown);
    expect(written).toMatchObject({ code: 1, stdout: expect.stringContaining('FAILED') });
    expect(await readFile(junit, 'utf8')).toMatch(
      /^<\?xml [\s\S]*<testsuites name="assay gate" tests="5" failures="1"/,
    );
    const text = await readFile(markdown, 'utf8');
    expect(text).toMatch(/^### ❌ Gate failed: weak against strong\n/);
    expect(text).toContain('conversations that lost most');
    expect(text).not.toContain('invented ailment');
  });

  it('has a workflow example in which every step does one thing, and every value is a setting or is set before', async () => {
    // Strict: a key that is given twice, or a tab, is an error.
    const workflow = parse(await readFile('examples/gate.yml', 'utf8'), { strict: true, uniqueKeys: true }) as Data;
    expect(Object.keys(workflow)).toEqual(['name', 'on', 'permissions', 'concurrency', 'jobs']);
    const { env, steps, 'timeout-minutes': minutes } = workflow.jobs.gate;
    for (const step of steps) expect([step, 'uses' in step !== 'run' in step]).toEqual([step, true]);
    const runs: string[] = steps.flatMap(({ run }: Data) => run ?? []);
    const used = runs.flatMap((run) => [...run.matchAll(/\$\{?(\w+)/g)].map(([, name]) => name as string));
    for (const name of used) expect([...Object.keys(env), 'GITHUB_STEP_SUMMARY']).toContain(name);
    const known = /^(vars|secrets|github|inputs)\.\w+( \|\| '\w+')?$|^!cancelled\(\)$/;
    for (const [, expression] of JSON.stringify(workflow).matchAll(/\$\{\{ (.*?) \}\}/g))
      expect(expression).toMatch(known);
    const wait = Number(/--wait (\d+)/.exec(runs.join())?.[1]);
    expect(wait).toBeLessThan(minutes);
  });

  it('is used in the workflow example as it is', async () => {
    const workflow = (await readFile('examples/gate.yml', 'utf8')).replaceAll(/^#.*$/gm, '');
    const help = (await Promise.all([gate('--help'), assayCommand('run', '--help')]))
      .map(({ stdout }) => stdout)
      .join();
    const options = [...workflow.matchAll(/ (--(?!silent)[a-z-]+)/g)].map(([, option]) => option as string);
    expect(options.length).toBeGreaterThan(10);
    for (const option of options) expect(help).toContain(`${option} `);
  });

  it.each([
    [['strong', '--baseline', 'strong']],
    [['strong']],
    [['strong', '--baseline', 'weak', '--max-drop', '-1']],
    [['strong', '--baseline', 'weak', '--confidence', '95']],
    [['strong', '--baseline', 'weak', '--wait', 'long']],
  ])('takes %j for wrong usage', async (args) => {
    expect((await gate(...args)).code).toBe(2);
  });
});

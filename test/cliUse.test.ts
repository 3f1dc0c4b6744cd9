import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type SimulatedProvider, startSimulatedProvider } from '../src/simulator/simulatedProvider.js';
import { Assay, type Data, type Team } from './support/assay.js';
import { commandLine, type Run } from './support/commandLine.js';
import { conversations, jsonl } from './support/dataset.js';

const ESC = String.fromCharCode(27);

describe('the command line as it is used', () => {
  let assay: Assay;
  let team: Team;
  let provider: SimulatedProvider;
  let run: Run;

  beforeAll(async () => {
    provider = await startSimulatedProvider();
    assay = await Assay.start();
    team = await assay.team();
    await team.endpoint(provider.url);
    run = commandLine(assay, team);
    for (const [at, name] of ['night_ly', 'nightXly', 'other'].entries()) {
      const { id } = await team.dataset(jsonl(conversations(at + 1)), name);
      await team.watch(await team.start({ datasetId: id, name }));
    }
  });
  afterAll(async () => {
    await assay.close();
    await provider.close();
  });

  const namesOf = async (...args: string[]) => {
    const { code, stdout } = await run([...args, '--json']);
    expect(code).toBe(0);
    return JSON.parse(stdout).map((row: Data) => row.name);
  };

  it.each(['runs', 'datasets'])('lists %s: all, by a part of their name, and no more than asked for', async (list) => {
    expect(await namesOf(list)).toEqual(['other', 'nightXly', 'night_ly']);
    expect(await namesOf(list, '--name', 'T_L')).toEqual(['night_ly']);
    expect(await namesOf(list, '--limit', '1')).toEqual(['other']);
    const shown = await run([list, '--limit', '2']);
    expect(shown.stdout).toMatch(/^name .* id\nother .*\nnightXly .*\n$/);
    expect(shown.stderr).toContain('There are more than 2');
  });

  it('lists keys and endpoints, and changes and removes an endpoint', async () => {
    await run(['keys', 'create', 'ci', '--role', 'viewer']);
    expect(await namesOf('keys')).toContain('ci');
    expect((await run(['keys'])).stdout).toMatch(/^ci +viewer +assay_/m);
    const spare = ['endpoints', 'add', 'spare', '--base-url', provider.url];
    expect((await run(spare)).code).toBe(0);
    const changed = await run(['endpoints', 'update', 'spare', '--price', 'm=1,2', '--max-concurrency', '3', '--json']);
    expect(JSON.parse(changed.stdout)).toMatchObject({ name: 'spare', maxConcurrency: 3 });
    expect((await run(['endpoints', 'remove', 'spare'])).code).toBe(0);
    expect(await namesOf('endpoints')).toEqual(['provider']);
    expect(await run(['endpoints', 'add', 'nowhere'])).toMatchObject({ code: 2 });
  });

  it('starts a run with all that its number stands on', async () => {
    const grader = [
      '--grader-temperature',
      '0.5',
      '--grader-max-tokens',
      '2048',
      '--grader-system-message',
      'Be fair.',
    ];
    const { stdout } = await run(['run', '--dataset', 'other', '--profile', 'healthbench', ...grader, '--json']);
    const { id } = JSON.parse(stdout).run;
    expect(await team.run(id, 'scoringProfile grader { temperature maxTokens systemMessage }')).toEqual({
      scoringProfile: 'healthbench',
      grader: { temperature: 0.5, maxTokens: 2048, systemMessage: 'Be fair.' },
    });
    await team.watch(id);
  });

  it('writes no colours into a pipe', async () => {
    for (const args of [['runs'], ['show', 'other'], ['compare', 'other', 'nightXly'], ['datasets']]) {
      const { stdout, stderr } = await run(args, { TERM: 'xterm-256color', FORCE_COLOR: '1' });
      expect(stdout + stderr).not.toContain(ESC);
    }
  });

  it('asks which of two runs of one name is meant, by their ids', async () => {
    const { id } = await team.dataset(jsonl(conversations(4)), 'four');
    const ids = [
      await team.start({ datasetId: id, name: 'twice' }),
      await team.start({ datasetId: id, name: 'twice' }),
    ];
    const { code, stderr } = await run(['show', 'twice']);
    expect(code).toBe(2);
    for (const one of ids) expect(stderr).toContain(one);
  });

  it('leaves a run running at Ctrl-C, with 130 and how to watch it again', async () => {
    provider.configure({ latencyMs: 2_000 });
    const args = ['run', '--dataset', 'four', '--name', 'slow', '--watch'];
    const ended = await run(args, {}, (child) => {
      child.stderr?.on('data', (text) => /Run slow/.test(text) && setTimeout(() => child.kill('SIGINT'), 300));
    });
    expect(ended).toMatchObject({ code: 130, stderr: expect.stringMatching(/assay watch UnVu\S+ --after 0/) });
    const [slow] = JSON.parse((await run(['runs', '--name', 'slow', '--json'])).stdout);
    expect(['QUEUED', 'RUNNING']).toContain(slow.status);
    expect((await run(['cancel', 'slow'])).stdout).toBe('Run slow is CANCELLED.\n');
  });

  it('has a help with an example for every command', async () => {
    const commandsOf = (help: string) =>
      [...(help.split(/^Commands:$/m)[1] ?? '').matchAll(/^ {2}(\w+)/gm)].map((m) => m[1] as string);
    const top = await run(['--help']);
    const all: string[][] = [];
    for (const name of commandsOf(top.stdout.split(/^Examples:$/m)[0] as string)) {
      if (name === 'help' || name === 'demo') continue;
      const { stdout, code } = await run([name, '--help']);
      expect(code).toBe(0);
      all.push([name], ...commandsOf(stdout.split(/^Examples?:$/m)[0] as string).map((sub) => [name, sub]));
    }
    expect(all.length).toBeGreaterThan(18);
    for (const path of all) {
      const { stdout } = await run([...path, '--help']);
      expect(stdout).toMatch(new RegExp(`^Examples?:\\n(.*\\n)*.*assay ${path.join(' ')}`, 'm'));
      expect(stdout).toContain('--json');
    }
  }, 60_000);
});

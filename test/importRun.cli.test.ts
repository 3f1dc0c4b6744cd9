import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { AssayClient } from '../src/client/assayClient.js';
import { RefusedInput } from '../src/client/errors.js';
import { Assay, type Team } from './support/assay.js';
import { commandLine, type Run } from './support/commandLine.js';
import { conversations, jsonl } from './support/dataset.js';
import { harnessLine, harnessLines } from './support/importFiles.js';

const list = conversations(30);

/** `assay import-run` and what comes after it, as docs/importing-runs.md has it. */
describe('assay import-run', () => {
  let assay: Assay;
  let team: Team;
  let run: Run;
  let folder: string;

  beforeAll(async () => {
    assay = await Assay.start({ workers: false });
    team = await assay.team();
    run = commandLine(assay, team);
    folder = await mkdtemp(path.join(tmpdir(), 'assay-import-'));
    await writeFile(path.join(folder, 'dataset.jsonl'), jsonl(list));
    await writeFile(path.join(folder, 'results.jsonl'), harnessLines(list.map((one) => harnessLine(one))));
    await writeFile(path.join(folder, 'description.md'), 'Model Evaluated: one\nModel Grader: judge\nScore: 0.5\n');
  });
  afterAll(async () => {
    await assay.close();
    await rm(folder, { recursive: true, force: true });
  });

  it('has a page whose examples work as pasted', async () => {
    const page = await readFile('docs/importing-runs.md', 'utf8');
    const blocks = [...page.matchAll(/```sh\n([\s\S]*?)```/g)].map(([, code]) =>
      (code as string).replaceAll('\\\n', ' '),
    );
    const commands = blocks.flatMap((block) => block.split('\n')).filter((line) => line.startsWith('assay '));
    expect(commands).toHaveLength(3);
    for (const command of commands) {
      const words = [...command.matchAll(/'([^']*)'|(\S+)/g)].map(([, quoted, bare]) => quoted ?? (bare as string));
      const { code, stdout } = await run(words.slice(1));
      expect([command, code]).toEqual([command, 0]);
      expect(stdout).toMatch(/imported/);
    }
  }, 60_000);

  it('takes the folder of the source harness, and says on the card where the number comes from', async () => {
    const dataset = path.join(folder, 'dataset.jsonl');
    const args = ['import-run', folder, '--dataset', dataset, '--name', 'old', '--template', 'built-in'];
    const { code, stdout, stderr } = await run(args);
    expect({ code, stderr }).toEqual({ code: 0, stderr: 'Imported run old\n' });
    expect(stdout).toMatch(/old +COMPLETED, imported\n/);
    expect(stdout).toContain('! REPORTED SCORE DIFFERS: The imported file reports 50.00 %');
    expect(stdout).toMatch(/Model +one, not known: temperature, reasoningEffort, maxTokens\n/);
    expect(stdout).toMatch(/Recovered +criteria, tags, sample, repeats\n/);
    expect(stdout).toContain(`File       ${path.basename(folder)}, SOURCE_HARNESS, sha256 `);
    expect((await run([...args, '--json'])).stdout).toContain('"created":false');
    expect((await run(['runs'])).stdout).toMatch(/^old +COMPLETED .* imported 20/m);
  }, 60_000);

  it('is judged by the gate: alike when all is declared, and not to be told when it is unknown', async () => {
    const declare = '{"temperature": 0, "reasoningEffort": null, "maxTokens": null, "systemMessage": null}';
    const base = ['import-run', path.join(folder, 'results.jsonl'), '--dataset', 'dataset', '--template', 'built-in'];
    const known = ['--declare', `{"grader": ${declare}}`];
    await run([...base, ...known, '--name', 'baseline']);
    await run([...base, ...known, '--name', 'candidate', '--profile', 'healthbench', '--repeats', '1']);
    const passed = await run(['gate', 'candidate', '--baseline', 'baseline', '--max-drop', '0.02']);
    expect([passed.code, passed.stdout]).toEqual([0, expect.stringContaining('PASSED')]);
    const unjudged = await run(['gate', 'candidate', '--baseline', 'old']);
    expect(unjudged.code).toBe(3);
    expect(unjudged.stdout).toContain('grader.temperature (not known → 0)');
    const compared = await run(['compare', 'old', 'candidate']);
    expect(compared.stdout).toContain('grader.temperature: not known → 0  (who can tell)');
    const retried = await run(['retry', 'old']);
    expect([retried.code, retried.stderr]).toEqual([1, expect.stringContaining('no model is called for it')]);
  }, 60_000);

  it('refuses with what to mend, and with exit code 2 what is said wrong', async () => {
    const file = path.join(folder, 'results.jsonl');
    const cases: [string[], number, string][] = [
      [[file], 2, "required option '--dataset"],
      [[file, '--dataset', 'dataset', '--declare', '[1]'], 2, '--declare must be a JSON object'],
      [[file, '--dataset', 'dataset', '--format', 'own'], 2, 'Allowed choices'],
      [['nowhere', '--dataset', 'dataset'], 1, 'There is no file nowhere.'],
      [
        [file, '--dataset', 'dataset', '--model', 'two'],
        1,
        'INVALID_INPUT at modelUnderTest.model: The file says otherwise',
      ],
      [['README.md', '--dataset', 'dataset'], 1, 'INVALID_INPUT: The file is in no format'],
    ];
    for (const [args, code, message] of cases) {
      const ended = await run(['import-run', ...args]);
      expect([ended.code, ended.stderr]).toEqual([code, expect.stringContaining(message)]);
    }
  }, 60_000);

  it('is there for TypeScript, too', async () => {
    const client = new AssayClient({ url: assay.server.url, apiKey: team.key });
    const { dataset } = await client.importDataset(await readFile('examples/sample.jsonl'), 'sample');
    const input = { datasetId: dataset.id, name: 'by the client' };
    const file = await readFile('examples/imported-run.json');
    const { run: imported, created } = await client.importRun(file, input);
    expect(created).toBe(true);
    expect((await client.run(imported.id))?.origin?.format).toBe('HEALTHBENCH_RUNNER');
    const wrong = client.importRun(file, { ...input, modelUnderTest: { model: 'another' } });
    await expect(wrong).rejects.toThrow(RefusedInput);
  });
});

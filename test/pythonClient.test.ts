import { spawn, spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { type SimulatedProvider, startSimulatedProvider } from '../src/simulator/simulatedProvider.js';
import { Assay, type Data, type Team } from './support/assay.js';

const probe = spawnSync('python3', ['-c', 'import sys; sys.exit(sys.version_info < (3, 9))']);
const installed = probe.status === 0;
if (!installed) process.stderr.write('Skipped: the Python client needs python3 (3.9 or later), which is not here.\n');

const readme = readFileSync('clients/python/README.md', 'utf8');
const examples = [...readme.matchAll(/```python\n([\s\S]*?)```/g)].map(([, code]) => code as string);
const notebook = JSON.parse(readFileSync('examples/healthbench.ipynb', 'utf8')) as Data;
const cells: Data[] = notebook.cells.filter((cell: Data) => cell.cell_type === 'code');

(installed ? describe : describe.skip)('the Python client', () => {
  let assay: Assay;
  let team: Team;
  let provider: SimulatedProvider;

  beforeAll(async () => {
    provider = await startSimulatedProvider({ latencyMs: 5 });
    assay = await Assay.start();
  });
  beforeEach(async () => {
    team = await assay.team();
    await team.endpoint(provider.url, { simulated: true });
  });
  afterAll(async () => {
    await assay.close();
    await provider.close();
  });

  const python = (args: string[], cwd = '.') =>
    new Promise<{ code: number | null; stdout: string; stderr: string }>((resolve) => {
      const { PATH = '' } = process.env;
      const child = spawn('python3', ['-W', 'error', '-B', ...args], {
        cwd,
        env: {
          PATH,
          ASSAY_URL: assay.server.url,
          ASSAY_API_KEY: team.key,
          PYTHONPATH: `${process.cwd()}/clients/python/src`,
          PYTHONIOENCODING: 'utf-8',
        },
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

  it('passes its own tests, those against a service included', async () => {
    const { code, stderr } = await python(['-m', 'unittest', 'discover', '-s', 'clients/python/tests']);
    // unittest reports on stderr.
    if (code !== 0) throw new Error(stderr);
    expect(stderr).toMatch(/^Ran \d+ tests/m);
    expect(stderr).not.toContain('skipped');
  }, 180_000);

  it('has a README whose example works as pasted', async () => {
    expect(examples).toHaveLength(1);
    const { code, stdout, stderr } = await python(['-c', examples[0] as string]);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toMatch(
      /first look: COMPLETED.* score 0\.\d{3} \[0\.\d{3}, \d\.\d{3}\] at 95%, n = 12, coverage 100/,
    );
    expect(stdout).toContain('another model against first look');
    // The newest run is there now: the project's own README reads it.
    const [, short] = readFileSync('README.md', 'utf8').match(/```py\n([\s\S]*?)```/) as RegExpMatchArray;
    expect(await python(['-c', short as string])).toMatchObject({ code: 0, stderr: '' });
  });

  it('has a notebook that runs from top to bottom', async () => {
    const code = cells.map(({ source }) => (source as string[]).join('')).join('\n\n');
    const ran = await python(['-c', code], 'examples');
    expect({ code: ran.code, stderr: ran.stderr }).toEqual({ code: 0, stderr: '' });
  });
});

describe('the notebook', () => {
  it('has the outputs of one execution in order, and says that they are simulated', () => {
    expect(notebook.nbformat).toBe(4);
    expect(cells.map((cell) => cell.execution_count)).toEqual(cells.map((_, i) => i + 1));
    expect(cells.flatMap(({ outputs }) => outputs).map(({ output_type: type }) => type)).not.toContain('error');
    expect(JSON.stringify(notebook)).toContain('simulated provider');
    expect(JSON.stringify(notebook)).not.toMatch(/assay_[\w-]{20}|\/tmp\/|\/work\//);
  });
});

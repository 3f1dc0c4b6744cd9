import { existsSync, readFileSync } from 'node:fs';
import { Command, CommanderError, Option } from 'commander';
import { toldError } from './cliError.js';
import { registerCompare } from './commands/compare.js';
import { registerControl } from './commands/control.js';
import { registerDatasets } from './commands/datasets.js';
import { registerDemo } from './commands/demo.js';
import { registerEndpoints } from './commands/endpoints.js';
import { registerGate } from './commands/gate.js';
import { registerImport } from './commands/import.js';
import { registerImportRun } from './commands/importRun.js';
import { registerKeys } from './commands/keys.js';
import { registerRegrade } from './commands/regrade.js';
import { registerRun } from './commands/run.js';
import { registerRuns } from './commands/runs.js';
import { registerShow, registerWatch } from './commands/show.js';
import { registerWebhooks } from './commands/webhooks.js';
import { DEFAULT_URL } from './settings.js';

const HELP = `
Examples:
  assay import examples/sample.jsonl
  assay run --dataset examples/sample.jsonl --watch
  assay show latest

Start the service first: npm start. Its admin key is read from .assay/admin.key (ASSAY_DATA_DIR) when the
service runs on this machine; elsewhere set ASSAY_API_KEY. With --json, results are JSON on stdout and remarks stay on
stderr. Exit codes: 0 fine, 1 failed, 2 wrong usage, 130 ended by Ctrl-C (the service goes on).`;

function readVersion(): string {
  return JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')).version;
}

function buildProgram(): Command {
  const program = new Command('assay');
  program
    .description('Rubric-graded evaluations of language models: the command line of the Assay service.')
    .addOption(new Option('--url <url>', `address of the service (default: ASSAY_URL, else ${DEFAULT_URL})`))
    .addOption(new Option('--api-key <key>', 'API key; other users can read arguments, so rather set ASSAY_API_KEY'))
    .version(readVersion(), '--version', 'print the version of this program')
    .configureHelp({ showGlobalOptions: true })
    .showHelpAfterError('(--help shows what is possible)')
    .addHelpText('after', HELP)
    // Commander would exit with 1 for wrong usage.
    .exitOverride();
  registerDemo(program);
  registerImport(program);
  registerDatasets(program);
  registerImportRun(program);
  registerRun(program);
  registerRegrade(program);
  registerRuns(program);
  registerShow(program);
  registerWatch(program);
  registerCompare(program);
  registerControl(program);
  registerGate(program);
  registerKeys(program);
  registerEndpoints(program);
  registerWebhooks(program);
  return program;
}

function fail(error: unknown): void {
  if (error instanceof CommanderError) {
    process.exitCode = error.exitCode === 0 ? 0 : 2;
    return;
  }
  const told = toldError(error);
  process.exitCode = told?.exitCode ?? 1;
  const text = told?.message ?? (error as Error)?.stack ?? String(error);
  process.stderr.write(`assay: ${text}\n`);
}

// The reader of a pipe may leave early ("| head"): that is no failure.
process.stdout.on('error', (error: NodeJS.ErrnoException) => process.exit(error.code === 'EPIPE' ? 0 : 1));
if (existsSync('.env')) process.loadEnvFile('.env');
await buildProgram().parseAsync().catch(fail);

import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { CliError } from './cliError.js';
import { importFile } from './commands/import.js';
import { startRun } from './commands/run.js';
import type { CliContext } from './context.js';
import { demoGuide } from './demoGuide.js';
import { type DemoProcess, freePort, startProcess } from './demoProcess.js';
import {
  configuredProvider,
  type DemoProvider,
  endpointFor,
  providerVariables,
  simulatedProvider,
} from './demoProvider.js';
import { cancelRun, cancelUnfinishedDemos, demoRunName } from './demoRuns.js';
import { counted } from './format.js';
import { createOutput, type Output } from './output.js';
import { keyFile } from './settings.js';
import { INTERRUPTED, watchRun } from './watchRun.js';

const root = fileURLToPath(new URL('../../', import.meta.url));
const program = (path: string) => join(root, 'dist', path);

/** Everything that is started and must be ended. */
interface Stage {
  readonly output: Output;
  readonly dataDir: string;
  /** Ends the demo; its reason is a CliError when a program has died. */
  readonly ending: AbortController;
  readonly processes: DemoProcess[];
}

function open(stage: Stage, name: string, args: string[], log: string, env: Record<string, string>): DemoProcess {
  const die = (error: CliError) => stage.ending.abort(error);
  const opened = startProcess(name, args, join(stage.dataDir, log), env, die);
  stage.processes.push(opened);
  return opened;
}

/** Starts the simulated provider unless the environment names a real one. */
async function openProvider(stage: Stage): Promise<DemoProvider> {
  const configured = configuredProvider(process.env);
  if (configured) {
    say(stage, 'Provider', `${configured.baseUrl}, model ${configured.model}, grader ${configured.grader}`);
    return configured;
  }
  const port = await freePort();
  const args = [program('simulator/main.js'), '--port', `${port}`, '--latency-ms', '40'];
  const simulator = open(stage, 'The simulated provider', args, 'simulator.log', {});
  await simulator.ready(`http://127.0.0.1:${port}/v1/models`, stage.ending.signal);
  say(stage, 'Provider', 'SIMULATED: replies and verdicts are made up, no model is called.');
  say(stage, '', 'For real models set BASE_URL, API_KEY, MODEL_TEST and MODEL_GRADER in .env.');
  return simulatedProvider(port);
}

/** Starts the service with its database in the demo's folder, whatever the environment says about others. */
async function openService(stage: Stage, provider: DemoProvider): Promise<CliContext> {
  const port = await freePort(4000);
  const url = `http://127.0.0.1:${port}`;
  const first = !existsSync(keyFile(stage.dataDir));
  say(stage, 'Service', `${url}${first ? ' (the first start sets up a Postgres: a few seconds)' : ''}`);
  const service = open(stage, 'The service', [program('server.js')], 'service.log', {
    ...providerVariables(provider),
    PORT: String(port),
    HOST: '127.0.0.1',
    DATABASE_URL: '',
    ASSAY_BOOTSTRAP_KEY: '',
    ASSAY_ROLE: 'all',
    ASSAY_DATA_DIR: stage.dataDir,
  });
  await service.ready(`${url}/health`, stage.ending.signal);
  const apiKey = readFileSync(keyFile(stage.dataDir), 'utf8').trim();
  return { settings: { url, apiKey }, output: stage.output };
}

async function evaluate(stage: Stage, context: CliContext, provider: DemoProvider): Promise<string | null> {
  await cancelUnfinishedDemos(context.settings);
  const { dataset } = await importFile(context, join(root, 'examples', 'sample.jsonl'));
  const criteria = counted(dataset.criterionCount, 'criterion', 'criteria');
  say(stage, 'Dataset', `${dataset.name}: ${counted(dataset.conversationCount, 'conversation')}, ${criteria}`);
  if (!provider.simulated)
    say(stage, '', 'Every conversation is one call of the model, every criterion one of the grader.');
  const endpointId = await endpointFor(context.settings, provider);
  const run = await startRun(context, {
    name: demoRunName(dataset.name),
    datasetId: dataset.id,
    modelUnderTest: { endpointId, model: provider.model },
    grader: { endpointId, model: provider.grader },
  });
  say(stage, 'Run', `${run.name} (${run.id})\n`);
  process.exitCode = await watchRun(context, run.id, { signal: stage.ending.signal });
  if (!stage.ending.signal.aborted) return run.id;
  // Nothing is left to go on with it, and calls in flight would hold up the end.
  await cancelRun(context.settings, run.id);
  return null;
}

async function perform(stage: Stage, keeps: boolean): Promise<void> {
  const provider = await openProvider(stage);
  const context = await openService(stage, provider);
  const runId = await evaluate(stage, context, provider);
  if (runId === null) return;
  const dataDir = relative(process.cwd(), stage.dataDir) || '.';
  const { paint } = stage.output.style;
  stage.output.line(`\n${demoGuide(context.settings, { runId, dataDir, keeps, paint })}`);
  if (!keeps) return;
  stage.output.line(`\nThe service keeps running. ${paint.strong('Ctrl-C ends it.')}`);
  await new Promise((resolve) => stage.ending.signal.addEventListener('abort', resolve, { once: true }));
}

function say({ output }: Stage, label: string, text: string): void {
  output.line(`${output.style.paint.strong(label.padEnd(9))}  ${text}`);
}

/**
 * Starts everything, evaluates the sample and shows what came of it; ends what it has started.
 *
 * @param keeps leave the service running at the end until Ctrl-C
 */
export async function runDemo(keeps: boolean): Promise<void> {
  const ending = new AbortController();
  for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(name, () => ending.abort());
  // Whoever reads the pipe may leave early, and what was started is to be ended in order all the same.
  process.stdout.removeAllListeners('error').on('error', () => ending.abort());
  const dataDir = join(process.env.ASSAY_DATA_DIR || '.assay', 'demo');
  mkdirSync(dataDir, { recursive: true });
  const stage: Stage = { output: createOutput(process.env), dataDir, ending, processes: [] };
  try {
    await perform(stage, keeps);
  } catch (error) {
    if (!ending.signal.aborted) throw error;
    process.exitCode = INTERRUPTED;
  } finally {
    // In reverse: the service drains before its provider goes away.
    for (const running of stage.processes.reverse()) await running.stop();
  }
  if (ending.signal.reason instanceof CliError) throw ending.signal.reason;
}

import { stat } from 'node:fs/promises';
import { type Command, Option } from 'commander';
import {
  type SampleInput,
  type StartedRunFragment,
  StartRunDocument,
  type StartRunInput,
} from '../../client/generated/operations.js';
import { accepted, request } from '../../client/request.js';
import { UsageError } from '../cliError.js';
import { type CliContext, contextOf } from '../context.js';
import { findDataset, findEndpoint } from '../findThings.js';
import { counted } from '../format.js';
import { decimal, wholeNumber } from '../numbers.js';
import { watchRun } from '../watchRun.js';
import { importFile } from './import.js';

interface RunOptions {
  dataset: string;
  model?: string;
  grader?: string;
  endpoint?: string;
  graderEndpoint?: string;
  sample?: number;
  method?: 'first' | 'python-random' | 'pandas';
  seed?: number;
  repeats?: number;
  temperature?: number;
  reasoningEffort?: string;
  maxTokens?: number;
  systemMessage?: string;
  graderTemperature?: number;
  graderReasoningEffort?: string;
  graderMaxTokens?: number;
  graderSystemMessage?: string;
  template?: string;
  profile?: string;
  maxCost?: number;
  maxCalls?: number;
  name?: string;
  idempotencyKey?: string;
  watch?: boolean;
  json?: boolean;
}

const EXAMPLES = `
Examples:
  assay run --dataset examples/sample.jsonl --watch
  assay run --dataset hard.jsonl --model gpt-4.1-mini --grader gpt-4.1 --sample 100 --seed 0 --watch
  assay run --dataset sample --name nightly --idempotency-key "$CI_JOB_ID" --watch --json

With --watch the exit code is 1 unless the run is completed and has a score.`;

/** `assay run`. */
export function registerRun(program: Command): void {
  program
    .command('run')
    .summary('start a run (and watch it)')
    .description('Starts an evaluation and returns at once, or follows it with --watch.')
    .requiredOption('--dataset <file|id|name>', 'a JSONL file, which is imported, or a dataset that is there')
    .option('--model <model>', "model under test (default: the endpoint's)")
    .option('--grader <model>', "model that grades (default: the endpoint's)")
    .option('--endpoint <id|name>', "endpoint of the model under test (default: the team's first)")
    .option('--grader-endpoint <id|name>', "endpoint of the grader (default: the team's first)")
    .option('--sample <n>', 'evaluate only n conversations', wholeNumber(1))
    .addOption(
      new Option(
        '--method <method>',
        'how to choose the sample, as Python or pandas do (default: python-random)',
      ).choices(['first', 'python-random', 'pandas']),
    )
    .option('--seed <n>', 'seed of the sample (default: 0)', wholeNumber(0))
    .option('--repeats <n>', 'replies for each conversation (default: 1)', wholeNumber(1))
    .option('--temperature <number>', 'of the model under test (default: 0.3)', decimal)
    .option('--reasoning-effort <effort>', 'of the model under test')
    .option('--max-tokens <n>', 'of a reply', wholeNumber(1))
    .option('--system-message <text>', 'put before every conversation')
    .option('--grader-temperature <number>', 'of the grader (default: 0)', decimal)
    .option('--grader-reasoning-effort <effort>', 'of the grader')
    .option('--grader-max-tokens <n>', 'of a verdict', wholeNumber(1))
    .option('--grader-system-message <text>', 'put before every grading')
    .option('--template <id>', 'grader prompt of the team (default: the built-in one)')
    .option(
      '--profile <name>',
      'scoring: healthbench (default), healthbench-length-adjusted or healthbench-professional',
    )
    .option('--max-cost <usd>', 'pause before more than this is spent; needs a price for both models', decimal)
    .option('--max-calls <n>', 'pause before more calls than this', wholeNumber(1))
    .option('--name <name>', 'name of the run')
    .option('--idempotency-key <key>', 'the same key with the same input starts one run only')
    .option('--watch', 'follow the run and end with its score card')
    .option('--json', 'print JSON; with --watch one line per batch of verdicts, then the run')
    .addHelpText('after', EXAMPLES)
    .action(async (options: RunOptions, command: Command) => {
      process.exitCode = await run(contextOf(command), options);
    });
}

async function run(context: CliContext, options: RunOptions): Promise<number> {
  const { output } = context;
  const started = await startRun(context, await runInput(context, options));
  if (options.watch) {
    output.note(`Run ${started.name} (${started.id}) over ${counted(started.sample.size, 'conversation')}`);
    return watchRun(context, started.id, { json: options.json });
  }
  if (options.json) output.json({ run: started });
  else {
    // With an idempotency key it may be the run of an earlier call.
    const done = started.status === 'QUEUED' ? 'Started run' : `Already ${started.status}: run`;
    output.line(`${done} ${started.name} over ${counted(started.sample.size, 'conversation')}`);
    output.line(`id     ${started.id}`);
    output.line(`Watch  assay watch ${started.id}`);
  }
  return 0;
}

/** The input of `startRun` for the options; imports the dataset first when it is a file. */
async function runInput(context: CliContext, options: RunOptions): Promise<StartRunInput> {
  const { settings } = context;
  const sample = sampleInput(options);
  const endpointId = options.endpoint && (await findEndpoint(settings, options.endpoint));
  const graderEndpointId = options.graderEndpoint && (await findEndpoint(settings, options.graderEndpoint));
  const { model, temperature, reasoningEffort, maxTokens, systemMessage } = options;
  return {
    datasetId: await datasetId(context, options.dataset),
    idempotencyKey: options.idempotencyKey,
    name: options.name,
    sample,
    repeats: options.repeats,
    modelUnderTest: { endpointId, model, temperature, reasoningEffort, maxTokens, systemMessage },
    grader: graderInput(options, graderEndpointId),
    scoringProfile: options.profile,
    budget: { maxCostUsd: options.maxCost, maxCalls: options.maxCalls },
  };
}

function graderInput(options: RunOptions, endpointId: string | undefined): StartRunInput['grader'] {
  return {
    endpointId,
    model: options.grader,
    temperature: options.graderTemperature,
    reasoningEffort: options.graderReasoningEffort,
    maxTokens: options.graderMaxTokens,
    systemMessage: options.graderSystemMessage,
    templateId: options.template,
  };
}

function sampleInput({ sample, method, seed }: RunOptions): SampleInput | undefined {
  if (sample === undefined) {
    if (method === undefined && seed === undefined) return undefined;
    throw new UsageError('--method and --seed choose a sample: say how many conversations with --sample N.');
  }
  if (method === 'first') {
    if (seed !== undefined) throw new UsageError('--method first takes no --seed.');
    return { size: sample, method: 'FIRST' };
  }
  return { size: sample, method: method === 'pandas' ? 'PANDAS' : 'PYTHON_RANDOM', seed: seed ?? 0 };
}

/** The id of the dataset that is meant by a file, which is imported, an id or a name. */
export async function datasetId(context: CliContext, reference: string): Promise<string> {
  const found = await stat(reference).catch(() => null);
  if (!found?.isFile()) return findDataset(context.settings, reference);
  const { dataset } = await importFile(context, reference);
  for (const warning of dataset.warnings) context.output.note(`Warning: ${warning}`);
  return dataset.id;
}

/** Starts a run; throws RefusedInput when that cannot be. */
export async function startRun({ settings }: CliContext, input: StartRunInput): Promise<StartedRunFragment> {
  return accepted((await request(settings, StartRunDocument, { input })).startRun).run;
}

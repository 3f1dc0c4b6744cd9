import { createReadStream } from 'node:fs';
import { readFile, stat } from 'node:fs/promises';
import path from 'node:path';
import { Readable } from 'node:stream';
import { type Command, Option } from 'commander';
import type { ImportFormat, ImportRunInput } from '../../client/generated/operations.js';
import { uploadRun } from '../../client/request.js';
import { CliError, UsageError } from '../cliError.js';
import { type CliContext, contextOf } from '../context.js';
import { wholeNumber } from '../numbers.js';
import { renderScoreCard } from '../scoreCard.js';
import { fetchScoreCard } from '../watchRun.js';
import { datasetId } from './run.js';

interface ImportRunOptions {
  dataset: string;
  format?: keyof typeof FORMATS;
  name?: string;
  model?: string;
  grader?: string;
  template?: string;
  promptSha256?: string;
  repeats?: number;
  profile?: string;
  declare?: string;
  json?: boolean;
}

const FORMATS = {
  'simple-evals': 'SIMPLE_EVALS',
  'source-harness': 'SOURCE_HARNESS',
  'healthbench-runner': 'HEALTHBENCH_RUNNER',
  inspect: 'INSPECT',
} as const satisfies Record<string, ImportFormat>;

type Declaration = Omit<ImportRunInput, 'file'>;

/** `assay import-run FILE`. */
export function registerImportRun(program: Command): void {
  program
    .command('import-run')
    .argument('<file>', 'result file of another harness, or the folder of the source harness')
    .requiredOption('--dataset <file|id|name>', 'what the run was made from; a file is imported')
    .addOption(new Option('--format <format>', 'found out from the file by default').choices(Object.keys(FORMATS)))
    .option('--name <name>', 'name of the run')
    .option('--model <model>', 'model that answered, where the file does not say')
    .option('--grader <model>', 'model that graded, where the file does not say')
    .option('--template <id>', 'grader template of the team with the prompt that was used; "built-in" for ours')
    .option('--prompt-sha256 <hex>', 'or only the sha256 of that prompt')
    .option('--repeats <n>', 'how often the file has the whole list', wholeNumber(1))
    .option('--profile <profile>', 'scoring profile (default: healthbench)')
    .option('--declare <json>', 'more of what the file does not say, as fields of ImportRunInput')
    .option('--json', 'print JSON')
    .summary('import a finished run of another harness')
    .description(
      'Imports a run of simple-evals (…_allresults.json), the source harness (results.jsonl with description.md), ' +
        'healthbench-runner or Inspect: all of it or nothing, scored here. No model is called. What the file does not ' +
        'say is unknown unless you declare it.',
    )
    .addHelpText(
      'after',
      '\nExamples:\n  assay import-run examples/imported --dataset examples/sample.jsonl\n' +
        '  assay import-run healthbench_gpt_allresults.json --dataset main --model gpt-x --grader gpt-4.1 \\\n' +
        '    --declare \'{"grader": {"temperature": 0.5, "maxTokens": 2048, "reasoningEffort": null}}\'',
    )
    .action(async (file: string, options: ImportRunOptions, command: Command) => {
      const context = contextOf(command);
      const { body, fileName, description } = await openRun(context, file);
      const input = { ...(await declarationOf(context, options)), fileName, description };
      const { run, created } = await uploadRun(context.settings, Readable.toWeb(body) as ReadableStream, input);
      const card = await fetchScoreCard(context, run.id);
      if (options.json) return context.output.json({ created, run: card });
      context.output.note(created ? `Imported run ${run.name}` : `Already there: run ${run.name}`);
      context.output.line(renderScoreCard(card, context.output.style));
    });
}

/** The file to send, with the description that the source harness puts beside it. */
async function openRun({ output }: CliContext, given: string) {
  const folder = (await stat(given).catch(() => null))?.isDirectory() ?? false;
  const file = folder ? path.join(given, 'results.jsonl') : given;
  const found = await stat(file).catch(() => null);
  if (!found?.isFile()) throw new CliError(`There is no file ${file}.`);
  if (output.terminal && found.size > 5e6) output.note(`Importing ${Math.round(found.size / 1e6)} MB …`);
  const beside = path.join(path.dirname(file), 'description.md');
  const description = path.basename(file) === 'results.jsonl' ? await readFile(beside, 'utf8').catch(() => null) : null;
  return {
    body: createReadStream(file),
    fileName: folder ? path.basename(path.resolve(given)) : path.basename(file),
    description,
  };
}

/** What the options declare; what they leave out is unknown. */
async function declarationOf(context: CliContext, options: ImportRunOptions): Promise<Declaration> {
  const more = declared(options.declare);
  const { model, grader, template, promptSha256, format } = options;
  return {
    name: options.name,
    repeats: options.repeats,
    scoringProfile: options.profile,
    ...more,
    ...(format === undefined ? {} : { format: FORMATS[format] }),
    datasetId: await datasetId(context, options.dataset),
    modelUnderTest: { ...more.modelUnderTest, ...(model === undefined ? {} : { model }) },
    grader: {
      ...more.grader,
      ...(grader === undefined ? {} : { model: grader }),
      ...(template === undefined ? {} : { templateId: template === 'built-in' ? null : template }),
      ...(promptSha256 === undefined ? {} : { promptSha256 }),
    },
  };
}

function declared(text: string | undefined): Partial<Declaration> {
  if (text === undefined) return {};
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value;
  } catch {
    // Said below.
  }
  throw new UsageError('--declare must be a JSON object, such as {"grader": {"temperature": 0}}.');
}

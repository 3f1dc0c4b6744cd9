import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { basename } from 'node:path';
import { Readable } from 'node:stream';
import { type Command, Option } from 'commander';
import type { DatasetSource } from '../../client/generated/operations.js';
import { type ImportAnswer, uploadDataset } from '../../client/request.js';
import { CliError, UsageError } from '../cliError.js';
import { type CliContext, contextOf } from '../context.js';
import { importSource } from '../downloadView.js';
import { counted } from '../format.js';

interface ImportOptions {
  source?: keyof typeof SOURCES;
  name?: string;
  json?: boolean;
}

const SOURCES = {
  'healthbench-main': 'HEALTHBENCH_MAIN',
  'healthbench-hard': 'HEALTHBENCH_HARD',
  'healthbench-consensus': 'HEALTHBENCH_CONSENSUS',
} as const satisfies Record<string, DatasetSource>;

/** `assay import FILE` and `assay import --source NAME`. */
export function registerImport(program: Command): void {
  program
    .command('import')
    .argument('[file]', 'JSONL file in a HealthBench format (main, hard, consensus or professional)')
    .addOption(
      new Option('--source <name>', 'let the service fetch this official file instead').choices(Object.keys(SOURCES)),
    )
    .option('--name <name>', 'name of the dataset (default: the name of the file)')
    .option('--json', 'print JSON')
    .summary('import a dataset')
    .description(
      'Imports a dataset: all of the file or nothing. The same content twice is the same dataset. An official file is ' +
        'fetched by the service, checked by its size and sha256, and goes on from where it was after a break.',
    )
    .addHelpText(
      'after',
      '\nExamples:\n  assay import examples/sample.jsonl --name sample\n  assay import --source healthbench-hard',
    )
    .action(async (file: string | undefined, options: ImportOptions, command: Command) => {
      const context = contextOf(command);
      const answer = await importEither(context, file, options);
      if (options.json) context.output.json(answer);
      else describeImport(answer).forEach(context.output.line);
    });
}

function importEither(
  context: CliContext,
  file: string | undefined,
  { source, name }: ImportOptions,
): Promise<ImportAnswer> {
  if (file !== undefined && source === undefined) return importFile(context, file, name);
  if (file === undefined && source !== undefined) return importSource(context, SOURCES[source], name);
  throw new UsageError('Give either a file or --source.');
}

/** Imports a file; throws a CliError when it cannot be read, a ClientError when the service rejects it. */
export async function importFile({ settings, output }: CliContext, file: string, name?: string): Promise<ImportAnswer> {
  const found = await stat(file).catch(() => null);
  if (!found?.isFile()) throw new CliError(`There is no file ${file}.`);
  if (output.terminal && found.size > 5e6) output.note(`Importing ${Math.round(found.size / 1e6)} MB …`);
  const body = Readable.toWeb(createReadStream(file)) as ReadableStream;
  return uploadDataset(settings, body, name ?? basename(file).replace(/\.(jsonl|ndjson|json)$/i, ''));
}

/** What an import did, for a person. */
export function describeImport({ dataset, created }: ImportAnswer): string[] {
  const size = `${counted(dataset.conversationCount, 'conversation')}, ${counted(dataset.criterionCount, 'criterion', 'criteria')}`;
  return [
    `${created ? 'Imported' : 'Already there:'} dataset ${dataset.name}: ${size}`,
    ...(dataset.officialName ? [`Recognised as the official file ${dataset.officialName}`] : []),
    ...dataset.warnings.map((warning) => `Warning: ${warning}`),
    `id      ${dataset.id}`,
    `sha256  ${dataset.sha256}`,
  ];
}

import { stat } from 'node:fs/promises';
import { basename } from 'node:path';
import type { Command } from 'commander';
import { CliError } from '../cliError.js';
import { type ImportAnswer, uploadDataset } from '../client.js';
import { type CliContext, contextOf } from '../context.js';
import { counted } from '../format.js';

/** `assay import FILE`. */
export function registerImport(program: Command): void {
  program
    .command('import')
    .argument('<file>', 'JSONL file in a HealthBench format (main, hard, consensus or professional)')
    .option('--name <name>', 'name of the dataset (default: the name of the file)')
    .option('--json', 'print JSON')
    .summary('import a dataset')
    .description('Imports a dataset: all of the file or nothing. The same content twice is the same dataset.')
    .addHelpText('after', '\nExample:\n  assay import examples/sample.jsonl --name sample')
    .action(async (file: string, options: { name?: string; json?: boolean }, command: Command) => {
      const context = contextOf(command);
      const answer = await importFile(context, file, options.name);
      if (options.json) context.output.json(answer);
      else describeImport(answer).forEach(context.output.line);
    });
}

/** Imports a file; throws a CliError when it cannot be read or the service rejects it. */
export async function importFile({ settings, output }: CliContext, file: string, name?: string): Promise<ImportAnswer> {
  const found = await stat(file).catch(() => null);
  if (!found?.isFile()) throw new CliError(`There is no file ${file}.`);
  if (output.terminal && found.size > 5e6) output.note(`Importing ${Math.round(found.size / 1e6)} MB …`);
  return uploadDataset(settings, file, name ?? basename(file).replace(/\.(jsonl|ndjson|json)$/i, ''));
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

import type { Command } from 'commander';
import { type DatasetFragment, DatasetsDocument } from '../../client/generated/operations.js';
import { request } from '../../client/request.js';
import { contextOf } from '../context.js';
import { grouped, moment } from '../format.js';
import { wholeNumber } from '../numbers.js';
import { firstNodes } from '../pages.js';
import { listing } from '../table.js';
import { clean, cut } from '../text.js';

/** `assay datasets`. */
export function registerDatasets(program: Command): void {
  program
    .command('datasets')
    .summary('list datasets')
    .description('Lists the datasets of the team, newest first.')
    .option('--limit <n>', 'at most this many', wholeNumber(1), 20)
    .option('--name <text>', 'only those with this in their name')
    .option('--json', 'print JSON')
    .addHelpText('after', '\nExamples:\n  assay datasets\n  assay datasets --name healthbench --json')
    .action(async ({ limit, name, json }: { limit: number; name?: string; json?: boolean }, command: Command) => {
      const { settings, output } = contextOf(command);
      const page = async (first: number, after: string | null) =>
        (await request(settings, DatasetsDocument, { first, after, name })).datasets;
      const { nodes, more } = await firstNodes(page, limit);
      if (json) return output.json(nodes);
      if (nodes.length === 0)
        return output.note(name ? 'No datasets of this name.' : 'No datasets. Import one with: assay import FILE');
      listing(datasetColumns, nodes.map(datasetRow), output.style).forEach(output.line);
      if (more) output.note(`There are more than ${limit}: --limit shows them.`);
    });
}

const right = 'right' as const;
const datasetColumns = [
  { title: 'name' },
  { title: 'conversations', align: right },
  { title: 'criteria', align: right },
  { title: 'imported' },
  { title: 'sha256' },
  { title: 'id' },
];

function datasetRow(dataset: DatasetFragment): string[] {
  return [
    cut(clean(dataset.name), 40),
    grouped(dataset.conversationCount),
    grouped(dataset.criterionCount),
    moment(dataset.createdAt),
    dataset.sha256.slice(0, 8),
    dataset.id,
  ];
}

import { type Command, Option } from 'commander';
import { type ListedRunFragment, type RunStatus, RunsDocument } from '../../client/generated/operations.js';
import { request } from '../../client/request.js';
import { contextOf } from '../context.js';
import { grouped, moment, percent, UNDEFINED } from '../format.js';
import { wholeNumber } from '../numbers.js';
import { firstNodes } from '../pages.js';
import { listing } from '../table.js';
import { clean, cut } from '../text.js';

interface RunsOptions {
  limit: number;
  status?: string;
  name?: string;
  json?: boolean;
}

const STATUSES = ['queued', 'running', 'paused', 'cancelled', 'completed', 'failed'];

/** `assay runs`. */
export function registerRuns(program: Command): void {
  program
    .command('runs')
    .summary('list runs')
    .description('Lists the runs of the team, newest first.')
    .option('--limit <n>', 'at most this many', wholeNumber(1), 20)
    .addOption(new Option('--status <status>', 'only runs of this status').choices(STATUSES))
    .option('--name <text>', 'only those with this in their name')
    .option('--json', 'print JSON')
    .addHelpText(
      'after',
      '\nExamples:\n  assay runs --limit 5\n  assay runs --status running --json\n  assay runs --name nightly',
    )
    .action(async ({ limit, status, name, json }: RunsOptions, command: Command) => {
      const { settings, output } = contextOf(command);
      const filter = { status: status === undefined ? undefined : [status.toUpperCase() as RunStatus], name };
      const page = async (first: number, after: string | null) =>
        (await request(settings, RunsDocument, { first, after, filter })).runs;
      const { nodes, more } = await firstNodes(page, limit);
      if (json) return output.json(nodes);
      if (nodes.length === 0) return output.note(noRuns(status ?? name));
      listing(runColumns, nodes.map(runRow), output.style).forEach(output.line);
      if (more) output.note(`There are more than ${limit}: --limit shows them.`);
    });
}

function noRuns(filter: string | undefined): string {
  return filter === undefined ? 'No runs. Start one with: assay run --dataset FILE' : 'No runs of this kind.';
}

const right = 'right' as const;
const runColumns = [
  { title: 'name' },
  { title: 'status' },
  { title: 'model' },
  { title: 'grader' },
  { title: 'score', align: right },
  { title: 'n', align: right },
  { title: 'coverage', align: right },
  { title: 'started' },
  // Last, because it is long: on a narrow terminal the rest stays readable.
  { title: 'id' },
];

function runRow(run: ListedRunFragment): string[] {
  return [
    cut(clean(run.name), 28),
    run.status,
    cut(clean(run.modelUnderTest.model), 24) + (run.modelUnderTest.simulated ? ' (simulated)' : ''),
    cut(clean(run.grader.model), 24),
    scoreText(run),
    run.score ? grouped(run.score.n) : UNDEFINED,
    run.score ? percent(run.score.coverage) : UNDEFINED,
    run.origin ? `imported ${moment(run.origin.importedAt)}` : moment(run.startedAt),
    run.id,
  ];
}

/** The interval is about symmetric except at the ends of the scale; half its length fits a column. */
function scoreText({ score }: ListedRunFragment): string {
  if (!score) return UNDEFINED;
  const half = score.interval ? ` ± ${((score.interval.high - score.interval.low) * 50).toFixed(1)}` : '';
  return `${(score.value * 100).toFixed(1)}${half} %`;
}

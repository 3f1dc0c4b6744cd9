import { type Command, Option } from 'commander';
import { type ListedRunFragment, type RunStatus, RunsDocument } from '../../client/generated/operations.js';
import { request } from '../../client/request.js';
import { contextOf } from '../context.js';
import { grouped, moment, percent, UNDEFINED } from '../format.js';
import { wholeNumber } from '../numbers.js';
import { table } from '../table.js';
import { clean, cut } from '../text.js';

const STATUSES = ['queued', 'running', 'paused', 'cancelled', 'completed', 'failed'];

/** `assay runs`. */
export function registerRuns(program: Command): void {
  program
    .command('runs')
    .summary('list runs')
    .description('Lists the runs of the team, newest first.')
    .option('--limit <n>', 'at most this many', wholeNumber(1), 20)
    .addOption(new Option('--status <status>', 'only runs of this status').choices(STATUSES))
    .option('--json', 'print JSON')
    .addHelpText('after', '\nExamples:\n  assay runs --limit 5\n  assay runs --status running --json')
    .action(async (options: { limit: number; status?: string; json?: boolean }, command: Command) => {
      const { settings, output } = contextOf(command);
      const filter = options.status ? { status: [options.status.toUpperCase() as RunStatus] } : undefined;
      const first = Math.min(200, options.limit);
      const { runs } = await request(settings, RunsDocument, { first, filter });
      if (options.json) output.json(runs.nodes);
      else if (runs.nodes.length === 0) output.note('No runs. Start one with: assay run --dataset FILE');
      else {
        const [head = '', ...lines] = runsTable(runs.nodes);
        output.line(output.style.paint.strong(head));
        for (const line of lines) output.line(line);
        if (runs.pageInfo.hasNextPage) output.note(`More than ${first}: see --limit.`);
      }
    });
}

function runsTable(runs: readonly ListedRunFragment[]): string[] {
  const right = 'right' as const;
  const columns = [
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
  return table(
    columns,
    runs.map((run) => [
      cut(clean(run.name), 28),
      run.status,
      cut(clean(run.modelUnderTest.model), 24) + (run.modelUnderTest.simulated ? ' (simulated)' : ''),
      cut(clean(run.grader.model), 24),
      scoreText(run),
      run.score ? grouped(run.score.n) : UNDEFINED,
      run.score ? percent(run.score.coverage) : UNDEFINED,
      run.origin ? `imported ${moment(run.origin.importedAt)}` : moment(run.startedAt),
      run.id,
    ]),
  );
}

/** The interval is about symmetric except at the ends of the scale; half its length fits a column. */
function scoreText({ score }: ListedRunFragment): string {
  if (!score) return UNDEFINED;
  const half = score.interval ? ` ± ${((score.interval.high - score.interval.low) * 50).toFixed(1)}` : '';
  return `${(score.value * 100).toFixed(1)}${half} %`;
}

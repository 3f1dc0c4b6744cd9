import type { Command } from 'commander';
import { contextOf } from '../context.js';
import { findRun } from '../findThings.js';
import { wholeNumber } from '../numbers.js';
import { renderScoreCard } from '../scoreCard.js';
import { fetchScoreCard, watchRun } from '../watchRun.js';

/** `assay show RUN`. */
export function registerShow(program: Command): void {
  program
    .command('show')
    .argument('<run>', 'id, unique name, or "latest"')
    .option('--json', 'print JSON')
    .summary('show the score card of a run')
    .description('Shows the score card of a run, finished or not.')
    .addHelpText('after', '\nExamples:\n  assay show latest\n  assay show nightly --json')
    .action(async (reference: string, options: { json?: boolean }, command: Command) => {
      const context = contextOf(command);
      const run = await fetchScoreCard(context, await findRun(context.settings, reference));
      if (options.json) context.output.json({ run });
      else context.output.line(renderScoreCard(run, context.output.style));
    });
}

/** `assay watch RUN`. */
export function registerWatch(program: Command): void {
  program
    .command('watch')
    .argument('<run>', 'id, unique name, or "latest"')
    .option('--after <n>', 'only verdicts after this sequence number', wholeNumber(0))
    .option('--json', 'print one JSON line per batch of verdicts, then the run')
    .summary('follow a run')
    .description(
      'Shows the verdicts of a run as they arrive and ends with its score card. Ctrl-C leaves the run running. ' +
        'The exit code is 1 unless the run is completed and has a score.',
    )
    .addHelpText('after', '\nExamples:\n  assay watch latest\n  assay watch nightly --after 1200 --json')
    .action(async (reference: string, options: { after?: number; json?: boolean }, command: Command) => {
      const context = contextOf(command);
      const runId = await findRun(context.settings, reference);
      process.exitCode = await watchRun(context, runId, options);
    });
}

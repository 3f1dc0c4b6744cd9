import type { Command } from 'commander';
import { CompareDocument } from '../../client/generated/operations.js';
import { request } from '../../client/request.js';
import { CliError } from '../cliError.js';
import { renderComparison } from '../comparisonCard.js';
import { contextOf } from '../context.js';
import { findRun } from '../findThings.js';
import { wholeNumber } from '../numbers.js';

interface CompareOptions {
  flips: number;
  json?: boolean;
}

/** `assay compare A B`. */
export function registerCompare(program: Command): void {
  program
    .command('compare')
    .argument('<baseline>', 'id, unique name, or "latest"')
    .argument('<candidate>', 'id, unique name, or "latest"')
    .option('--flips <n>', 'show so many lost and so many gained verdicts', wholeNumber(1), 5)
    .option('--json', 'print JSON')
    .summary('compare two runs')
    .description(
      'Says first whether two runs are comparable, then compares them over the conversations that both have: ' +
        'difference, interval, test, themes and axes, and the verdicts that changed.',
    )
    .addHelpText('after', '\nExamples:\n  assay compare last-month nightly\n  assay compare nightly latest --json')
    .action(async (baseline: string, candidate: string, options: CompareOptions, command: Command) => {
      const { settings, output } = contextOf(command);
      const [a, b] = [await findRun(settings, baseline), await findRun(settings, candidate)];
      const flips = Math.min(200, options.flips);
      const variables = { baselineId: a, candidateId: b, flips };
      const { compareRuns } = await request(settings, CompareDocument, variables);
      if (compareRuns === null) throw new CliError('One of the runs is gone.');
      if (options.json) output.json({ comparison: compareRuns });
      else output.line(renderComparison(compareRuns, output.style));
    });
}

import type { Command } from 'commander';
import { runDemo } from '../demo.js';

/** `assay demo`. */
export function registerDemo(program: Command): void {
  program
    .command('demo')
    .option('--keep', 'leave the service running at the end (default: on a terminal)')
    .option('--no-keep', 'stop the service at the end (default: in a pipe)')
    .summary('start everything and evaluate a sample')
    .description(
      'Starts a service of its own in .assay/demo and evaluates 24 invented conversations, with a simulated provider ' +
        'or the one that BASE_URL, API_KEY, MODEL_TEST and MODEL_GRADER name.',
    )
    .addHelpText('after', '\nExample:\n  assay demo --keep')
    // On a terminal a person wants to look around; in a pipe a script waits for the end.
    .action(({ keep = process.stdout.isTTY === true }: { keep?: boolean }) => runDemo(keep));
}

import type { Command } from 'commander';
import {
  CancelRunDocument,
  PauseRunDocument,
  ResumeRunDocument,
  RetryRunDocument,
} from '../../client/generated/operations.js';
import { accepted, request } from '../../client/request.js';
import { contextOf } from '../context.js';
import { findRun } from '../findThings.js';

const ACTIONS = {
  pause: ['stop calling the models; what is done stays', PauseRunDocument],
  resume: ['go on with a paused run', ResumeRunDocument],
  cancel: ['end a run for good; what is done stays', CancelRunDocument],
  retry: ['try once more what failed or is ungraded', RetryRunDocument],
} as const;

/** `assay pause | resume | cancel | retry RUN`. */
export function registerControl(program: Command): void {
  for (const [verb, [summary, document]] of Object.entries(ACTIONS)) {
    program
      .command(verb)
      .argument('<run>', 'id, unique name, or "latest"')
      .option('--json', 'print JSON')
      .summary(summary)
      .description(`${summary[0]?.toUpperCase()}${summary.slice(1)}.`)
      .addHelpText('after', `\nExample:\n  assay ${verb} latest`)
      .action(async (reference: string, options: { json?: boolean }, command: Command) => {
        const { settings, output } = contextOf(command);
        const input = { runId: await findRun(settings, reference) };
        const { run } = accepted((await request(settings, document, { input })).changed);
        if (options.json) output.json({ run });
        else output.line(`Run ${run.name} is ${run.status}.`);
      });
  }
}

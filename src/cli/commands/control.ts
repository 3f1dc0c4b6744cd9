import type { Command } from 'commander';
import { checkUserErrors, request, type UserError } from '../client.js';
import { contextOf } from '../context.js';
import { findRun } from '../findThings.js';

const ACTIONS = {
  pause: 'stop calling the models; what is done stays',
  resume: 'go on with a paused run',
  cancel: 'end a run for good; what is done stays',
  retry: 'try once more what failed or is ungraded',
} as const;

interface ChangedRun {
  id: string;
  name: string;
  status: string;
}

/** `assay pause | resume | cancel | retry RUN`. */
export function registerControl(program: Command): void {
  for (const [verb, summary] of Object.entries(ACTIONS)) {
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
        const type = verb === 'retry' ? 'RetryRunInput' : 'RunIdInput';
        const document = `mutation Change($input: ${type}!) {
          changed: ${verb}Run(input: $input) { run { id name status } userErrors { code message path } }
        }`;
        const { changed } = await request<Answer>(settings, document, { input });
        checkUserErrors(changed);
        if (options.json) output.json({ run: changed.run });
        else output.line(`Run ${changed.run.name} is ${changed.run.status}.`);
      });
  }
}

interface Answer {
  changed: { run: ChangedRun; userErrors: UserError[] };
}

import type { Command } from 'commander';
import { RegradeRunDocument } from '../../client/generated/operations.js';
import { accepted, request } from '../../client/request.js';
import { type CliContext, contextOf } from '../context.js';
import { findEndpoint, findRun } from '../findThings.js';
import { decimal, wholeNumber } from '../numbers.js';
import { watchRun } from '../watchRun.js';

interface RegradeOptions {
  grader?: string;
  graderEndpoint?: string;
  temperature?: number;
  reasoningEffort?: string;
  maxTokens?: number;
  template?: string;
  maxCost?: number;
  maxCalls?: number;
  name?: string;
  idempotencyKey?: string;
  watch?: boolean;
  json?: boolean;
}

/** `assay regrade RUN`. */
export function registerRegrade(program: Command): void {
  program
    .command('regrade')
    .argument('<run>', 'id, unique name, or "latest"')
    .summary('grade the replies of a run with another grader')
    .description(
      'Grades the stored replies of a run anew, in a new run. What no option says stays as it was. The model under ' +
        'test is not called.',
    )
    .option('--grader <model>', 'model that grades')
    .option('--grader-endpoint <id|name>', 'endpoint of the grader')
    .option('--temperature <number>', 'of the grader', decimal)
    .option('--reasoning-effort <effort>', 'of the grader')
    .option('--max-tokens <n>', 'of a verdict', wholeNumber(1))
    .option('--template <id>', 'grader prompt of the team')
    .option('--max-cost <usd>', 'pause before more than this is spent; needs a price for the grader', decimal)
    .option('--max-calls <n>', 'pause before more calls than this', wholeNumber(1))
    .option('--name <name>', 'name of the new run')
    .option('--idempotency-key <key>', 'the same key with the same input starts one run only')
    .option('--watch', 'follow the run and end with its score card')
    .option('--json', 'print JSON; with --watch one line per batch of verdicts, then the run')
    .addHelpText(
      'after',
      '\nExample:\n  assay regrade nightly --grader gpt-4.1 --watch\n  assay compare nightly latest',
    )
    .action(async (reference: string, options: RegradeOptions, command: Command) => {
      process.exitCode = await regrade(contextOf(command), reference, options);
    });
}

async function regrade(context: CliContext, reference: string, options: RegradeOptions): Promise<number> {
  const { settings, output } = context;
  const runId = await findRun(settings, reference);
  const { grader: model, temperature, reasoningEffort, maxTokens, template: templateId } = options;
  const endpointId = options.graderEndpoint && (await findEndpoint(settings, options.graderEndpoint));
  const grader = { endpointId, model, temperature, reasoningEffort, maxTokens, templateId };
  const budget = { maxCostUsd: options.maxCost, maxCalls: options.maxCalls };
  const input = { runId, name: options.name, idempotencyKey: options.idempotencyKey, grader, budget };
  const { run } = accepted((await request(settings, RegradeRunDocument, { input })).regradeRun);
  if (options.watch) {
    output.note(`Run ${run.name} (${run.id})`);
    return watchRun(context, run.id, { json: options.json });
  }
  if (options.json) output.json({ run });
  else output.line(`Started run ${run.name}\nid     ${run.id}\nWatch  assay watch ${run.id}`);
  return 0;
}

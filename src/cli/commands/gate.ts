import { writeFile } from 'node:fs/promises';
import { type Command, InvalidArgumentError, Option } from 'commander';
import { type GateComparisonFragment, GateDocument } from '../../client/generated/operations.js';
import { request } from '../../client/request.js';
import { CliError, UsageError } from '../cliError.js';

import { type CliContext, contextOf } from '../context.js';
import { findRun } from '../findThings.js';
import { type GateMode, judge } from '../gateChecks.js';
import { type Gate, type ReportFormat, renderGate, renderReport } from '../gateReport.js';
import { decimal, wholeNumber } from '../numbers.js';

interface GateOptions {
  baseline: string;
  maxDrop: number;
  confidence: number;
  mode: GateMode;
  minCoverage: number;
  minConversations: number;
  allowDifferent: boolean;
  report?: ReportFormat;
  output?: string;
  json?: boolean;
}

const RULE = `
The rule: candidate minus baseline is taken conversation by conversation, over those that have a score in both
runs, with a two-sided interval at --confidence.
  strict   passes when the interval's lower limit is at or above -MAX-DROP: a larger drop is ruled out. Too few
           conversations fail. At 0.95, a candidate that is worse by MAX-DROP passes about once in forty times.
  lenient  fails when the interval's upper limit is below -MAX-DROP: a larger drop is proven. Too few pass.
It also fails when a run is not completed, when the runs were not made alike (other conversations, grader, prompt or
profile), or when either covers too little. The exit code is 0 when the gate passes and 1 when not.

Examples:
  assay gate latest --baseline release-7
  assay gate candidate --baseline release-7 --max-drop 0.01 --report junit --output gate.xml
  assay gate candidate --baseline release-7 --report markdown >> "$GITHUB_STEP_SUMMARY"`;

/** `assay gate RUN`. */
export function registerGate(program: Command): void {
  program
    .command('gate')
    .argument('<run>', 'the candidate: id, unique name, or "latest"')
    .requiredOption('--baseline <run>', 'what it is held against: id or unique name')
    .option('--max-drop <score>', 'how much lower the score may be, 0 to 1', within(0, 1), 0.02)
    .option('--confidence <share>', 'of the interval, 0.5 to 0.99', within(0.5, 0.99), 0.95)
    .addOption(
      new Option('--mode <mode>', 'what too little data means').choices(['strict', 'lenient']).default('strict'),
    )
    .option('--min-coverage <share>', 'scored conversations of each run, 0 to 1', within(0, 1), 0.99)
    .option('--min-conversations <n>', 'scored in both runs, for strict', wholeNumber(2), 20)
    .option('--allow-different', 'judge runs that were not made alike', false)
    .addOption(new Option('--report <format>', 'instead of plain text').choices(['junit', 'markdown']))
    .option('--output <file>', 'write the report there, and plain text to stdout')
    .option('--json', 'print JSON')
    .summary('fail when a run scores lower than another')
    .description(
      'Holds a run against a baseline, for CI: fails when its score may have dropped by more than is allowed.',
    )
    .addHelpText('after', RULE)
    .action(async (reference: string, options: GateOptions, command: Command) => {
      process.exitCode = await gate(contextOf(command), reference, options);
    });
}

async function gate(context: CliContext, reference: string, options: GateOptions): Promise<number> {
  if (options.output && !options.report) throw new UsageError('--output needs --report junit or --report markdown.');
  const comparison = await compare(context, reference, options);
  const { maxDrop, confidence, mode, minCoverage, minConversations, allowDifferent } = options;
  const rules = { maxDrop, confidence, mode, minCoverage, minConversations, allowDifferent };
  const judged: Gate = { comparison, rules, result: judge(comparison, rules) };
  await print(context, judged, options);
  return judged.result.passed ? 0 : 1;
}

async function print({ output }: CliContext, judged: Gate, options: GateOptions): Promise<void> {
  const report = options.report && renderReport(judged, options.report);
  if (report && options.output) {
    await writeFile(options.output, report).catch((error: NodeJS.ErrnoException) => {
      throw new CliError(`The report cannot be written to ${options.output}: ${error.code}.`);
    });
  }
  if (options.json) output.json({ rules: judged.rules, ...judged.result, comparison: judged.comparison });
  else if (report && !options.output) output.line(report.trimEnd());
  else output.line(renderGate(judged));
}

async function compare(
  { settings }: CliContext,
  reference: string,
  { baseline, maxDrop, confidence }: GateOptions,
): Promise<GateComparisonFragment> {
  const [candidateId, baselineId] = await Promise.all([findRun(settings, reference), findRun(settings, baseline)]);
  // It would pass whatever the model does.
  if (candidateId === baselineId) throw new UsageError('A run cannot be its own baseline.');
  // No number of conversations shows a difference of 0.
  const dropAllowed = maxDrop > 0;
  const variables = { baseline: baselineId, candidate: candidateId, maxDrop, dropAllowed, confidence };
  const { compareRuns } = await request(settings, GateDocument, variables);
  if (compareRuns === null) throw new CliError('One of the two runs is gone.');
  return compareRuns;
}

function within(least: number, most: number): (text: string) => number {
  return (text) => {
    const value = decimal(text);
    if (value < least || value > most) throw new InvalidArgumentError(`A number from ${least} to ${most} is needed.`);
    return value;
  };
}

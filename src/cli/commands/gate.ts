import { writeFile } from 'node:fs/promises';
import { type Command, InvalidArgumentError, Option } from 'commander';
import { GateAloneDocument, GateDocument } from '../../client/generated/operations.js';
import { request } from '../../client/request.js';
import { CliError, toldError, UsageError } from '../cliError.js';
import { type CliContext, contextOf } from '../context.js';
import { findRun } from '../findThings.js';
import { type GateCase, type GateMode, judge } from '../gateChecks.js';
import { type Gate, renderGate, renderJunit, renderMarkdown } from '../gateReport.js';
import { decimal, wholeNumber } from '../numbers.js';
import type { Settings } from '../settings.js';
import { waitForRuns } from '../waitForRuns.js';

interface GateOptions {
  baseline?: string;
  maxDrop: number;
  confidence: number;
  mode: GateMode;
  minScore?: number;
  minCoverage: number;
  minConversations: number;
  allowDifferent: boolean;
  allowSimulated: boolean;
  wait?: number;
  junit?: string;
  markdown?: string;
  json?: boolean;
}

/** Exit codes, beside 2 for wrong usage. */
const CODES = { passed: 0, failed: 1, unclear: 3 } as const;

const RULE = `
The rule: candidate minus baseline is taken conversation by conversation, over those that have a score in both
runs, with a two-sided interval at --confidence.
  strict   passes when the interval's lower limit is at or above -MAX-DROP: a larger drop is ruled out. Too few
           conversations fail. At 0.95, a candidate that is worse by MAX-DROP passes about once in forty times.
  lenient  fails when the interval's upper limit is below -MAX-DROP: a larger drop is proven. Too few pass.
It also fails when a run covers too little, and when the candidate's score is below --min-score.

Exit codes: 0 passed; 1 failed; 2 wrong usage; 3 could not be judged: a run is missing, not completed or simulated, the
runs were not made alike (other conversations, grader, prompt or profile), there is no score, or no service.

Examples:
  assay gate latest --baseline release-7
  assay gate candidate --baseline release-7 --max-drop 0.01 --wait 60 --junit gate.xml
  assay gate candidate --min-score 0.4 --markdown "$GITHUB_STEP_SUMMARY"`;

/** `assay gate RUN`. */
export function registerGate(program: Command): void {
  program
    .command('gate')
    .argument('<run>', 'the candidate: id, unique name, or "latest"')
    .option('--baseline <run>', 'what it is held against: id or unique name')
    .option('--max-drop <score>', 'how much lower than the baseline the score may be, 0 to 1', within(0, 1), 0.02)
    .option('--confidence <share>', 'of the interval, 0.5 to 0.99', within(0.5, 0.99), 0.95)
    .addOption(
      new Option('--mode <mode>', 'what too little data means').choices(['strict', 'lenient']).default('strict'),
    )
    .option('--min-score <score>', 'the score of the candidate itself, at least', within(-1, 1))
    .option('--min-coverage <share>', 'scored conversations of each run, 0 to 1', within(0, 1), 0.99)
    .option('--min-conversations <n>', 'scored in both runs, for strict', wholeNumber(2), 20)
    .option('--allow-different', 'judge runs that were not made alike', false)
    .option('--allow-simulated', 'judge runs of the simulated provider', false)
    .option('--wait <minutes>', 'for runs that go on; one that is paused is not waited for', within(0, 10_080))
    .option('--junit <file>', 'write a JUnit report there')
    .option('--markdown <file>', 'write a Markdown report there')
    .option('--json', 'print JSON')
    .summary('fail when a run scores too low, or lower than another')
    .description('Judges a run, for CI: fails when its score is too low, or may have dropped by more than is allowed.')
    .addHelpText('after', RULE)
    .action(async (reference: string, options: GateOptions, command: Command) => {
      try {
        process.exitCode = await gate(contextOf(command), reference, options);
      } catch (error) {
        throw notJudged(error);
      }
    });
}

/** Whatever went wrong but the usage: it is not the candidate that failed. */
function notJudged(error: unknown): CliError {
  const told = toldError(error);
  if (told instanceof UsageError) return told;
  return new CliError(told?.message ?? (error as Error)?.stack ?? String(error), CODES.unclear);
}

async function gate(context: CliContext, reference: string, options: GateOptions): Promise<number> {
  const { baseline, minScore = null, wait = 0 } = options;
  if (baseline === undefined && minScore === null) throw new UsageError('Give --baseline, --min-score, or both.');
  const { settings } = context;
  const [candidateId, baselineId] = await Promise.all([
    findRun(settings, reference),
    baseline === undefined ? null : findRun(settings, baseline),
  ]);
  // It would pass whatever the model does.
  if (candidateId === baselineId) throw new UsageError('A run cannot be its own baseline.');
  await waitForRuns(context, baselineId === null ? [candidateId] : [candidateId, baselineId], wait);
  const found = await load(settings, candidateId, baselineId, options);
  const { maxDrop, confidence, mode, minCoverage, minConversations, allowDifferent, allowSimulated } = options;
  const asked = { maxDrop, confidence, mode, minScore, minCoverage, minConversations };
  const rules = { ...asked, allowDifferent, allowSimulated };
  const judged: Gate = { ...found, rules, result: judge(found, rules) };
  if (options.junit !== undefined) await write(options.junit, renderJunit(judged));
  if (options.markdown !== undefined) await write(options.markdown, renderMarkdown(judged));
  if (options.json) context.output.json({ rules, ...judged.result, ...found });
  else context.output.line(renderGate(judged));
  return CODES[judged.result.outcome];
}

function write(file: string, report: string): Promise<void> {
  return writeFile(file, report).catch((error: NodeJS.ErrnoException) => {
    throw new CliError(`The report cannot be written to ${file}: ${error.code}.`);
  });
}

async function load(
  settings: Settings,
  candidate: string,
  baseline: string | null,
  { maxDrop, confidence }: GateOptions,
): Promise<GateCase> {
  if (baseline === null) {
    const { run } = await request(settings, GateAloneDocument, { candidate });
    if (run === null) throw new CliError('The run is gone.');
    return { candidate: run, comparison: null };
  }
  // No number of conversations shows a difference of 0.
  const variables = { baseline, candidate, maxDrop, dropAllowed: maxDrop > 0, confidence };
  const { compareRuns } = await request(settings, GateDocument, variables);
  if (compareRuns === null) throw new CliError('One of the two runs is gone.');
  return { candidate: compareRuns.candidate, comparison: compareRuns };
}

function within(least: number, most: number): (text: string) => number {
  return (text) => {
    const value = decimal(text);
    if (value < least || value > most) throw new InvalidArgumentError(`A number from ${least} to ${most} is needed.`);
    return value;
  };
}

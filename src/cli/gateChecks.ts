import type { GateComparisonFragment, GateRunFragment } from '../client/generated/operations.js';

/** What a gate asks of a candidate. Scores and shares are from 0 to 1. */
export interface GateRules {
  /** How much lower than the baseline the candidate may be. */
  readonly maxDrop: number;
  /** Of the two-sided interval of the difference. */
  readonly confidence: number;
  readonly mode: GateMode;
  /** The candidate's score, at least; null: whatever it is. */
  readonly minScore: number | null;
  /** Scored / selected conversations of each run, at least. */
  readonly minCoverage: number;
  /** With fewer conversations a resampled interval is too narrow to rule anything out. */
  readonly minConversations: number;
  /** Judge runs that were not made alike. */
  readonly allowDifferent: boolean;
  /** Judge runs whose replies or verdicts are made up by a simulated provider. */
  readonly allowSimulated: boolean;
}

/**
 * strict: passes only when the data rule out a larger drop, so too little data fails.
 * lenient: fails only when the data prove a larger drop, so too little data passes.
 */
export type GateMode = 'strict' | 'lenient';

/** What is judged. */
export interface GateCase {
  readonly candidate: GateRunFragment;
  /** With the baseline; null: there is none. */
  readonly comparison: GateComparisonFragment | null;
}

/** unclear: it cannot be judged, so that neither answer would be true. */
export type GateOutcome = 'passed' | 'failed' | 'unclear';

export interface GateCheck {
  readonly name: 'completed' | 'real' | 'comparable' | 'coverage' | 'score' | 'drop';
  readonly status: GateOutcome | 'skipped';
  readonly message: string;
}

export interface GateResult {
  readonly outcome: GateOutcome;
  readonly checks: readonly GateCheck[];
}

/**
 * Judges a candidate: its score is high enough and has not dropped by more than is allowed. First the runs must be fit
 * to be judged: completed, not simulated, made alike and covered. The rule for the drop, with `low` and `high` the
 * limits of the interval of candidate - baseline: strict passes when low >= -maxDrop and there are enough
 * conversations, lenient when high >= -maxDrop.
 */
export function judge({ candidate, comparison }: GateCase, rules: GateRules): GateResult {
  const runs = comparison === null ? [candidate] : [candidate, comparison.baseline];
  const fit = [checkCompleted(runs), checkReal(runs, rules)];
  if (comparison !== null) fit.push(checkComparable(comparison, rules));
  const judged = fit.every(({ status }) => status === 'passed');
  const skip = (name: GateCheck['name']): GateCheck => ({ name, status: 'skipped', message: 'Not judged: see above.' });
  const checks = [...fit, judged ? checkCoverage(runs, rules) : skip('coverage')];
  const { minScore } = rules;
  if (minScore !== null) checks.push(judged ? checkScore(candidate, minScore) : skip('score'));
  if (comparison !== null) checks.push(judged ? checkDrop(comparison, rules) : skip('drop'));
  return { outcome: outcomeOf(checks), checks };
}

function outcomeOf(checks: readonly GateCheck[]): GateOutcome {
  const has = (status: GateCheck['status']) => checks.some((found) => found.status === status);
  if (has('unclear')) return 'unclear';
  return has('failed') ? 'failed' : 'passed';
}

const check = (name: GateCheck['name'], passed: boolean, message: string): GateCheck => ({
  name,
  status: passed ? 'passed' : 'failed',
  message,
});

/** For what must hold before anything can be said. */
const needed = (name: GateCheck['name'], holds: boolean, message: string): GateCheck => ({
  name,
  status: holds ? 'passed' : 'unclear',
  message,
});

function checkCompleted(runs: readonly GateRunFragment[]): GateCheck {
  const open = runs.filter(({ status }) => status !== 'COMPLETED');
  const all = runs.length === 1 ? 'The run is completed.' : 'Both runs are completed.';
  if (open.length === 0) return needed('completed', true, all);
  const list = open.map(({ name, status, statusReason }) => {
    return `“${name}” is ${status}${statusReason ? ` (${statusReason})` : ''}`;
  });
  return needed('completed', false, `${list.join('; ')}. Wait for it (--wait), resume it, or retry what is missing.`);
}

function checkReal(runs: readonly GateRunFragment[], { allowSimulated }: GateRules): GateCheck {
  const made = runs.filter(({ modelUnderTest, grader }) => modelUnderTest.simulated || grader.simulated);
  if (made.length === 0) return needed('real', true, 'No provider is simulated.');
  const what = `${made.map(({ name }) => `“${name}”`).join(' and ')}: made up by a simulated provider.`;
  if (allowSimulated) return needed('real', true, `${what} Judged all the same, as asked.`);
  return needed('real', false, `${what} It says nothing about a model; --allow-simulated judges it.`);
}

/** Coverage has a check of its own, and the numbers are over the conversations that both runs have scored. */
function checkComparable(
  { differences, sameReplies }: GateComparisonFragment,
  { allowDifferent }: GateRules,
): GateCheck {
  const grave = differences.filter(
    ({ part, severity }) => part !== 'coverage' && severity !== 'CAUTION' && severity !== 'SUBJECT',
  );
  const found = grave.map(
    ({ part, baseline, candidate, baselineKnown, candidateKnown }) =>
      `${part} (${shownPart(baseline, baselineKnown)} → ${shownPart(candidate, candidateKnown)})`,
  );
  if (sameReplies) found.unshift('none of the replies: both runs grade the same ones');
  if (found.length === 0) return needed('comparable', true, 'The runs were made alike, but for the model under test.');
  const list = `The runs differ in ${found.join(', ')}.`;
  if (allowDifferent) return needed('comparable', true, `${list} Judged all the same, as asked.`);
  return needed('comparable', false, `${list} A drop would say nothing about the model; --allow-different judges it.`);
}

const shownPart = (value: string | null, known: boolean): string => value ?? (known ? 'none' : 'not known');

function checkCoverage(runs: readonly GateRunFragment[], { minCoverage }: GateRules): GateCheck {
  const share = (run: GateRunFragment) => run.score?.coverage ?? 0;
  const shown = runs.map((run, i) => `${i === 0 ? 'candidate' : 'baseline'} ${(share(run) * 100).toFixed(1)} %`);
  const enough = runs.every((run) => share(run) >= minCoverage);
  const message = `Scored conversations: ${shown.join(', ')}; at least ${+(minCoverage * 100).toFixed(2)} % are asked for.`;
  return check('coverage', enough, enough ? message : `${message} Retry what is missing: assay retry RUN.`);
}

function checkScore({ score }: GateRunFragment, minScore: number): GateCheck {
  if (score === null) return needed('score', false, 'The candidate has no score.');
  const { value, n, interval } = score;
  const range =
    interval === null
      ? ''
      : ` [${interval.low.toFixed(3)}, ${interval.high.toFixed(3)}] at ${+(interval.confidence * 100).toFixed(2)} %`;
  const message = `${value.toFixed(3)}${range} over ${n} conversations; at least ${minScore} is asked for.`;
  return check('score', value >= minScore, message);
}

function checkDrop({ overall, unavailableReason }: GateComparisonFragment, rules: GateRules): GateCheck {
  const { maxDrop, mode, minConversations } = rules;
  if (overall === null) return needed('drop', false, `There is no difference to judge: ${unavailableReason}`);
  const { interval, conversations, conversationsNeeded } = overall;
  if (interval === null) return needed('drop', false, 'One conversation gives no interval: nothing can be told.');
  const measured = `${differenceText(overall)} over ${conversations} conversations`;
  if (mode === 'lenient') {
    return interval.high >= -maxDrop
      ? check('drop', true, `${measured}: no drop of more than ${maxDrop} is proven.`)
      : check('drop', false, `${measured}: a drop of more than ${maxDrop} is proven.`);
  }
  if (conversations < minConversations) {
    return check('drop', false, `${measured}: fewer than ${minConversations} make no reliable interval.`);
  }
  if (interval.low >= -maxDrop) return check('drop', true, `${measured}: a drop of more than ${maxDrop} is ruled out.`);
  if (interval.high < -maxDrop) return check('drop', false, `${measured}: a drop of more than ${maxDrop} is proven.`);
  const more =
    conversationsNeeded && conversationsNeeded > conversations
      ? ` It takes about ${conversationsNeeded} conversations to tell.`
      : '';
  return check('drop', false, `${measured}: a drop of more than ${maxDrop} cannot be ruled out.${more}`);
}

/** "-0.012 [-0.031, +0.007] at 95 %". */
export function differenceText(overall: NonNullable<GateComparisonFragment['overall']>): string {
  const { difference, interval } = overall;
  if (interval === null) return signed(difference);
  return `${signed(difference)} [${signed(interval.low)}, ${signed(interval.high)}] at ${+(interval.confidence * 100).toFixed(2)} %`;
}

/** With its sign and without the minus of "-0.000". */
export function signed(value: number): string {
  const text = value.toFixed(3);
  if (Number(text) === 0) return '0.000';
  return value > 0 ? `+${text}` : text;
}

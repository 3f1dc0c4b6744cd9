import type { GateComparisonFragment, GateRunFragment } from '../client/generated/operations.js';

/** What a gate asks of a candidate. Scores and shares are from 0 to 1. */
export interface GateRules {
  /** How much lower than the baseline the candidate may be. */
  readonly maxDrop: number;
  /** Of the two-sided interval of the difference. */
  readonly confidence: number;
  readonly mode: GateMode;
  /** Scored / selected conversations of each run, at least. */
  readonly minCoverage: number;
  /** With fewer conversations a resampled interval is too narrow to rule anything out. */
  readonly minConversations: number;
  /** Judge runs that were not made alike. */
  readonly allowDifferent: boolean;
}

/**
 * strict: passes only when the data rule out a larger drop, so too little data fails.
 * lenient: fails only when the data prove a larger drop, so too little data passes.
 */
export type GateMode = 'strict' | 'lenient';

export interface GateCheck {
  readonly name: 'completed' | 'comparable' | 'coverage' | 'score';
  readonly status: 'passed' | 'failed' | 'skipped';
  readonly message: string;
}

export interface GateResult {
  readonly passed: boolean;
  readonly checks: readonly GateCheck[];
}

/**
 * Judges a candidate: both runs are completed, made alike and covered, and the score has not dropped by more than
 * is allowed. The rule for the score, with `low` and `high` the limits of the interval of candidate - baseline:
 * strict passes when low >= -maxDrop and there are enough conversations, lenient when high >= -maxDrop.
 */
export function judge(comparison: GateComparisonFragment, rules: GateRules): GateResult {
  const completed = checkCompleted(comparison);
  const comparable = checkComparable(comparison, rules);
  const coverage = checkCoverage(comparison, rules);
  const judged = completed.status === 'passed' && comparable.status === 'passed';
  const score: GateCheck = judged
    ? checkScore(comparison, rules)
    : { name: 'score', status: 'skipped', message: 'Not judged: see above.' };
  const checks = [completed, comparable, coverage, score];
  return { passed: checks.every(({ status }) => status === 'passed'), checks };
}

const check = (name: GateCheck['name'], passed: boolean, message: string): GateCheck => ({
  name,
  status: passed ? 'passed' : 'failed',
  message,
});

function checkCompleted({ baseline, candidate }: GateComparisonFragment): GateCheck {
  const open = [candidate, baseline].filter(({ status }) => status !== 'COMPLETED');
  if (open.length === 0) return check('completed', true, 'Both runs are completed.');
  const list = open.map(({ name, status, statusReason }) => {
    return `“${name}” is ${status}${statusReason ? ` (${statusReason})` : ''}`;
  });
  return check('completed', false, `${list.join('; ')}. Wait for it (assay watch), or retry what is missing.`);
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
  if (found.length === 0) return check('comparable', true, 'The runs were made alike, but for the model under test.');
  const list = `The runs differ in ${found.join(', ')}.`;
  if (allowDifferent) return check('comparable', true, `${list} Judged all the same, as asked.`);
  return check('comparable', false, `${list} A drop would say nothing about the model; --allow-different judges it.`);
}

const shownPart = (value: string | null, known: boolean): string => value ?? (known ? 'none' : 'not known');

function checkCoverage({ baseline, candidate }: GateComparisonFragment, { minCoverage }: GateRules): GateCheck {
  const share = (run: GateRunFragment) => run.score?.coverage ?? 0;
  const shown = (run: GateRunFragment) => `${(share(run) * 100).toFixed(1)} %`;
  const enough = share(candidate) >= minCoverage && share(baseline) >= minCoverage;
  const message = `Scored conversations: candidate ${shown(candidate)}, baseline ${shown(baseline)}; at least ${+(minCoverage * 100).toFixed(2)} % are asked for.`;
  return check('coverage', enough, enough ? message : `${message} Retry what is missing: assay retry RUN.`);
}

function checkScore({ overall, unavailableReason }: GateComparisonFragment, rules: GateRules): GateCheck {
  const { maxDrop, mode, minConversations } = rules;
  if (overall === null) return check('score', false, `There is no difference to judge: ${unavailableReason}`);
  const { interval, conversations, conversationsNeeded } = overall;
  if (interval === null) return check('score', false, 'One conversation gives no interval: nothing can be told.');
  const measured = `${differenceText(overall)} over ${conversations} conversations`;
  if (mode === 'lenient') {
    return interval.high >= -maxDrop
      ? check('score', true, `${measured}: no drop of more than ${maxDrop} is proven.`)
      : check('score', false, `${measured}: a drop of more than ${maxDrop} is proven.`);
  }
  if (conversations < minConversations) {
    return check('score', false, `${measured}: fewer than ${minConversations} make no reliable interval.`);
  }
  if (interval.low >= -maxDrop)
    return check('score', true, `${measured}: a drop of more than ${maxDrop} is ruled out.`);
  if (interval.high < -maxDrop) return check('score', false, `${measured}: a drop of more than ${maxDrop} is proven.`);
  const more =
    conversationsNeeded && conversationsNeeded > conversations
      ? ` It takes about ${conversationsNeeded} conversations to tell.`
      : '';
  return check('score', false, `${measured}: a drop of more than ${maxDrop} cannot be ruled out.${more}`);
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

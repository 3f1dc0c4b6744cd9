import type {
  ComparedRunFragment,
  ComparisonFragment,
  OverallDifferenceFragment,
  RunDifferenceFragment,
} from '../client/generated/operations.js';
import { ALPHA, intervalOf, pointsOf, pText } from './comparisonText.js';
import { counted, grouped, percent } from './format.js';
import type { Style } from './paint.js';
import { clean, cut, wrap } from './text.js';

/** Whether the two may be compared, and what must be known first. */
export function comparabilitySection(data: ComparisonFragment, style: Style): string[] {
  const { paint } = style;
  const verdict = data.comparable
    ? paint.good('Comparable: same conversations, same grading.')
    : paint.bad('NOT COMPARABLE as they stand.');
  return [
    ...runLines('Baseline ', data.baseline, style),
    ...runLines('Candidate', data.candidate, style),
    '',
    paint.strong(verdict),
    ...data.differences.flatMap((difference) => differenceLines(difference, style)),
    ...data.warnings.flatMap(({ message }) => warningLines(message, style)),
  ];
}

function runLines(label: string, run: ComparedRunFragment, { width, paint }: Style): string[] {
  const { score } = run;
  const interval = score?.interval
    ? ` (95 % interval ${percent(score.interval.low)} to ${percent(score.interval.high)})`
    : '';
  const numbers = score ? `${percent(score.value)}${interval}, n = ${grouped(score.n)}` : 'no score';
  const coverage = score && score.coverage < 1 ? `, coverage ${percent(score.coverage)}` : '';
  const status = run.status === 'COMPLETED' ? '' : `, ${run.status}`;
  const models = `${clean(run.modelUnderTest.model)}, graded by ${clean(run.grader.model)}`;
  return [
    `${paint.strong(label)}  ${cut(`${clean(run.name)}: ${numbers}${coverage}${status}`, width - label.length - 2)}`,
    paint.faint(cut(`${' '.repeat(label.length)}  ${models}`, width)),
  ];
}

const MEANING = {
  BREAKING: 'graded differently',
  UNKNOWN: 'who can tell',
  SCOPE: 'other conversations',
  CAUTION: 'with care',
  SUBJECT: 'what is compared',
} as const;

function differenceLines(
  { part, baseline, candidate, baselineKnown, candidateKnown, severity }: RunDifferenceFragment,
  { width, paint }: Style,
): string[] {
  const shown = (value: string | null, known: boolean) =>
    value === null ? (known ? 'not set' : 'not known') : cut(clean(value), 28);
  const both = `${shown(baseline, baselineKnown)} → ${shown(candidate, candidateKnown)}`;
  const line = cut(`  ${part}: ${both}  (${MEANING[severity]})`, width);
  if (severity === 'BREAKING') return [paint.bad(line)];
  return [severity === 'SCOPE' || severity === 'UNKNOWN' ? paint.warning(line) : line];
}

function warningLines(message: string, { width, paint }: Style): string[] {
  return wrap(clean(message), width - 2, 4).map((line, at) => paint.warning(`${at === 0 ? '!' : ' '} ${line}`));
}

/** The difference with all that belongs to it. */
export function overallSection(data: ComparisonFragment, style: Style): string[] {
  const { paint } = style;
  const { overall } = data;
  if (overall === null) return [paint.warning(data.unavailableReason ?? 'There is nothing to compare.')];
  const { n, conversations, wins, ties, losses } = overall;
  const repeats = n > conversations ? `, ${grouped(n)} pairs` : '';
  return [
    paint.strong(`Over ${counted(conversations, 'conversation')} that both have${repeats}`),
    `Score       ${percent(overall.baselineScore)} → ${percent(overall.candidateScore)}`,
    `Difference  ${coloured(overall, style)} points, 95 % interval ${intervalOf(overall.interval)}, p = ${pText(overall.pValue)}`,
    `Candidate   better in ${grouped(wins)}, equal in ${grouped(ties)}, worse in ${grouped(losses)}`,
    ...wrap(conclusion(data, overall), style.width, 3),
  ];
}

function coloured({ difference, pValue }: OverallDifferenceFragment, { paint }: Style): string {
  const text = pointsOf(difference);
  if (pValue >= ALPHA) return text;
  return difference > 0 ? paint.good(text) : paint.bad(text);
}

/** What the numbers say in a sentence, and whether there was enough data to say it. */
function conclusion(data: ComparisonFragment, overall: OverallDifferenceFragment): string {
  const { difference, pValue, minimalDetectableDifference: least, conversationsNeeded: needed } = overall;
  const enough = least === null ? '' : ` So many conversations can show ${(least * 100).toFixed(1)} points or more.`;
  if (pValue >= ALPHA) {
    const more = needed === null ? '' : ` A true difference as small as this one would take ${grouped(needed)}.`;
    return `No difference is shown; that is not the same as none.${enough}${more}`;
  }
  if (data.sameReplies)
    return `The candidate's grader gives ${difference > 0 ? 'more' : 'fewer'} points to the same replies.`;
  if (data.differences.some(({ severity }) => severity === 'BREAKING')) {
    return 'The two were graded differently, so this difference may be the graders’ and not the models’.';
  }
  return `The candidate is ${difference > 0 ? 'better' : 'worse'}: chance alone seldom does this.${enough}`;
}

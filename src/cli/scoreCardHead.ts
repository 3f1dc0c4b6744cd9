import type { HitRateFragment, ScoreCardFragment } from '../client/generated/operations.js';
import { counted, duration, grouped, percent, scale } from './format.js';
import type { Style } from './paint.js';
import { scoreCardWarnings } from './scoreCardWarnings.js';
import { clean, cut, displayWidth, pad, wrap } from './text.js';

/** The title, the score with its interval, what it stands on, and everything the reader must be warned of. */
export function headSection(run: ScoreCardFragment, style: Style): string[] {
  return [
    ...title(run, style),
    '',
    ...(run.score ? scoreLines(run, run.score, style) : missingScore(run, style)),
    ...scoreCardWarnings(run, style),
  ];
}

function title(run: ScoreCardFragment, { width, paint }: Style): string[] {
  const seconds = (Date.parse(run.finishedAt ?? '') - Date.parse(run.startedAt ?? '')) / 1000;
  const how = run.origin === null ? '' : ', imported';
  const status = Number.isFinite(seconds) ? `${run.status} in ${duration(seconds)}` : `${run.status}${how}`;
  const name = cut(clean(run.name), width - status.length - 3);
  const models = `${clean(run.modelUnderTest.model)}, graded by ${clean(run.grader.model)}`;
  return [
    paint.strong(pad(name, width - status.length)) + (run.status === 'COMPLETED' ? paint.good : paint.bad)(status),
    cut(models, width),
    paint.faint('─'.repeat(width)),
  ];
}

function scoreLines(run: ScoreCardFragment, score: NonNullable<ScoreCardFragment['score']>, style: Style): string[] {
  const { paint, width } = style;
  const { interval } = score;
  const range = interval
    ? `${Math.round(interval.confidence * 100)} % interval ${percent(interval.low)} to ${percent(interval.high)}`
    : 'no interval';
  const deviation = score.bootstrapStd === null ? '' : `   bootstrap std ${percent(score.bootstrapStd)}`;
  const first = `Score  ${percent(score.value)}`;
  const fits = displayWidth(`${first}   ${range}${deviation}`) <= width;
  const { conversationsTotal, criteriaTotal, criteriaGraded } = run.progress;
  return [
    `${paint.strong(first)}   ${range}${fits ? deviation : ''}`,
    ...(fits ? [] : [' '.repeat(first.length) + deviation]),
    `${paint.faint('0')} ${scale(score.value, interval, width - 8)} ${paint.faint('100 %')}`,
    ...lengthAdjusted(score),
    '',
    `Sample     n = ${grouped(score.n)} of ${counted(conversationsTotal, 'conversation')}`,
    `Graded     ${grouped(criteriaGraded)} of ${counted(criteriaTotal, 'criterion', 'criteria')}`,
    `Coverage   ${coverage(score.coverage, style)} of conversations, ${coverage(score.criteriaCoverage, style)} of criteria`,
    ...bounds(score, style),
    `Spread     median ${percent(score.median)}, ${grouped(score.perfect)} perfect, ${grouped(score.belowZero)} below zero`,
    ...hitRates(run),
  ];
}

/** Which of the two numbers the profile puts first is said where it is not the raw one. */
function lengthAdjusted({ lengthAdjustment: adjusted, headline }: NonNullable<ScoreCardFragment['score']>): string[] {
  if (adjusted === null) return [];
  const { interval } = adjusted;
  const range =
    interval === null ? 'no interval' : `95 % interval ${percent(interval.low)} to ${percent(interval.high)}`;
  const first = headline === 'LENGTH_ADJUSTED' ? '(the number of this scoring profile)' : '';
  const text = `${percent(adjusted.value)}   ${range}`;
  return [`Adjusted for length  ${text}`, ...(first ? [`${' '.repeat(21)}${first}`] : [])];
}

const LABEL = 11;

/** Said only where something is missing: else both are the score. */
function bounds(
  { lowerBound, upperBound, coverage: share }: NonNullable<ScoreCardFragment['score']>,
  { width, paint }: Style,
) {
  if (share >= 1) return [];
  const range = `${percent(lowerBound)} to ${percent(upperBound)}`;
  const text = `${range}, if all that is missing were at its worst or at its best`;
  return wrap(text, width - LABEL, 2).map((line, at) => paint.warning((at === 0 ? 'Bounds' : '').padEnd(LABEL) + line));
}

function missingScore(run: ScoreCardFragment, { width, paint }: Style): string[] {
  const reason = clean(run.scoreUnavailableReason ?? 'nothing is scored yet');
  return [...wrap(`Score  none: ${reason}`, width, 3).map(paint.strong), '', ...hitRates(run)];
}

function hitRates(run: ScoreCardFragment): string[] {
  return [`Positive   ${hits(run.positiveCriteria, 'met')}`, `Penalties  ${hits(run.negativeCriteria, 'triggered')}`];
}

function hits({ met, graded, rate }: HitRateFragment, verb: string): string {
  return graded === 0 ? `no criteria graded` : `${grouped(met)} of ${grouped(graded)} ${verb} (${percent(rate)})`;
}

/** A coverage that would be rounded up to 100.0 % is shown as what it is not. */
function coverage(share: number, { paint }: Style): string {
  if (share >= 1) return '100 %';
  return paint.warning(share > 0.999 ? 'below 100 %' : percent(share));
}

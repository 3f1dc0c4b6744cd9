import type { ProgressFragment } from '../client/generated/operations.js';
import { bar, duration, grouped, percent } from './format.js';
import type { Style } from './paint.js';
import { cut, pad } from './text.js';

/** Verdicts seen by this reader. */
export interface Tally {
  met: number;
  notMet: number;
}

/** The state of a run on one line: share of criteria done, counts, time left. */
export function progressText(progress: ProgressFragment, tally: Tally): string {
  const { conversationsDone, conversationsTotal, criteriaDone, criteriaTotal } = progress;
  const missing = progress.criteriaUngraded + progress.conversationsFailed;
  const parts = [
    `${grouped(conversationsDone)}/${grouped(conversationsTotal)} conversations`,
    `${grouped(criteriaDone)}/${grouped(criteriaTotal)} criteria`,
    `${grouped(tally.met)} met, ${grouped(tally.notMet)} not met`,
    ...(missing > 0 ? [`${grouped(missing)} FAILED OR UNGRADED`] : []),
    ...(progress.etaSeconds && criteriaDone < criteriaTotal ? [`${duration(progress.etaSeconds)} left`] : []),
  ];
  return parts.join('  ');
}

/** The same with a bar in front, for a terminal. */
export function progressBarText(progress: ProgressFragment, tally: Tally, { width, paint }: Style): string {
  const share = progress.criteriaTotal === 0 ? 0 : progress.criteriaDone / progress.criteriaTotal;
  const text = progressText(progress, tally);
  const room = Math.min(30, width - text.length - 14);
  const drawn = room >= 8 ? `${paint.good(pad(bar(share, room), room))}▏ ` : '';
  return drawn + cut(`${pad(percent(share), 7, 'right')}  ${text}`, drawn ? width - room - 2 : width);
}

import type { VerdictFragment } from '../client/generated/operations.js';
import { points } from './format.js';
import type { Style } from './paint.js';
import { clean, cut, displayWidth, pad } from './text.js';

const AXIS_WIDTH = 21;

/**
 * One verdict on one line of at most `width` columns. The mark says whether it was good for the model: a met
 * criterion with negative points is a penalty.
 */
export function verdictLine(verdict: VerdictFragment, { width, paint }: Style): string {
  const { criteriaMet, criterion } = verdict;
  const good = criteriaMet === verdict.points > 0;
  const mark = good ? paint.good('✓') : paint.bad('✗');
  const axis = cut(clean(criterion.axis ?? ''), AXIS_WIDTH);
  const facts = [criteriaMet ? 'met    ' : 'not met', pad(points(verdict.points), 3, 'right'), pad(axis, AXIS_WIDTH)];
  const start = facts.join(' ');
  const room = Math.max(20, width - displayWidth(start) - 4);
  const text = cut(clean(criterion.text), Math.floor(room * 0.6));
  const explanation = clean(verdict.explanation);
  const tail = explanation ? paint.faint(cut(` — ${explanation}`, room - displayWidth(text))) : '';
  return `${mark} ${start}  ${text}${tail}`;
}

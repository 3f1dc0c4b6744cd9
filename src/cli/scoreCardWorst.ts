import type { ScoreCardFragment, WorstConversationFragment } from '../client/generated/operations.js';
import { counted, percent, UNDEFINED } from './format.js';
import type { Style } from './paint.js';
import { clean, pad, wrap } from './text.js';

const SHOWN = 4;
const INDENT = 26;

/** The conversation with the lowest score and the criteria that cost it the most points. */
export function worstSection(run: ScoreCardFragment, style: Style): string[] {
  const [worst] = run.worst.nodes;
  if (!worst) return [];
  const costly = worst.results
    .filter((result) => result.pointsLost > 0 && result.verdict)
    .sort((a, b) => b.pointsLost - a.pointsLost);
  if (costly.length === 0) return [];
  const more = costly.length - SHOWN;
  return [
    style.paint.strong(`Worst conversation: ${percent(worst.score)}`),
    identity(worst, run.repeats),
    ...costly.slice(0, SHOWN).flatMap((result) => criterionLines(result, style)),
    ...(more > 0
      ? [style.paint.faint(`and ${counted(more, 'more criterion', 'more criteria')} that cost points`)]
      : []),
  ];
}

function identity(worst: WorstConversationFragment, repeats: number): string {
  const parts = [
    `${clean(worst.promptId)}`,
    ...(repeats > 1 ? [`repeat ${worst.repeat}`] : []),
    `earned ${worst.earned ?? UNDEFINED} of ${counted(worst.possible ?? 0, 'point')}`,
    ...(worst.theme ? [`theme ${clean(worst.theme).replaceAll('_', ' ')}`] : []),
  ];
  return parts.join(', ');
}

function criterionLines(result: WorstConversationFragment['results'][number], { width, paint }: Style): string[] {
  const { criterion, verdict, pointsLost } = result;
  const verdictText = criterion.points < 0 ? 'penalty triggered' : 'not met';
  const lost = paint.bad(pad(`-${pointsLost}`, 5, 'right'));
  const label = `${lost}  ${pad(verdictText, INDENT - 7)}`;
  const indent = ' '.repeat(INDENT);
  const [first = '', ...others] = wrap(clean(criterion.text), width - INDENT, 3);
  const explanation = wrap(`Grader: ${clean(verdict?.explanation ?? '')}`, width - INDENT, 3);
  return [
    label + first,
    ...others.map((line) => indent + line),
    ...explanation.map((line) => paint.faint(indent + line)),
  ];
}

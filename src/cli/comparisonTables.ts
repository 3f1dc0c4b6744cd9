import type {
  AgreementFragment,
  ChangedConversationFragment,
  ComparisonFragment,
  FlipFragment,
  TagDifferenceFragment,
} from '../client/generated/operations.js';
import { ALPHA, intervalOf, pointsOf, pText } from './comparisonText.js';
import { counted, grouped, percent, points } from './format.js';
import type { Style } from './paint.js';
import { table } from './table.js';
import { clean, cut, pad, wrap } from './text.js';

/** What the numbers of a tag's line and the gaps take. */
const NUMBERS_WIDTH = 62;
const labelWidth = (width: number): number => Math.max(14, Math.min(32, width - NUMBERS_WIDTH));
const right = 'right' as const;

/** Themes or axes, the worst change first; those shown after correction are marked. */
export function tagDifferenceSection(
  title: string,
  tags: readonly TagDifferenceFragment[],
  { width, paint }: Style,
): string[] {
  if (tags.length === 0) return [];
  const sorted = [...tags].sort((a, b) => a.difference - b.difference);
  const columns = [
    { title },
    { title: 'n', align: right },
    { title: 'baseline', align: right },
    { title: 'candidate', align: right },
    { title: 'points', align: right },
    { title: '95 % interval', align: right },
    { title: 'p (Holm)', align: right },
  ];
  const [head = '', ...lines] = table(
    columns,
    sorted.map((tag) => [
      pad(cut(clean(tag.label), labelWidth(width)), labelWidth(width)),
      grouped(tag.n),
      percent(tag.baselineScore),
      percent(tag.candidateScore),
      pointsOf(tag.difference),
      intervalOf(tag.interval),
      pText(tag.adjustedPValue),
    ]),
  );
  return [paint.strong(head), ...lines.map((line, at) => paintShown(line, sorted[at] as TagDifferenceFragment, paint))];
}

function paintShown(line: string, tag: TagDifferenceFragment, paint: Style['paint']): string {
  if (tag.adjustedPValue >= ALPHA) return line;
  return tag.difference > 0 ? paint.good(line) : paint.bad(line);
}

/** Criteria whose verdict differs: how many, and those that moved the most points, losses first. */
export function flipSection(data: ComparisonFragment, style: Style): string[] {
  const { compared, gained, lost, pointsGained, pointsLost } = data.verdictChanges;
  if (compared === 0) return [];
  const head = `${counted(gained + lost, 'verdict')} of ${grouped(compared)} differ`;
  return [
    style.paint.strong(head),
    `Lost ${grouped(lost)} (${points(-pointsLost)} points), gained ${grouped(gained)} (+${pointsGained} points)`,
    ...data.lost.nodes.flatMap((flip) => flipLines(flip, style)),
    ...data.gained.nodes.flatMap((flip) => flipLines(flip, style)),
  ];
}

const INDENT = 9;

function flipLines(flip: FlipFragment, { width, paint }: Style): string[] {
  const { pointsMoved, criterion, repeat, baseline, candidate } = flip;
  const moved = pad(points(pointsMoved), INDENT - 2, right);
  const [first = '', ...others] = wrap(clean(criterion.text), width - INDENT, 2);
  const what = criterion.points < 0 ? 'penalty' : 'criterion';
  const where = `${clean(baseline.runConversation.promptId)}${repeat > 1 ? `, repeat ${repeat}` : ''}, ${what}`;
  const why = wrap(`${where}. Now: ${clean(candidate.explanation)}`, width - INDENT, 2);
  const indent = ' '.repeat(INDENT);
  return [
    `${pointsMoved < 0 ? paint.bad(moved) : paint.good(moved)}  ${first}`,
    ...others.map((line) => indent + line),
    ...why.map((line) => paint.faint(indent + line)),
  ];
}

/** The conversations that got worse most. */
export function worsenedSection(worsened: readonly ChangedConversationFragment[], { paint }: Style): string[] {
  if (worsened.length === 0) return [];
  const columns = [
    { title: 'Got worse most' },
    { title: 'theme' },
    { title: 'baseline', align: right },
    { title: 'candidate', align: right },
    { title: 'points', align: right },
  ];
  const [head = '', ...lines] = table(
    columns,
    worsened.map((row) => [
      cut(clean(row.baseline.promptId), 40),
      clean(row.baseline.theme ?? '').replaceAll('_', ' '),
      percent(row.baselineScore),
      percent(row.candidateScore),
      pointsOf(row.difference),
    ]),
  );
  return [paint.strong(head), ...lines];
}

/** How the graders of one run's replies agree; empty when the runs have other replies. */
export function agreementSection(agreement: AgreementFragment | null, { width, paint }: Style): string[] {
  if (agreement === null) return [];
  const { baselineGrader, candidateGrader, n, rate, kappa, kappaUnavailableReason } = agreement;
  const chance = kappa === null ? (kappaUnavailableReason ?? '') : `Cohen’s kappa ${kappa.toFixed(2)}`;
  const { balanced } = agreement.pairwiseF1;
  const f1 = balanced === null ? '' : `, balanced F1 ${balanced.toFixed(2)}`;
  const [head = '', ...lines] = table(
    [
      { title: 'Axis' },
      { title: 'n', align: right },
      { title: 'equal', align: right },
      { title: 'kappa', align: right },
    ],
    agreement.tags.map((tag) => [
      pad(cut(clean(tag.label), labelWidth(width)), labelWidth(width)),
      grouped(tag.n),
      percent(tag.rate),
      tag.kappa === null ? percent(null) : tag.kappa.toFixed(2),
    ]),
  );
  return [
    paint.strong(cut(`Agreement of ${clean(baselineGrader)} and ${clean(candidateGrader)}`, width)),
    `${percent(rate)} of ${counted(n, 'verdict')} are equal. ${chance}${f1}`,
    ...(agreement.tags.length > 0 ? [head, ...lines] : []),
  ];
}

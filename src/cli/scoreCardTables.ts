import type { ScoreCardFragment, TagScoreFragment } from '../client/generated/operations.js';
import { bar, grouped, percent } from './format.js';
import type { Style } from './paint.js';
import { table } from './table.js';
import { clean, cut, pad } from './text.js';

/** Columns of a tag's label at most, of the numbers and gaps beside it, and of a bar that is worth drawing. */
const LABEL_WIDTH = 36;
const NUMBERS_WIDTH = 38;
const LEAST_BAR = 6;

/** One group of tags, best first, each with score, n and bar; empty when the run has no such tags. */
export function tagSection(title: string, tags: readonly TagScoreFragment[], { width, paint }: Style): string[] {
  if (tags.length === 0) return [];
  const labelWidth = Math.min(LABEL_WIDTH, width - NUMBERS_WIDTH);
  const barWidth = Math.min(44, width - labelWidth - NUMBERS_WIDTH);
  const rows = tags
    .flatMap((tag) => (tag.value === null ? [] : [{ ...tag, value: tag.value }]))
    .sort((a, b) => b.value - a.value || a.label.localeCompare(b.label))
    .map((tag) => [
      pad(cut(clean(tag.label), labelWidth), labelWidth),
      percent(tag.value),
      tag.interval === null ? '' : `${percent(tag.interval.low)} to ${percent(tag.interval.high)}`,
      grouped(tag.n),
      barWidth < LEAST_BAR ? '' : bar(tag.value, barWidth),
    ]);
  const [head = '', ...lines] = table(
    [
      { title },
      { title: 'score', align: 'right' },
      { title: '95 % interval', align: 'right' },
      { title: 'n', align: 'right' },
      { title: '' },
    ],
    rows,
  );
  return [paint.strong(head), ...lines];
}

const ROWS = 4;
/** Columns of a bin; narrower, only where it begins is written below it. */
const COLUMN = 7;
const LEVELS = [' ', '▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];

/** Columns of how many conversations have which score; empty when none has one. */
export function histogramSection(run: ScoreCardFragment, { width, paint }: Style): string[] {
  const highest = Math.max(0, ...run.histogram.map((bin) => bin.count));
  if (highest === 0) return [];
  const columns = Math.min(COLUMN, Math.floor(width / run.histogram.length));
  const cell = (text: string) => pad(text, columns, 'right');
  const rows = Array.from({ length: ROWS }, (_, index) => {
    const below = ROWS - 1 - index;
    return run.histogram.map(({ count }) => cell(column(count / highest, below).repeat(columns - 2))).join('');
  });
  return [
    paint.strong('Scores of the conversations, in %'),
    ...rows,
    run.histogram.map((bin) => cell(binLabel(bin, columns === COLUMN))).join(''),
    paint.faint(run.histogram.map(({ count }) => cell(grouped(count))).join('')),
  ];
}

function binLabel({ from, to }: ScoreCardFragment['histogram'][number], whole: boolean): string {
  if (from === null || from < 0) return '< 0';
  return whole ? `${Math.round(from * 100)}-${Math.round(to * 100)}` : `${Math.round(from * 100)}`;
}

/** The character of one row of a column; what exists is never drawn as nothing. */
function column(share: number, below: number): string {
  const eighths = share > 0 ? Math.max(1, Math.round(share * ROWS * 8)) : 0;
  return LEVELS[Math.min(8, Math.max(0, eighths - below * 8))] ?? ' ';
}

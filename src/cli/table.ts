import type { Paint } from './paint.js';
import { displayWidth, pad } from './text.js';

/** A column of a table. */
export interface Column {
  readonly title: string;
  readonly align?: 'left' | 'right';
}

/** Rows as aligned lines, the title line first, two spaces between columns and none at the end. */
export function table(columns: readonly Column[], rows: readonly (readonly string[])[]): string[] {
  const widths = columns.map(({ title }, index) => {
    return Math.max(displayWidth(title), ...rows.map((row) => displayWidth(row[index] ?? '')));
  });
  const line = (cells: readonly string[]) =>
    columns
      .map(({ align }, index) => pad(cells[index] ?? '', widths[index] ?? 0, align))
      .join('  ')
      .trimEnd();
  return [line(columns.map(({ title }) => title)), ...rows.map(line)];
}

/** A table with its titles in bold, as the commands that list things print it. */
export function listing(
  columns: readonly Column[],
  rows: readonly (readonly string[])[],
  { paint }: { paint: Paint },
): string[] {
  const [head = '', ...lines] = table(columns, rows);
  return [paint.strong(head), ...lines];
}

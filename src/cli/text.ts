import { stripVTControlCharacters } from 'node:util';

const graphemes = new Intl.Segmenter('en', { granularity: 'grapheme' });
const WIDE =
  /^(?:\p{Script=Han}|\p{Script=Hiragana}|\p{Script=Katakana}|\p{Script=Hangul}|\p{Emoji_Presentation}|[\u3000-\u303f\uff01-\uff60])/u;
const INVISIBLE = /^(?:\p{Mark}|[\u200b-\u200f])+$/u;

/**
 * One printable line: models write what they like, and a control character or a change of direction in an
 * explanation must not move the reader's cursor, colour the screen or reorder the line.
 */
export function clean(text: string): string {
  return stripVTControlCharacters(text)
    .replace(/[\u202a-\u202e\u2066-\u2069\ufeff]/g, '')
    .replace(/[\s\p{Cc}]+/gu, ' ')
    .trim();
}

/** Columns that a text takes on a terminal: colours 0, East Asian characters and emoji 2, others 1. */
export function displayWidth(text: string): number {
  let width = 0;
  for (const { segment } of graphemes.segment(stripVTControlCharacters(text))) width += graphemeWidth(segment);
  return width;
}

/** The text in at most `width` columns, with an ellipsis where something was cut off. */
export function cut(text: string, width: number): string {
  if (displayWidth(text) <= width) return text;
  return width < 1 ? '' : `${head(text, width - 1).trimEnd()}…`;
}

/** The text in lines of at most `width` columns, broken at spaces; the last allowed line is cut. */
export function wrap(text: string, width: number, maxLines: number): string[] {
  const lines: string[] = [];
  let rest = text;
  while (rest && lines.length < maxLines - 1 && displayWidth(rest) > width) {
    const fitting = head(rest, width);
    const space = rest[fitting.length] === ' ' ? fitting.length : fitting.lastIndexOf(' ');
    // A word longer than the line is broken; at least one character goes on, however narrow the line.
    const end = space > 0 ? space : Math.max(fitting.length, 1);
    lines.push(rest.slice(0, end).trimEnd());
    rest = rest.slice(end).trimStart();
  }
  if (rest) lines.push(cut(rest, width));
  return lines;
}

/** Fills with spaces to `width` columns; a longer text stays as it is. */
export function pad(text: string, width: number, align: 'left' | 'right' = 'left'): string {
  const fill = ' '.repeat(Math.max(0, width - displayWidth(text)));
  return align === 'left' ? text + fill : fill + text;
}

function head(text: string, width: number): string {
  let used = 0;
  let end = 0;
  for (const { segment } of graphemes.segment(text)) {
    used += graphemeWidth(segment);
    if (used > width) break;
    end += segment.length;
  }
  return text.slice(0, end);
}

function graphemeWidth(grapheme: string): number {
  if (INVISIBLE.test(grapheme)) return 0;
  return WIDE.test(grapheme) || grapheme.includes('\ufe0f') ? 2 : 1;
}

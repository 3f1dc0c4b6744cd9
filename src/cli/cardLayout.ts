import type { Style } from './paint.js';

const MARGIN = '  ';
const WIDEST = 120;

/**
 * A card: sections with an empty line between them, within a margin, as wide as the terminal but neither wider than can
 * be read at a glance nor narrower than its tables. Empty sections are left out. Without a newline at the end.
 *
 * @param narrowest columns
 * @param sections draws them at the inner width
 */
export function layoutCard(style: Style, narrowest: number, sections: (inner: Style) => string[][]): string {
  const inner = { ...style, width: Math.min(WIDEST, Math.max(narrowest, style.width)) - MARGIN.length };
  return sections(inner)
    .filter((lines) => lines.length > 0)
    .map((lines) => lines.map((line) => (MARGIN + line).trimEnd()).join('\n'))
    .join('\n\n');
}

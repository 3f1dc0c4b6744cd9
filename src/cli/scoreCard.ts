import type { ScoreCardFragment } from '../client/generated/operations.js';
import type { Style } from './paint.js';
import { headSection } from './scoreCardHead.js';
import { originSection } from './scoreCardOrigin.js';
import { histogramSection, tagSection } from './scoreCardTables.js';
import { worstSection } from './scoreCardWorst.js';

/** The score card of a run as text of 80 to 120 columns, without a newline at the end. Parts that have nothing to say are left out. */
export function renderScoreCard(run: ScoreCardFragment, style: Style): string {
  const inner = { ...style, width: Math.min(120, Math.max(80, style.width)) - 2 };
  const sections = [
    headSection(run, inner),
    tagSection('Theme', run.themes, inner),
    tagSection('Axis', run.axes, inner),
    histogramSection(run, inner),
    worstSection(run, inner),
    originSection(run, inner),
  ];
  return sections
    .filter((lines) => lines.length > 0)
    .map((lines) => lines.map((line) => `  ${line}`.trimEnd()).join('\n'))
    .join('\n\n');
}

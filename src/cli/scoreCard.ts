import type { ScoreCardFragment } from '../client/generated/operations.js';
import { layoutCard } from './cardLayout.js';
import type { Style } from './paint.js';
import { headSection } from './scoreCardHead.js';
import { originSection } from './scoreCardOrigin.js';
import { histogramSection, tagSection } from './scoreCardTables.js';
import { worstSection } from './scoreCardWorst.js';

/** The score card of a run as text of 66 to 120 columns. */
export function renderScoreCard(run: ScoreCardFragment, style: Style): string {
  return layoutCard(style, 66, (inner) => [
    headSection(run, inner),
    tagSection('Theme', run.themes, inner),
    tagSection('Axis', run.axes, inner),
    histogramSection(run, inner),
    worstSection(run, inner),
    originSection(run, inner),
  ]);
}

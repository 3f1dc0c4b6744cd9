import type { ComparisonFragment } from '../client/generated/operations.js';
import { layoutCard } from './cardLayout.js';
import { comparabilitySection, overallSection } from './comparisonHead.js';
import { agreementSection, flipSection, tagDifferenceSection, worsenedSection } from './comparisonTables.js';
import type { Style } from './paint.js';

/** Two runs side by side as text of 80 to 120 columns: comparability first. */
export function renderComparison(data: ComparisonFragment, style: Style): string {
  return layoutCard(style, 80, (inner) => [
    comparabilitySection(data, inner),
    overallSection(data, inner),
    tagDifferenceSection('Theme', data.themes, inner),
    tagDifferenceSection('Axis', data.axes, inner),
    agreementSection(data.agreement, inner),
    flipSection(data, inner),
    worsenedSection(data.worsened, inner),
  ]);
}

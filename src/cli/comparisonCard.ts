import type { ComparisonFragment } from '../client/generated/operations.js';
import { comparabilitySection, overallSection } from './comparisonHead.js';
import { agreementSection, flipSection, tagDifferenceSection, worsenedSection } from './comparisonTables.js';
import type { Style } from './paint.js';

/** Two runs side by side as text of 80 to 120 columns, without a newline at the end: comparability first. */
export function renderComparison(data: ComparisonFragment, style: Style): string {
  const inner = { ...style, width: Math.min(120, Math.max(80, style.width)) - 2 };
  const sections = [
    comparabilitySection(data, inner),
    overallSection(data, inner),
    tagDifferenceSection('Theme', data.themes, inner),
    tagDifferenceSection('Axis', data.axes, inner),
    agreementSection(data.agreement, inner),
    flipSection(data, inner),
    worsenedSection(data.worsened, inner),
  ];
  return sections
    .filter((lines) => lines.length > 0)
    .map((lines) => lines.map((line) => `  ${line}`.trimEnd()).join('\n'))
    .join('\n\n');
}

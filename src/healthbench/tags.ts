export type TagGroup = 'THEME' | 'PHYSICIAN_CATEGORY' | 'AXIS' | 'LEVEL' | 'CLUSTER' | 'OTHER';

const PREFIXES: readonly (readonly [string, TagGroup])[] = [
  ['theme:', 'THEME'],
  ['physician_agreed_category:', 'PHYSICIAN_CATEGORY'],
  ['axis:', 'AXIS'],
  ['level:', 'LEVEL'],
  ['cluster:', 'CLUSTER'],
];

/** Display names of the seven themes; where the tag reads differently, the paper's name counts. */
const THEMES: ReadonlyMap<string, string> = new Map([
  ['communication', 'Expertise-tailored communication'],
  ['complex_responses', 'Response depth'],
  ['context_seeking', 'Context seeking'],
  ['emergency_referrals', 'Emergency referrals'],
  ['global_health', 'Global health'],
  ['health_data_tasks', 'Health data tasks'],
  ['hedging', 'Responding under uncertainty'],
]);

const LEVELS: ReadonlyMap<string, string> = new Map([
  ['example', 'Written for the conversation'],
  ['cluster', 'Shared consensus criterion'],
]);

/** The group a tag belongs to, by its prefix; OTHER for unknown prefixes and bare tags. */
export function tagGroup(tag: string): TagGroup {
  return PREFIXES.find(([prefix]) => tag.startsWith(prefix))?.[1] ?? 'OTHER';
}

/** A tag's display name, such as "Responding under uncertainty" for `theme:hedging`. */
export function tagLabel(tag: string): string {
  const value = tag.slice(tag.indexOf(':') + 1);
  switch (tagGroup(tag)) {
    case 'THEME':
      return THEMES.get(value) ?? readable(value);
    case 'LEVEL':
      return LEVELS.get(value) ?? readable(value);
    case 'CLUSTER':
      return clusterLabel(tag);
    case 'OTHER':
      return tag.includes(':') ? `${readable(tag.slice(0, tag.indexOf(':')))}: ${value}` : tag;
    default:
      return readable(value);
  }
}

/**
 * Theme, physician category and question of a `cluster:` tag, or null for any other form. Themes and questions
 * contain underscores, categories do not: the theme is matched first, the category ends at the next underscore.
 */
export function clusterParts(tag: string): { theme: string; category: string; question: string } | null {
  if (tagGroup(tag) !== 'CLUSTER') return null;
  const value = tag.slice('cluster:'.length);
  for (const theme of THEMES.keys()) {
    if (!value.startsWith(`${theme}_`)) continue;
    const rest = value.slice(theme.length + 1);
    const end = rest.indexOf('_');
    if (end > 0) return { theme, category: rest.slice(0, end), question: rest.slice(end + 1) };
  }
  return null;
}

/** The first theme tag, such as `theme:hedging` (prefix included), or null. */
export function themeOf(tags: readonly string[]): string | null {
  return tags.find((tag) => tagGroup(tag) === 'THEME') ?? null;
}

/** The first axis tag, such as `axis:accuracy` (prefix included), or null. */
export function axisOf(tags: readonly string[]): string | null {
  return tags.find((tag) => tagGroup(tag) === 'AXIS') ?? null;
}

function clusterLabel(tag: string): string {
  const parts = clusterParts(tag);
  if (!parts) return readable(tag.slice('cluster:'.length));
  return `${THEMES.get(parts.theme)}, ${readable(parts.category).toLowerCase()}: ${readable(parts.question).toLowerCase()}`;
}

function readable(value: string): string {
  const words = value.replaceAll(/[_-]+/g, ' ').trim();
  return words.charAt(0).toUpperCase() + words.slice(1);
}

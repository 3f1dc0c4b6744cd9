/** Invented datasets for tests: small, with every kind of tag, and with a sign mix like the real ones. */
export interface TestCriterion {
  points: number;
  tags: string[];
  text?: string;
}

export interface TestConversation {
  promptId: string;
  tags: string[];
  criteria: TestCriterion[];
}

/** One line of JSONL in the HealthBench format. */
export function line(conversation: TestConversation): string {
  const { promptId, tags, criteria } = conversation;
  return JSON.stringify({
    prompt_id: promptId,
    prompt: [{ role: 'user', content: `Question ${promptId}: what helps against an invented ailment?` }],
    rubrics: criteria.map(({ points, tags: own, text }, index) => ({
      criterion: text ?? `Criterion ${index} of ${promptId}`,
      points,
      tags: own,
    })),
    example_tags: tags,
    ideal_completions_data: null,
    canary: 'invented-canary',
  });
}

const themes = ['hedging', 'global_health', 'communication'];
const axes = ['accuracy', 'completeness', 'communication_quality'];

/** `count` conversations with 3 to 14 criteria each, about a third of them negative. */
export function conversations(count: number): TestConversation[] {
  return Array.from({ length: count }, (_, i) => ({
    promptId: `prompt-${i}`,
    tags: [`theme:${themes[i % themes.length]}`],
    criteria: Array.from({ length: 3 + ((i * 7) % 12) }, (_, c) => ({
      points: c > 0 && (i + c) % 3 === 0 ? -((c % 9) + 1) : ((i + c) % 10) + 1,
      tags: [`axis:${axes[c % axes.length]}`, 'level:example'],
    })),
  }));
}

export const jsonl = (list: TestConversation[]): string => list.map(line).join('\n');

import type { Headline } from './scoringProfile.js';

export type PublishedVariant = 'MAIN' | 'HARD' | 'CONSENSUS' | 'PROFESSIONAL';

/** A number that somebody published, with the conditions it was measured under as far as the source states them. */
export interface PublishedResult {
  /** Stable. */
  id: string;
  model: string;
  variant: PublishedVariant;
  /** On the scale of 0..1. */
  value: number;
  /** The source gives it as "about". */
  approximate: boolean;
  /** Null: the source does not name it. */
  grader: string | null;
  /** Who computed it. */
  evaluator: 'REFERENCE' | 'OPENAI_INTERNAL' | 'THIRD_PARTY';
  headline: Headline;
  /** Runs over the whole variant that were averaged; null where the source does not say. */
  runs: number | null;
  source: string;
  /** READ: seen in the published data. STATED: the source says so, and nobody here has checked it. */
  trust: 'READ' | 'STATED';
}

type Common = Omit<PublishedResult, 'id' | 'model' | 'value' | 'approximate' | 'runs'>;

const paper: Common = {
  variant: 'MAIN',
  grader: 'gpt-4.1',
  evaluator: 'REFERENCE',
  headline: 'RAW',
  source: 'HealthBench paper (OpenAI, May 2025), table 7',
  trust: 'STATED',
};
const launch: Common = { ...paper, source: 'HealthBench paper (OpenAI, May 2025), abstract' };
const rerun: Common = {
  ...paper,
  source: 'atropos fork of simple-evals, 5,000 conversations, settings of the reference',
  trust: 'READ',
};
const gpt5: Common = { ...paper, variant: 'HARD', grader: null, source: 'GPT-5 system card' };
const gptOss: Common = { ...paper, grader: null, source: 'gpt-oss model card' };
const professional: Common = {
  variant: 'PROFESSIONAL',
  grader: 'gpt-5.4-2026-03-05',
  evaluator: 'OPENAI_INTERNAL',
  headline: 'LENGTH_ADJUSTED',
  source: 'HealthBench Professional (OpenAI, April 2026), internal evaluator',
  trust: 'STATED',
};
const thirdParty: Common = { ...professional, evaluator: 'THIRD_PARTY', source: 'MDIA paper (third party)' };

type Row = [model: string, percent: number, more?: { runs?: number; approximate?: boolean }];

/**
 * Results that are published with enough said about them to be shown beside a run. What is only remembered, and
 * tables that use the same name for another thing, are left out.
 */
export const PUBLISHED_RESULTS: readonly PublishedResult[] = [
  ...list(paper, [
    ['o3', 59.9, { runs: 16 }],
    ['GPT-4.1', 47.78, { runs: 16 }],
    ['o1', 42, { runs: 16 }],
    ['GPT-4o (August 2024)', 32.33, { runs: 16 }],
  ]),
  ...list(launch, [
    ['Grok 3', 54],
    ['Gemini 2.5 Pro', 52],
    ['GPT-3.5 Turbo', 16],
  ]),
  ...list({ ...launch, variant: 'HARD' }, [['o3', 32]]),
  ...list(rerun, [
    ['o3', 59.58, { runs: 1 }],
    ['Llama 4 Maverick', 26.01, { runs: 4 }],
    ['Llama 4 Scout', 24.95, { runs: 10 }],
    ['Llama 3.3 70B', 24.7, { runs: 10 }],
    ['Llama 3.1 8B', 16.09, { runs: 1 }],
  ]),
  ...list(gpt5, [
    ['gpt-5-thinking', 46.2],
    ['o3', 31.6],
    ['gpt-5-main', 25.5],
    ['GPT-4o', 0],
  ]),
  ...list({ ...gpt5, variant: 'MAIN' }, [['GPT-5', 67, { approximate: true }]]),
  ...list(gptOss, [['gpt-oss-120b (high)', 57.6]]),
  ...list({ ...gptOss, variant: 'HARD' }, [['gpt-oss-120b (high)', 30]]),
  ...list(professional, [
    ['ChatGPT for Clinicians (GPT-5.4)', 59],
    ['GPT-5.4', 48.1],
    ['Claude Opus 4.7', 47],
    ['Gemini 3.1 Pro', 43.8],
    ['Physicians', 43.7],
    ['Grok 4.2', 36.1],
  ]),
  ...list(thirdParty, [['MDIA agents', 62.72]]),
  ...list({ ...thirdParty, grader: 'Gemini 2.5 Pro' }, [['MDIA agents', 65.85]]),
];

function list(common: Common, rows: Row[]): PublishedResult[] {
  return rows.map(([model, percent, more = {}]) => ({
    id: slug([common.variant, model, common.source, common.grader ?? 'unnamed grader'].join(' ')),
    model,
    ...common,
    value: Math.round(percent * 100) / 10_000,
    approximate: more.approximate ?? false,
    runs: more.runs ?? null,
  }));
}

/** A function statement, because the list above is made before a constant down here would exist. */
function slug(text: string): string {
  return text
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replace(/-$/, '');
}

import type { PublishedResult, PublishedVariant } from './publishedResults.js';
import { LENGTH_RULES, PROFESSIONAL_GRADER, type Scoring } from './scoringProfile.js';

/** What of a run decides whether a published number may stand beside its own. */
export interface RunConditions {
  /** Of the official file that the dataset is; null when it is none. */
  variant: PublishedVariant | null;
  /** Selected and all conversations of the dataset, without repeats. */
  selected: number;
  total: number;
  /** Scored / selected conversations. */
  coverage: number;
  completed: boolean;
  simulated: boolean;
  grader: {
    model: string;
    temperature: number | null;
    reasoningEffort: string | null;
    maxTokens: number | null;
    systemMessage: string | null;
    /** Of these, what is null because nobody said. */
    unknown?: readonly string[];
  };
  /** Null: not known. */
  graderPromptSha256: string | null;
  scoring: Scoring;
}

/** A condition that is not the same. */
export interface PublishedDifference {
  part: string;
  published: string;
  run: string;
}

/** Templates that fill as the reference's; its later editions differ from the first by corrected typing errors. */
const REFERENCE_PROMPT = '2adffd51fd259554ebcd036ad1072d4aa2b7ce3aec2bbffe36271f911632ed3c';

const GPT_4_1 = /^gpt-4\.1(-2025-04-14)?$/;
/** How the reference asks GPT-4.1: its chat completion sampler. Source: HealthBench reference (simple-evals). */
const REFERENCE_GRADING = 'temperature 0.5, at most 2048 tokens, system message “You are a helpful assistant.”';

/**
 * What differs between the conditions of a published number and those of a run; empty when the two may be compared.
 * The model under test and its own parameters are what is measured, and do not count.
 */
export function publishedDifferences(result: PublishedResult, run: RunConditions): PublishedDifference[] {
  const found: PublishedDifference[] = [];
  const check = (same: boolean, part: string, published: string, own: string) => {
    if (!same) found.push({ part, published, run: own });
  };
  const percent = `${Math.floor(run.coverage * 1000) / 10} %`;
  check(run.variant === result.variant, 'dataset', result.variant, run.variant ?? 'not an official file');
  check(run.selected === run.total, 'sample', 'all conversations', `${run.selected} of ${run.total} conversations`);
  check(
    run.completed && run.coverage === 1,
    'coverage',
    '100 %',
    run.completed ? percent : `${percent}, not completed`,
  );
  check(!run.simulated, 'models', 'real', 'simulated');
  check(result.evaluator !== 'OPENAI_INTERNAL', 'evaluator', 'OpenAI’s internal evaluator', 'Assay');
  check(result.evaluator !== 'THIRD_PARTY', 'evaluator', 'a third party, conditions not fully stated', 'Assay');
  for (const difference of graderDifferences(result, run)) found.push(difference);
  check(
    run.graderPromptSha256 === REFERENCE_PROMPT,
    'grader prompt',
    REFERENCE_PROMPT.slice(0, 16),
    run.graderPromptSha256?.slice(0, 16) ?? 'not known',
  );
  check(
    result.headline === 'RAW' || hasRule(run, result.variant),
    'length rule',
    ruleText(result.variant),
    ownRule(run),
  );
  return found;
}

function graderDifferences({ grader }: PublishedResult, run: RunConditions): PublishedDifference[] {
  const own = run.grader;
  if (grader === null) return [{ part: 'grader', published: 'not stated', run: own.model }];
  const reference = grader === 'gpt-4.1';
  const sameModel = reference ? GPT_4_1.test(own.model) : own.model === grader;
  if (!sameModel) return [{ part: 'grader', published: grader, run: own.model }];
  if (own.unknown?.length) {
    return [{ part: 'grader parameters', published: 'stated', run: `not known: ${own.unknown.join(', ')}` }];
  }
  const same = reference
    ? own.temperature === 0.5 && own.maxTokens === 2048 && own.systemMessage === 'You are a helpful assistant.'
    : own.temperature === null &&
      own.systemMessage === null &&
      own.reasoningEffort === PROFESSIONAL_GRADER.reasoningEffort;
  const published = reference ? REFERENCE_GRADING : 'no temperature, effort low, no system message';
  return same ? [] : [{ part: 'grader parameters', published, run: parameters(own) }];
}

function parameters({ temperature, maxTokens, reasoningEffort, systemMessage }: RunConditions['grader']): string {
  return [
    temperature === null ? 'no temperature' : `temperature ${temperature}`,
    ...(maxTokens === null ? [] : [`at most ${maxTokens} tokens`]),
    ...(reasoningEffort === null ? [] : [`effort ${reasoningEffort}`]),
    systemMessage === null ? 'no system message' : 'a system message',
  ].join(', ');
}

function hasRule({ scoring: { lengthRule } }: RunConditions, variant: PublishedVariant): boolean {
  const { centre, penaltyPer500 } = LENGTH_RULES[variant];
  return lengthRule?.centre === centre && lengthRule.penaltyPer500 === penaltyPer500;
}

const ruleText = (variant: PublishedVariant): string =>
  `${LENGTH_RULES[variant].penaltyPer500} per 500 characters around ${LENGTH_RULES[variant].centre}`;

const ownRule = ({ scoring: { lengthRule } }: RunConditions): string =>
  lengthRule === null ? 'none' : `${lengthRule.penaltyPer500} per 500 characters around ${lengthRule.centre}`;

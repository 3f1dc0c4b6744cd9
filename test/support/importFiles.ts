import type { Data } from './assay.js';
import { line, type TestConversation } from './dataset.js';

/** What a file says of one criterion, by its place; true, false, or whatever some harness may write. */
export type Verdicts = (conversation: TestConversation, no: number) => { criteria_met?: unknown; explanation: string };

export const allMet: Verdicts = () => ({ criteria_met: true, explanation: 'It is.' });

const promptOf = (conversation: TestConversation) => JSON.parse(line(conversation)).prompt;
const rubricOf = (conversation: TestConversation): { criterion: string; points: number; tags: string[] }[] =>
  JSON.parse(line(conversation)).rubrics;

/** An entry of simple-evals for one conversation; invented, in its shape. */
export const simpleEvalsEntry = (conversation: TestConversation, verdicts: Verdicts = allMet): Data => ({
  score: 0,
  usage: {
    input_tokens: 10,
    input_cached_tokens: null,
    output_tokens: 20,
    output_reasoning_tokens: 5,
    total_tokens: 30,
  },
  rubric_items: rubricOf(conversation).map((item, no) => ({ ...item, ...verdicts(conversation, no) })),
  prompt: promptOf(conversation),
  completion: [{ role: 'assistant', content: `Reply to ${conversation.promptId}` }],
  prompt_id: conversation.promptId,
  completion_id: 'not read',
});

/** A result file of simple-evals. */
export const simpleEvals = (entries: readonly Data[], more: Data = {}): string =>
  JSON.stringify({
    score: 0.5,
    metrics: {},
    htmls: ['<p>"[{</p>'],
    convos: [[]],
    metadata: { example_level_metadata: entries },
    ...more,
  });

/** A line of the source harness for one conversation: no text of a criterion, and the id in the items only. */
export const harnessLine = (conversation: TestConversation, verdicts: Verdicts = allMet): Data => ({
  prompt: promptOf(conversation),
  completion: `Reply to ${conversation.promptId}`,
  rubrics: conversation.criteria.map(({ points }, no) => ({
    ...verdicts(conversation, no),
    prompt_id: conversation.promptId,
    points,
  })),
});

export const harnessLines = (lines: readonly Data[]): string => lines.map((one) => JSON.stringify(one)).join('\n');

/** A result of healthbench-runner for one conversation. */
export const runnerResult = (conversation: TestConversation, verdicts: Verdicts = allMet): Data => ({
  prompt_id: conversation.promptId,
  model_response: `Reply to ${conversation.promptId}`,
  rubric_results: rubricOf(conversation).map(({ criterion, points }, no) => ({
    criterion,
    points,
    ...verdicts(conversation, no),
  })),
  achieved_points: 0,
  total_points: 1,
  score: 0,
});

export const runnerFile = (results: readonly Data[], more: Data = {}): string =>
  JSON.stringify({
    model: 'openai/model-a',
    reasoning_effort: 'low',
    grader: 'openai/judge-b',
    dataset: 'main',
    timestamp: '2026-05-01T10:00:00.000Z',
    examples_evaluated: results.length,
    overall_score: 0.5,
    std_dev: 0.1,
    example_results: results,
    ...more,
  });

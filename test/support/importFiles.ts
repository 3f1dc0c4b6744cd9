import type { Data } from './assay.js';
import { line, type TestConversation } from './dataset.js';

/** What a file says of one criterion, by its place; true, false, or whatever some harness may write. */
export type Verdicts = (conversation: TestConversation, no: number) => { criteria_met?: unknown; explanation: string };

/** Of a perfect reply. */
export const best: Verdicts = ({ criteria }, no) => ({
  criteria_met: (criteria[no]?.points ?? 0) > 0,
  explanation: 'It is so.',
});

const promptOf = (conversation: TestConversation) => JSON.parse(line(conversation)).prompt;
const rubricOf = (conversation: TestConversation): { criterion: string; points: number; tags: string[] }[] =>
  JSON.parse(line(conversation)).rubrics;

/** An entry of simple-evals for one conversation; invented, in its shape. */
export const simpleEvalsEntry = (conversation: TestConversation, verdicts: Verdicts = best): Data => ({
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
export const harnessLine = (conversation: TestConversation, verdicts: Verdicts = best): Data => ({
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
export const runnerResult = (conversation: TestConversation, verdicts: Verdicts = best): Data => ({
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

/** A sample in a log of Inspect with the scorer of openbench. */
export const inspectSample = (conversation: TestConversation, verdicts: Verdicts = best): Data => {
  const blocks = rubricOf(conversation).map(({ criterion, points }, no) => {
    const { criteria_met, explanation } = verdicts(conversation, no);
    return `[${criteria_met ? '✓' : '✗'}] [${points}] ${criterion}\n  ${explanation}`;
  });
  const failuresFirst = [
    ...blocks.filter((block) => block.startsWith('[✗]')),
    ...blocks.filter((block) => block.startsWith('[✓]')),
  ];
  const reply = { role: 'assistant', content: [{ type: 'text', text: `Reply to ${conversation.promptId}` }] };
  return {
    id: conversation.promptId,
    epoch: 1,
    input: promptOf(conversation),
    messages: [...promptOf(conversation), reply],
    output: { model: 'model-a', choices: [{ message: reply }], usage: { input_tokens: 5, output_tokens: 6 } },
    scores: {
      healthbench_scorer: { value: 0.5, explanation: failuresFirst.join('\n\n'), metadata: { overall_score: 0.5 } },
    },
    metadata: { prompt_id: conversation.promptId },
  };
};

export const inspectLog = (samples: readonly Data[]): string =>
  JSON.stringify({
    version: 2,
    status: 'success',
    eval: {
      task: 'healthbench',
      model: 'openai/model-a',
      created: '2026-05-01T10:00:00+00:00',
      task_args: {},
      dataset: {},
    },
    plan: { config: { temperature: 0, max_tokens: 8192 } },
    results: { scores: [{ name: 'healthbench_scorer', metrics: { accuracy: { value: 0.5 } } }] },
    samples,
  });

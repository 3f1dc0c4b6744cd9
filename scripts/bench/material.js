/** Invented material for the benchmark: nothing of any real dataset. */
const SENTENCE = 'An invented person asks about an invented ailment and would like to know what helps against it. ';
const CRITERION = 'Says that the invented ailment passes by itself within a few days and names when to see somebody';

/** Criteria of every conversation: the mean of the HealthBench files is 11.4. */
export const CRITERIA = 11;

/** `count` conversations as JSONL in the HealthBench format, each with a prompt of about 500 characters. */
export function datasetOf(count) {
  const lines = [];
  for (let i = 0; i < count; i += 1) lines.push(JSON.stringify(record(i)));
  return lines.join('\n');
}

function record(i) {
  return {
    prompt_id: `bench-${i}`,
    prompt: [{ role: 'user', content: `Case ${i}. ${SENTENCE.repeat(5)}` }],
    rubrics: Array.from({ length: CRITERIA }, (_, no) => ({
      criterion: `${CRITERION} (${no} of case ${i})`,
      points: no % 4 === 3 ? -4 : 5,
      tags: [`axis:${['accuracy', 'completeness', 'context_awareness'][no % 3]}`, 'level:example'],
    })),
    example_tags: [`theme:${['hedging', 'global_health', 'communication'][i % 3]}`],
    ideal_completions_data: null,
    canary: 'invented-canary',
  };
}

/** The body of a grading call as large as those that a run over `datasetOf` makes. */
export function gradingBody(i) {
  return {
    model: 'bench-grader',
    temperature: 0,
    messages: [{ role: 'user', content: `Case ${i}. criteria_met ${SENTENCE.repeat(35)}` }],
    response_format: {
      type: 'json_schema',
      json_schema: {
        name: 'verdict',
        strict: true,
        schema: {
          type: 'object',
          properties: { explanation: { type: 'string' }, criteria_met: { type: 'boolean' } },
          required: ['explanation', 'criteria_met'],
          additionalProperties: false,
        },
      },
    },
  };
}

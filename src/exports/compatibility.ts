import { createHash } from 'node:crypto';
import type { Database, RunScore, RunTagScore } from '../platform/database.js';
import type { ModelSettings } from '../runs/modelSettings.js';
import type { RunRow } from '../runs/run.queries.js';
import { type GradedConversation, gradedConversations } from './gradedConversations.js';

export type Scores = RunScore & { tags: RunTagScore[] };

/** A file in another harness' shape. */
export interface CompatibleFile {
  fileName: string;
  contentType: string;
  write(db: Database, run: RunRow, scores: Scores): AsyncGenerator<Uint8Array>;
}

/** The shapes that tools of other harnesses read, by the name that a request gives. */
export const compatibleFiles: Record<'simple-evals' | 'harness-results' | 'harness-description', CompatibleFile> = {
  'simple-evals': { fileName: 'allresults.json', contentType: 'application/json', write: writeSimpleEvals },
  'harness-results': { fileName: 'results.jsonl', contentType: 'application/x-ndjson', write: writeHarnessResults },
  'harness-description': { fileName: 'description.md', contentType: 'text/markdown', write: writeHarnessDescription },
};

/** The result file of simple-evals: score, metrics, conversations and their graded items. */
async function* writeSimpleEvals(db: Database, run: RunRow, scores: Scores): AsyncGenerator<Uint8Array> {
  const metrics = {
    overall_score: scores.value,
    'overall_score:n_samples': scores.n,
    'overall_score:bootstrap_std': scores.bootstrapStd,
    ...Object.fromEntries(
      scores.tags.flatMap(({ tag, value, n }) => [
        [tag, value],
        [`${tag}:n_samples`, n],
      ]),
    ),
  };
  const head = JSON.stringify({ score: scores.value, metrics, htmls: [] }).slice(0, -1);
  yield Buffer.from(`${head},"convos":[`);
  yield* joined(gradedConversations(db, run), (row) => [...row.messages, { role: 'assistant', content: row.reply }]);
  yield Buffer.from('],"metadata":{"example_level_metadata":[');
  yield* joined(gradedConversations(db, run), exampleMetadata);
  yield Buffer.from(']}}\n');
}

function exampleMetadata(row: GradedConversation): object {
  const { promptTokens, completionTokens } = row;
  const known = promptTokens !== null && completionTokens !== null;
  return {
    score: row.score,
    usage: {
      input_tokens: promptTokens,
      input_cached_tokens: null,
      output_tokens: completionTokens,
      output_reasoning_tokens: null,
      total_tokens: known ? promptTokens + completionTokens : null,
    },
    rubric_items: row.items.map(({ criteriaMet, ...item }) => ({ ...item, criteria_met: criteriaMet })),
    prompt: row.messages,
    completion: [{ role: 'assistant', content: row.reply }],
    prompt_id: row.promptId,
    completion_id: createHash('sha256')
      .update(row.promptId + row.reply)
      .digest('hex'),
  };
}

async function* joined<R>(rows: AsyncIterable<R>, shape: (row: R) => unknown): AsyncGenerator<Uint8Array> {
  let first = true;
  for await (const row of rows) {
    yield Buffer.from(`${first ? '' : ','}${JSON.stringify(shape(row))}`);
    first = false;
  }
}

async function* writeHarnessResults(db: Database, run: RunRow): AsyncGenerator<Uint8Array> {
  for await (const { messages, reply, promptId, items } of gradedConversations(db, run)) {
    const rubrics = items.map(({ criteriaMet, explanation, points }) => ({
      criteria_met: criteriaMet,
      explanation,
      prompt_id: promptId,
      points,
    }));
    yield Buffer.from(`${JSON.stringify({ prompt: messages, completion: reply, rubrics })}\n`);
  }
}

async function* writeHarnessDescription(_db: Database, run: RunRow, scores: Scores): AsyncGenerator<Uint8Array> {
  const effort = (settings: unknown) => (settings as ModelSettings).reasoningEffort ?? 'none';
  const lines = [
    `Dataset: ${run.datasetSha256}`,
    `Model Evaluated: ${run.model}`,
    `Model Evaluated Reasoning Effort: ${effort(run.modelUnderTest)}`,
    `Model Grader: ${run.graderModel}`,
    `Model Grader Reasoning Effort: ${effort(run.grader)}`,
    `Timestamp: ${(run.finishedAt ?? run.createdAt).toISOString()}`,
    `Score: ${scores.value}`,
  ];
  yield Buffer.from(`${lines.join('\n\n')}\n`);
}

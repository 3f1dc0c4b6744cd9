import { DatasetError, textLines } from '../healthbench/datasetReader.js';
import { isObject, type JsonObject } from '../healthbench/jsonObject.js';
import { runnerConversation } from './healthbenchRunner.js';
import { someNumber, someText } from './importedFields.js';
import {
  ImportError,
  type ImportedConversation,
  type ImportedRun,
  type ImportFormat,
  type RunFacts,
} from './importedRun.js';
import { inspectConversation, inspectFacts } from './inspectLog.js';
import { jsonParts } from './jsonParts.js';
import { simpleEvalsConversation } from './simpleEvals.js';
import { harnessConversation, harnessFacts } from './sourceHarness.js';

/** A file is looked at so far to see whether it is one JSON object a line. */
const PEEK_BYTES = 1024 * 1024;

const ZIP =
  'The file is a zip archive. A log of Inspect in the format .eval has to be written as JSON first: inspect log convert FILE --to json --output-dir FOLDER';

const NO_FORMAT =
  'The file is in no format that can be imported. Known are …_allresults.json of simple-evals, results.jsonl of the source harness, the result file of healthbench-runner, and logs of Inspect as JSON.';

/** The lists of conversations by which the formats of one JSON document are known. */
const LISTS: Readonly<Record<string, Exclude<ImportFormat, 'SOURCE_HARNESS'>>> = {
  'metadata.example_level_metadata[]': 'SIMPLE_EVALS',
  'example_results[]': 'HEALTHBENCH_RUNNER',
  'samples[]': 'INSPECT',
};
const conversationOf = {
  SIMPLE_EVALS: simpleEvalsConversation,
  HEALTHBENCH_RUNNER: runnerConversation,
  INSPECT: inspectConversation,
} as const;
const FACTS = ['score', 'model', 'reasoning_effort', 'grader', 'dataset', 'timestamp', 'overall_score'];
const INSPECT_FACTS = ['eval', 'plan', 'results'];

/**
 * Reads a result file of another harness, conversation by conversation. `format` and the facts are complete when all
 * conversations have been taken.
 *
 * @param expected the format that somebody says it is; null: whatever it is
 * @param description of the source harness, its `description.md`
 * @throws ImportError from the conversations, at the first thing that is wrong
 */
export function readRun(
  chunks: AsyncIterable<Uint8Array>,
  expected: ImportFormat | null,
  description: string | null,
): ImportedRun {
  const run: ImportedRun = {
    format: expected ?? 'SIMPLE_EVALS',
    facts: { modelUnderTest: {}, grader: {} },
    conversations: conversations(),
  };
  return run;

  async function* conversations(): AsyncGenerator<ImportedConversation> {
    const { start, rest } = await peek(chunks);
    if (start.subarray(0, 4).toString('latin1') === 'PK\u0003\u0004') throw new ImportError(null, ZIP);
    const lines = expected === 'SOURCE_HARNESS' || (expected === null && isLines(start));
    if (!lines && !isDocument(start)) throw new ImportError(null, NO_FORMAT);
    if (lines) {
      run.format = 'SOURCE_HARNESS';
      Object.assign(run.facts, description === null ? {} : harnessFacts(description));
      yield* harnessLines(rest);
    } else yield* documentConversations(rest, run, expected);
  }
}

async function* harnessLines(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<ImportedConversation> {
  try {
    for await (const { line, text } of textLines(chunks)) {
      if (text.trim() !== '') yield harnessConversation(line, parsed(text, line));
    }
  } catch (error) {
    if (error instanceof DatasetError) throw new ImportError(null, error.message, { cause: error });
    throw error;
  }
}

function parsed(text: string, line: number): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new ImportError(`Line ${line}`, 'is no valid JSON. Is the file cut off?', { cause: error });
  }
}

async function* documentConversations(
  chunks: AsyncIterable<Uint8Array>,
  run: ImportedRun,
  expected: ImportFormat | null,
): AsyncGenerator<ImportedConversation> {
  let found: keyof typeof conversationOf | null = null;
  const said: JsonObject = {};
  for await (const { path, place, value } of jsonParts(chunks, [...Object.keys(LISTS), ...FACTS, ...INSPECT_FACTS])) {
    const format = LISTS[path];
    if (format === undefined) {
      said[path] = value;
      continue;
    }
    if (format !== (found ?? expected ?? format)) {
      throw new ImportError(place, `This is a file of ${format}, not of ${found ?? expected}.`);
    }
    found = format;
    run.format = format;
    yield conversationOf[format](value, place);
  }
  if (found === null) throw new ImportError(null, nothingFound(said));
  Object.assign(run.facts, documentFacts(found, said));
}

function nothingFound(said: JsonObject): string {
  if (said.score !== undefined) {
    return 'The file holds a score and no conversation: of simple-evals, import the file whose name ends in _allresults.json.';
  }
  return NO_FORMAT;
}

function documentFacts(format: keyof typeof conversationOf, said: JsonObject): Partial<RunFacts> {
  if (format === 'INSPECT') return inspectFacts(said);
  const score = someNumber(format === 'SIMPLE_EVALS' ? said.score : said.overall_score);
  const facts: Partial<RunFacts> = score === undefined ? {} : { score };
  if (format === 'SIMPLE_EVALS') return facts;
  const [model, grader, effort] = [said.model, said.grader, said.reasoning_effort].map(someText);
  const [dataset, recordedAt] = [said.dataset, said.timestamp].map(someText);
  return {
    ...facts,
    modelUnderTest: {
      ...(model === undefined ? {} : { model }),
      ...(effort === undefined ? {} : { reasoningEffort: effort }),
    },
    grader: grader === undefined ? {} : { model: grader },
    ...(dataset === undefined ? {} : { dataset }),
    ...(recordedAt === undefined ? {} : { recordedAt }),
  };
}

/** The first bytes, and all bytes. */
async function peek(chunks: AsyncIterable<Uint8Array>): Promise<{ start: Buffer; rest: AsyncIterable<Uint8Array> }> {
  const iterator = chunks[Symbol.asyncIterator]();
  const first: Uint8Array[] = [];
  let bytes = 0;
  let lineEnds = false;
  while (bytes < PEEK_BYTES && !lineEnds) {
    const next = await iterator.next();
    if (next.done) break;
    // Copied: a stream may use its memory again.
    first.push(Uint8Array.from(next.value));
    bytes += next.value.length;
    lineEnds = Buffer.concat(first).toString('latin1').trimStart().includes('\n');
  }
  async function* rest() {
    try {
      yield* first;
      for (let next = await iterator.next(); !next.done; next = await iterator.next()) yield next.value;
    } finally {
      await iterator.return?.();
    }
  }
  return { start: Buffer.concat(first), rest: rest() };
}

const firstLine = (start: Buffer): string =>
  start
    .toString('utf8')
    .replace(/^\ufeff/, '')
    .trimStart()
    .split('\n', 1)[0] ?? '';

/** Whether the first line is a result of the source harness. */
function isLines(start: Buffer): boolean {
  const value = lineObject(start);
  return value !== null && 'rubrics' in value && 'completion' in value;
}

/** Whether the file may be one JSON object: it begins with one, and that is not over at the end of a first line of many. */
function isDocument(start: Buffer): boolean {
  const line = firstLine(start);
  const more = start.toString('utf8').trim().length > line.trim().length + 1;
  return line.startsWith('{') && !(more && lineObject(start) !== null);
}

/** The first line, if it is a JSON object. */
function lineObject(start: Buffer): JsonObject | null {
  try {
    const value: unknown = JSON.parse(firstLine(start));
    return isObject(value) ? value : null;
  } catch {
    return null;
  }
}

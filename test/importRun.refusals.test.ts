import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Assay, type Data, type Team } from './support/assay.js';
import { conversations, jsonl, type TestConversation } from './support/dataset.js';
import {
  harnessLine,
  harnessLines,
  inspectLog,
  inspectSample,
  runnerFile,
  runnerResult,
  simpleEvals,
  simpleEvalsEntry,
} from './support/importFiles.js';

const list = conversations(12);
const models = { modelUnderTest: { model: 'model-a' }, grader: { model: 'judge-b' } };
const [first, second] = list as [TestConversation, TestConversation];

describe('an import that is refused', () => {
  let assay: Assay;
  let team: Team;
  let datasetId: string;

  beforeAll(async () => {
    assay = await Assay.start({ workers: false });
    team = await assay.team();
    datasetId = (await team.dataset(jsonl(list))).id;
  });
  afterAll(() => assay.close());

  const refused = async (input: Data): Promise<string> => {
    const payload = await team.tryMutate('importRun', { datasetId, ...models, ...input }, 'run { id }');
    expect(payload.run).toBeNull();
    const [{ code, path, message }] = payload.userErrors;
    return `${code} at ${path.join('.')}: ${message}`;
  };
  it('by its size names the limit, as the service is configured', async () => {
    const small = await Assay.start({ workers: false, server: { maxImportBytes: 2_000 } });
    const own = await small.team();
    const { id } = await own.dataset(jsonl([first]));
    const send = (body: string) =>
      fetch(
        `${small.server.url}/runs/import?input=${encodeURIComponent(JSON.stringify({ datasetId: id, ...models }))}`,
        {
          method: 'POST',
          headers: { authorization: `Bearer ${own.key}` },
          body,
        },
      );
    const file = simpleEvals([simpleEvalsEntry(first)]);
    expect((await send(file + ' '.repeat(2_000 - file.length))).status).toBe(201);
    const refusal = await send(file + ' '.repeat(2_001 - file.length));
    expect(refusal.status).toBe(400);
    expect(((await refusal.json()) as Data).error.message).toMatch(/larger than 2000 bytes/);
    await small.close();
  });

  const runs = async () => (await team.query('{ runs { totalCount } }')).runs.totalCount;

  it('leaves nothing behind, and says where a file and the dataset do not agree', async () => {
    const before = await runs();
    const good = simpleEvalsEntry(first);
    const bad = (change: Data) => simpleEvals([good, { ...simpleEvalsEntry(second), ...change }]);
    const items = (change: (item: Data, no: number) => Data) => ({
      rubric_items: simpleEvalsEntry(second).rubric_items.map(change),
    });
    const place = 'INVALID_INPUT at file: metadata.example_level_metadata[1]';
    const cases: [Data, string][] = [
      [{ file: bad({ prompt_id: 'nobody' }) }, `${place}: prompt_id nobody is not in the dataset.`],
      [
        { file: simpleEvals([good, simpleEvalsEntry(second), simpleEvalsEntry(second)]) },
        'INVALID_INPUT at file: metadata.example_level_metadata[2]: prompt_id prompt-1 occurred before (metadata.',
      ],
      [
        { file: bad(items((item, no) => (no === 1 ? { ...item, points: 99 } : item))) },
        `${place}.rubric_items[1]: has 99 points`,
      ],
      [
        { file: bad(items((item, no) => (no === 2 ? { ...item, criterion: 'Other.' } : item))) },
        `${place}.rubric_items[2]: is about another`,
      ],
      [
        { file: bad({ rubric_items: [] }) },
        `${place}: has 0 graded criteria, but conversation prompt-1 of the dataset has 10`,
      ],
      [
        { file: bad({ prompt: [{ role: 'user', content: 'Something else?' }] }) },
        `${place}: message 1 is not that of conversation`,
      ],
      [{ file: bad({ prompt: [] }) }, `${place}: was sent 0 messages`],
      [{ file: bad({ prompt_id: 7 }) }, `${place}.prompt_id: must be a text`],
      [{ file: simpleEvals([good]).slice(0, -3) }, 'INVALID_INPUT at file: Line 1: The file ends within its JSON'],
      [
        { file: '{"score": 0.4, "overall_score": 0.4}' },
        'INVALID_INPUT at file: The file holds a score and no conversation',
      ],
      [{ file: jsonl(list) }, 'INVALID_INPUT at file: The file is in no format'],
      [{ file: '' }, 'INVALID_INPUT at file: The file is in no format'],
      [
        { file: harnessLines([harnessLine(first), { ...harnessLine(second), completion: 4 }]) },
        'INVALID_INPUT at file: Line 2: completion: must be a text',
      ],
      [
        { file: `${harnessLines([harnessLine(first)])}\n{"prompt": [` },
        'INVALID_INPUT at file: Line 2: is no valid JSON',
      ],
      [
        { file: simpleEvals([good]), format: 'INSPECT' },
        'INVALID_INPUT at file: metadata.example_level_metadata[0]: This is a file of SIMPLE_EVALS',
      ],
      [
        { file: simpleEvals([good]), grader: {} },
        'INVALID_INPUT at grader.model: The file does not say which model graded',
      ],
      [
        { file: runnerFile([runnerResult(first)]) },
        'INVALID_INPUT at modelUnderTest.model: The file says otherwise (openai/model-a)',
      ],
      [
        { file: simpleEvals([good]), grader: { model: 'g', promptSha256: 'abc' } },
        'INVALID_INPUT at grader.promptSha256',
      ],
      [{ file: simpleEvals([good]), scoringProfile: 'own' }, 'INVALID_INPUT at scoringProfile'],
      [{ file: null }, 'INVALID_INPUT at file: is needed'],
      [
        {
          file: inspectLog([
            inspectSample(first),
            { ...inspectSample(second), scores: { own: { value: 1, explanation: 'Good.' } } },
          ]),
        },
        'INVALID_INPUT at file: samples[1].scores: No score lists the criteria',
      ],
    ];
    for (const [input, message] of cases) {
      const error = await refused(input);
      expect(error.slice(0, message.length)).toBe(message);
    }
    expect(await runs()).toBe(before);
  });
});

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type SimulatedProvider, startSimulatedProvider } from '../src/simulator/simulatedProvider.js';
import { Assay, type Data, type Team } from './support/assay.js';
import { conversations, jsonl, type TestConversation } from './support/dataset.js';
import {
  best,
  harnessLine,
  harnessLines,
  inspectLog,
  inspectSample,
  runnerFile,
  runnerResult,
  simpleEvals,
  simpleEvalsEntry,
  type Verdicts,
} from './support/importFiles.js';

const list = conversations(12);
const models = { modelUnderTest: { model: 'model-a' }, grader: { model: 'judge-b' } };
const ORIGIN =
  'origin { format fileName sha256 importedBy recordedAt reportedScore recomputedScore parts { part value source } }';
const [first, second, third] = list as [TestConversation, TestConversation, TestConversation];

/** Runs of other harnesses, brought in by the API. */
describe('importing a run', () => {
  let assay: Assay;
  let provider: SimulatedProvider;
  let team: Team;
  let datasetId: string;

  beforeAll(async () => {
    provider = await startSimulatedProvider({ seed: 3 });
    assay = await Assay.start();
    team = await assay.team();
    await team.endpoint(provider.url, { maxConcurrency: 64 });
    datasetId = (await team.dataset(jsonl(list))).id;
  }, 120_000);
  afterAll(async () => {
    await assay.close();
    await provider.close();
  });

  const importRun = async (input: Data, selection: string): Promise<Data> =>
    (await team.mutate('importRun', { datasetId, ...models, ...input }, `created run { id ${selection} }`)).run;
  const refused = async (input: Data): Promise<string> => {
    const payload = await team.tryMutate('importRun', { datasetId, ...models, ...input }, 'run { id }');
    expect(payload.run).toBeNull();
    const [{ code, path, message }] = payload.userErrors;
    return `${code} at ${path.join('.')}: ${message}`;
  };

  describe('from each kind of file', () => {
    const met: Verdicts = ({ promptId }, no) => ({
      criteria_met: (promptId.length + no) % 3 !== 0,
      explanation: `Reason ${no}\nin two lines, with "quotes" and [brackets]`,
    });
    const files: [string, string, Data][] = [
      ['SIMPLE_EVALS', simpleEvals(list.map((one) => simpleEvalsEntry(one, met))), models],
      ['SOURCE_HARNESS', harnessLines(list.map((one) => harnessLine(one, met))), models],
      ['HEALTHBENCH_RUNNER', runnerFile(list.map((one) => runnerResult(one, met))), { modelUnderTest: {}, grader: {} }],
      ['INSPECT', inspectLog(list.map((one) => inspectSample(one, met))), { modelUnderTest: {} }],
    ];

    it.each(files)('%s: the same verdicts, and the score that they make', async (format, file, declared) => {
      const input = { file, modelUnderTest: models.modelUnderTest, grader: models.grader, ...declared };
      const selection = `status ${ORIGIN} score { value n coverage } usage { calls costUsd costUnknownReason }
        verdicts(first: 500) { nodes { criterion { text } criteriaMet explanation latencyMs attempts } }
        conversations { nodes { promptId score earned possible reply { text latencyMs attempts } } }`;
      const run = await importRun(input, selection);
      expect(run).toMatchObject({
        status: 'COMPLETED',
        usage: { calls: 0, costUsd: null, costUnknownReason: expect.stringMatching(/^imported: nothing was called/) },
        origin: { format },
      });
      expect(run.verdicts.nodes).toEqual(
        list.flatMap((one) =>
          one.criteria.map((_, no) => ({
            criterion: { text: `Criterion ${no} of ${one.promptId}` },
            criteriaMet: met(one, no).criteria_met,
            explanation: met(one, no).explanation,
            latencyMs: null,
            attempts: 0,
          })),
        ),
      );
      const scores = list.map(({ promptId, criteria }) => {
        const sum = (kept: (points: number, no: number) => boolean) =>
          criteria.reduce((total, { points }, no) => total + (kept(points, no) ? points : 0), 0);
        const possible = sum((points) => points > 0);
        const earned = sum((_, no) => met({ promptId, criteria, tags: [] }, no).criteria_met as boolean);
        const reply = { text: `Reply to ${promptId}`, latencyMs: null, attempts: 0 };
        return { promptId, score: earned / possible, earned, possible, reply };
      });
      expect(run.conversations.nodes).toEqual(scores);
      const mean = scores.reduce((sum, { score }) => sum + score, 0) / scores.length;
      expect(run.score).toMatchObject({ value: expect.closeTo(Math.min(1, Math.max(0, mean)), 9), n: 12, coverage: 1 });
      expect(run.origin.recomputedScore).toBe(run.score.value);
    });
  });

  it('marks what the file says, what was declared, what was joined and what nobody knows', async () => {
    const description = [
      'Dataset: 2025_oss_eval_N100.jsonl',
      'Model Evaluated: gpt-oss-20b',
      'Model Evaluated Reasoning Effort: low',
      'Model Grader: gpt-oss-20b',
      'Model Grader Reasoning Effort: none',
      'Timestamp: 2025-08-07_10-00-00',
      'Score: 1.0',
    ].join('\n\n');
    const file = harnessLines(list.map((one) => harnessLine(one)));
    const grader = { temperature: 0.3, systemMessage: null, templateId: null };
    const input = { file, description, fileName: 'first_test', modelUnderTest: {}, grader };
    const settings = 'model temperature reasoningEffort systemMessage endpointId baseUrl unknown';
    const run = await importRun(
      input,
      `${ORIGIN} modelUnderTest { ${settings} } grader { ${settings} } graderPrompt { name } warnings { code message }`,
    );
    const { parts, ...origin } = run.origin;
    expect(origin).toMatchObject({
      format: 'SOURCE_HARNESS',
      fileName: 'first_test',
      recordedAt: '2025-08-07_10-00-00',
      reportedScore: 1,
      recomputedScore: 1,
      importedBy: 'admin',
    });
    expect(Object.fromEntries(parts.map(({ part, source }: Data) => [part, source]))).toEqual({
      dataset: 'DECLARED',
      datasetName: 'RECORDED',
      messages: 'RECORDED',
      replies: 'RECORDED',
      verdicts: 'RECORDED',
      points: 'RECORDED',
      criteria: 'RECOVERED',
      tags: 'RECOVERED',
      sample: 'RECOVERED',
      repeats: 'RECOVERED',
      'modelUnderTest.model': 'RECORDED',
      'modelUnderTest.temperature': 'UNKNOWN',
      'modelUnderTest.reasoningEffort': 'RECORDED',
      'modelUnderTest.maxTokens': 'UNKNOWN',
      'modelUnderTest.systemMessage': 'RECORDED',
      'grader.model': 'RECORDED',
      'grader.temperature': 'DECLARED',
      'grader.reasoningEffort': 'RECORDED',
      'grader.maxTokens': 'UNKNOWN',
      'grader.systemMessage': 'DECLARED',
      graderPrompt: 'DECLARED',
    });
    expect(run.modelUnderTest).toEqual({
      model: 'gpt-oss-20b',
      temperature: null,
      reasoningEffort: 'low',
      systemMessage: null,
      endpointId: null,
      baseUrl: null,
      unknown: ['baseUrl', 'temperature', 'maxTokens'],
    });
    const unknown = run.warnings.find(({ code }: Data) => code === 'UNKNOWN_CONDITIONS');
    expect(unknown.message).toMatch(/nobody said: grader\.maxTokens\./);
    expect(run.warnings.map(({ code }: Data) => code)).toContain('SELF_GRADED');
  });

  it('takes failures for what they are, whatever the file took them for', async () => {
    const odd: Verdicts = (one, no) => {
      const { promptId } = one;
      if (promptId === 'prompt-0' && no === 0) return { criteria_met: false, explanation: 'Grading error: 500' };
      if (promptId === 'prompt-1' && no === 1) return { criteria_met: 'true', explanation: 'A text.' };
      if (promptId === 'prompt-2' && no === 2) return { explanation: '' };
      return best(one, no);
    };
    const results = list.slice(0, 6).map((one) => runnerResult(one, odd));
    Object.assign(results[3] as Data, { model_response: '', rubric_results: [], total_points: 1, score: 0 });
    Object.assign(results[4] as Data, { model_response: ' \n' });
    const run = await importRun(
      { file: runnerFile(results), modelUnderTest: {}, grader: {} },
      `score { value n coverage } warnings { code message } progress { criteriaGraded criteriaUngraded }
       conversations { nodes { status reason results { ungraded { reason message attempts } } } }`,
    );
    expect(run.conversations.nodes.map(({ status, reason }: Data) => [status, reason])).toEqual([
      ['UNGRADED', 'grading_error'],
      ['UNGRADED', 'not_boolean'],
      ['UNGRADED', 'no_verdict'],
      ['FAILED', 'no_reply'],
      ['FAILED', 'no_reply'],
      ['SCORED', null],
    ]);
    const [note] = run.conversations.nodes[0].results.flatMap(({ ungraded }: Data) => ungraded ?? []);
    expect(note).toEqual({ reason: 'grading_error', message: 'Grading error: 500', attempts: 0 });
    expect(run.score).toEqual({ value: 1, n: 1, coverage: 1 / 6 });
    const differs = run.warnings.find(({ code }: Data) => code === 'REPORTED_SCORE_DIFFERS');
    expect(differs.message).toMatch(/reports 50\.00 %; its verdicts give 100\.00 %/);
  });

  it('takes what simple-evals writes for a refused request for a failed reply', async () => {
    const entries = list.slice(0, 3).map((one) => simpleEvalsEntry(one));
    Object.assign(entries[0] as Data, { completion: [{ role: 'assistant', content: 'No response (bad request).' }] });
    Object.assign(entries[1] as Data, { error: 'timed out', completion: [], rubric_items: [] });
    const run = await importRun({ file: simpleEvals(entries) }, 'conversations { nodes { status reason message } }');
    expect(run.conversations.nodes.map(({ status, reason }: Data) => [status, reason])).toEqual([
      ['FAILED', 'bad_request'],
      ['FAILED', 'no_reply'],
      ['SCORED', null],
    ]);
    expect(run.conversations.nodes[1].message).toBe('timed out');
  });

  it('keeps a run of which nothing could be scored, as failed', async () => {
    const results = list.map((one) => ({ ...runnerResult(one), rubric_results: [] }));
    const run = await importRun(
      { file: runnerFile(results), modelUnderTest: {}, grader: {} },
      'status statusReason score { value }',
    );
    expect(run).toMatchObject({
      status: 'FAILED',
      statusReason: expect.stringMatching(/conversations\.$/),
      score: null,
    });
  });

  it('sees repeats and the way the conversations were chosen', async () => {
    const selection = 'repeats sample { method size seed } conversations { totalCount } score { n }';
    const entries = list.map((one) => simpleEvalsEntry(one));
    const twice = await importRun({ file: simpleEvals([...entries, ...entries]) }, selection);
    expect(twice).toMatchObject({ repeats: 2, sample: { method: 'ALL', size: 12 }, score: { n: 24 } });
    const some = await importRun({ file: simpleEvals(entries.slice(0, 5)) }, selection);
    expect(some).toMatchObject({ repeats: 1, sample: { method: 'FIRST', size: 5 } });
    // As random.Random(0).sample(range(12), 3) draws them.
    const drawn = [6, 11, 0].map((no) => entries[no] as Data);
    expect(await importRun({ file: simpleEvals(drawn) }, selection)).toMatchObject({
      sample: { method: 'PYTHON_RANDOM', size: 3, seed: 0 },
    });
    const chosen = [entries[7], entries[2]] as Data[];
    expect(await importRun({ file: simpleEvals(chosen) }, selection)).toMatchObject({
      sample: { method: 'PROMPT_IDS' },
    });
    expect(await refused({ file: simpleEvals(drawn), sample: { method: 'PYTHON_RANDOM', size: 3, seed: 1 } })).toMatch(
      /^INVALID_INPUT at sample: gives other conversations/,
    );
    const lines = harnessLines([...list, ...list].map((one) => harnessLine(one)));
    expect(await refused({ file: lines })).toMatch(
      /^INVALID_INPUT at file: Line 13: prompt_id prompt-0 occurred before/,
    );
    expect(await importRun({ file: lines, repeats: 2 }, selection)).toMatchObject({ repeats: 2 });
  });

  it('keeps the system message that was sent, and wants it to be the same throughout', async () => {
    const withSystem = (one: TestConversation, content: string) => {
      const entry = simpleEvalsEntry(one);
      return { ...entry, prompt: [{ role: 'system', content }, ...entry.prompt] };
    };
    const file = simpleEvals(list.map((one) => withSystem(one, 'Be brief.')));
    const run = await importRun({ file }, 'modelUnderTest { systemMessage unknown }');
    expect(run.modelUnderTest).toEqual({
      systemMessage: 'Be brief.',
      unknown: ['baseUrl', 'temperature', 'reasoningEffort', 'maxTokens'],
    });
    expect(await refused({ file: simpleEvals([withSystem(first, 'a'), withSystem(second, 'b')]) })).toMatch(
      /example_level_metadata\[1\]: was sent another system message/,
    );
  });

  it('is the same run when the same file comes with the same declaration, and says so', async () => {
    const file = simpleEvals([simpleEvalsEntry(third)]);
    const send = (input: Data) =>
      team.mutate('importRun', { datasetId, ...models, file, ...input }, 'created run { id name }');
    const [one, two] = await Promise.all([send({ name: 'once' }), send({ name: 'again' })]);
    expect([one.created, two.created].sort()).toEqual([false, true]);
    expect(one.run).toEqual(two.run);
    const other = await send({ grader: { model: 'judge-b', temperature: null } });
    expect(other.created).toBe(true);
    const key = { idempotencyKey: 'import once', name: 'keyed', grader: { model: 'judge-c' } };
    const keyed = await send(key);
    expect(await send(key)).toEqual({ ...keyed, created: false });
    const payload = await team.tryMutate(
      'importRun',
      { datasetId, ...models, file, ...key, grader: models.grader },
      'created',
    );
    expect(payload.userErrors[0].code).toBe('CONFLICT');
    await team.mutate('deleteRun', { runId: keyed.run.id }, 'deleted { kind }');
    const gone = await team.tryMutate('importRun', { datasetId, ...models, file, ...key }, 'created run { id }');
    expect(gone.userErrors[0]).toMatchObject({ code: 'CONFLICT', path: ['idempotencyKey'] });
    expect((await send({ grader: { model: 'judge-c' } })).created).toBe(true);
  });
});

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type SimulatedProvider, startSimulatedProvider } from '../src/simulator/simulatedProvider.js';
import { Assay, type Data, Team } from './support/assay.js';
import { conversations, jsonl } from './support/dataset.js';
import { firstRecord, linesOf, publishedRun } from './support/harnessRun.js';
import { harnessLines, runnerFile, runnerResult, simpleEvals, simpleEvalsEntry } from './support/importFiles.js';

const list = conversations(24);
const models = { modelUnderTest: { model: 'test-model' }, grader: { model: 'test-grader' } };

/** Imported runs beside those that were made here. */
describe('an imported run', () => {
  let assay: Assay;
  let provider: SimulatedProvider;
  let team: Team;
  let datasetId: string;
  let made: string;

  beforeAll(async () => {
    provider = await startSimulatedProvider({ seed: 3 });
    assay = await Assay.start();
    team = await assay.team();
    await team.endpoint(provider.url, { maxConcurrency: 64 });
    datasetId = (await team.dataset(jsonl(list))).id;
    made = await team.start({ datasetId, repeats: 2, modelUnderTest: { systemMessage: 'Be kind.' } });
    await team.watch(made);
  }, 120_000);
  afterAll(async () => {
    await assay.close();
    await provider.close();
  });

  const get = (path: string) =>
    fetch(`${assay.server.url}${path}`, { headers: { authorization: `Bearer ${team.key}` } });
  const exported = async (runId: string, format: string): Promise<string> => {
    const response = await get(`/runs/${runId}/export?format=${format}`);
    expect(response.status).toBe(200);
    return response.text();
  };
  const importRun = async (input: Data): Promise<string> =>
    (await team.mutate('importRun', { datasetId, ...models, ...input }, 'run { id }')).run.id;

  const RESULTS = `status repeats sample { method size } score { value median bootstrapStd n coverage perfect belowZero
    interval { low high } } tagScores { tag value n } positiveCriteria { met graded } negativeCriteria { met graded }
    conversations(first: 200) { nodes { ordinal repeat promptId score reply { text } results {
      criterion { text points } verdict { criteriaMet explanation } } } }`;

  it.each([
    ['simple-evals', {}],
    ['harness-results', { repeats: 2 }],
  ])(
    'of our own export as %s has the verdicts and the score of the run that was exported',
    async (format, more) => {
      const description = format === 'harness-results' ? await exported(made, 'harness-description') : null;
      const known = description === null ? {} : { modelUnderTest: {}, grader: {}, description };
      const id = await importRun({ file: await exported(made, format), ...more, ...known });
      expect(await team.run(id, RESULTS)).toEqual(await team.run(made, RESULTS));
      const { modelUnderTest, warnings } = await team.run(
        id,
        'modelUnderTest { model systemMessage } warnings { code }',
      );
      expect(modelUnderTest).toEqual({ model: 'test-model', systemMessage: 'Be kind.' });
      expect(warnings.map(({ code }: Data) => code)).not.toContain('REPORTED_SCORE_DIFFERS');
      // And once more.
      const entries = async (runId: string) =>
        JSON.parse(await exported(runId, 'simple-evals')).metadata.example_level_metadata.map((entry: Data) =>
          // The harness keeps no usage.
          format === 'simple-evals' ? entry : { ...entry, usage: null },
        );
      expect(await entries(id)).toEqual(await entries(made));
    },
    60_000,
  );

  it('has the numbers that are published of the source harness', async () => {
    const parts = publishedRun();
    const published = (await team.dataset(jsonl(parts.map(({ conversation }) => conversation)), 'published')).id;
    const description = 'Model Evaluated: gpt-oss-20b\nModel Grader: gpt-oss-20b\nScore: 0.5000179454392142\n';
    const input = { datasetId: published, description, modelUnderTest: {}, grader: {} };
    const id = await importRun({ ...input, file: harnessLines(linesOf(parts)) });
    const run = await team.run(
      id,
      `score { value median n perfect belowZero } positiveCriteria { met graded } negativeCriteria { met graded }
       progress { criteriaGraded } warnings { code } conversations(first: 1) { nodes { score } }`,
    );
    expect(run.score).toEqual({
      value: expect.closeTo(0.5000179454392142, 14),
      median: expect.closeTo(0.532, 14),
      n: 200,
      perfect: 18,
      belowZero: 15,
    });
    expect(run.positiveCriteria).toEqual({ met: 1011, graded: 1585 });
    expect(run.negativeCriteria).toEqual({ met: 229, graded: 710 });
    expect(run.progress.criteriaGraded).toBe(2295);
    expect(run.conversations.nodes[0].score).toBeCloseTo(0.820513, 6);
    expect(run.warnings.map(({ code }: Data) => code)).not.toContain('REPORTED_SCORE_DIFFERS');
    const other = await importRun({ ...input, file: harnessLines(linesOf([firstRecord([10, 10, 5])])) });
    expect((await team.run(other, 'score { value }')).score.value).toBeCloseTo(0.679487, 6);
  }, 60_000);

  it('is compared like any other, and what nobody knows of it is said and not taken for equal', async () => {
    const settings = { reasoningEffort: null, maxTokens: null, temperature: 0, systemMessage: null };
    const file = await exported(made, 'simple-evals');
    const known = await importRun({ file, grader: { model: 'test-grader', ...settings, templateId: null } });
    const unknown = await importRun({ file, grader: { model: 'test-grader', temperature: 0 } });
    const COMPARE = `query ($a: ID!, $b: ID!) { compareRuns(baselineId: $a, candidateId: $b) { comparable
      differences { part baseline candidate baselineKnown candidateKnown severity } warnings { code } overall { difference n } } }`;
    const compare = async (a: string, b: string) => (await team.query(COMPARE, { a, b })).compareRuns;
    const same = await compare(made, known);
    expect(same).toMatchObject({ comparable: true, overall: { difference: 0, n: 48 } });
    const grave = (found: Data) =>
      found.differences.filter(({ severity }: Data) => !['SUBJECT', 'CAUTION'].includes(severity));
    expect(grave(same)).toEqual([]);
    const unsure = await compare(unknown, made);
    expect(unsure.comparable).toBe(false);
    expect(grave(unsure).map(({ part, severity }: Data) => [part, severity])).toEqual([
      ['grader.reasoningEffort', 'UNKNOWN'],
      ['grader.maxTokens', 'UNKNOWN'],
      ['grader.systemMessage', 'UNKNOWN'],
      ['graderPrompt', 'UNKNOWN'],
    ]);
    expect(grave(unsure)[3]).toMatchObject({ baseline: null, baselineKnown: false, candidateKnown: true });
    expect(unsure.warnings.map(({ code }: Data) => code)).toContain('UNKNOWN_CONDITIONS');
    expect((await compare(unknown, unknown)).comparable).toBe(true);
    const keys = await Promise.all([made, known, unknown].map((id) => team.run(id, 'comparisonKey')));
    expect(keys[0]).toEqual(keys[1]);
    expect(keys[0]).not.toEqual(keys[2]);
  }, 60_000);

  it('is exported like any other, with nulls for what is not known', async () => {
    const id = await importRun({ file: simpleEvals(list.map((one) => simpleEvalsEntry(one))) });
    const rows = (await exported(id, 'jsonl'))
      .trim()
      .split('\n')
      .map((text) => JSON.parse(text));
    expect(rows).toHaveLength(list.reduce((sum, { criteria }) => sum + criteria.length, 0));
    expect(rows[0]).toMatchObject({ criteria_met: true, latency_ms: null, grader_prompt_sha256: null, attempts: 0 });
    for (const table of ['verdicts', 'conversations', 'runs']) {
      for (const format of ['csv', 'parquet']) {
        const response = await get(`/runs/${id}/export?table=${table}&format=${format}`);
        expect([table, format, response.status]).toEqual([table, format, 200]);
        expect((await response.arrayBuffer()).byteLength).toBeGreaterThan(100);
      }
    }
  });

  describe('by POST /runs/import', () => {
    const post = (body: string | null, input: unknown, headers: Data = {}, key = team.key) =>
      fetch(`${assay.server.url}/runs/import?input=${encodeURIComponent(JSON.stringify(input))}`, {
        method: 'POST',
        headers: { authorization: `Bearer ${key}`, ...headers },
        body,
      });
    const file = simpleEvals(list.slice(3, 9).map((one) => simpleEvalsEntry(one)));

    it('is made once, and leaves an event in the audit log', async () => {
      const input = { datasetId, ...models, name: 'uploaded', format: 'SIMPLE_EVALS' };
      const first = await post(file, input);
      expect(first.status).toBe(201);
      const { run, created } = (await first.json()) as Data;
      expect(created).toBe(true);
      expect(run).toMatchObject({ name: 'uploaded', status: 'COMPLETED', origin: { format: 'SIMPLE_EVALS' } });
      const second = await post(file, input);
      expect(second.status).toBe(200);
      expect(await second.json()).toMatchObject({ created: false, run: { id: run.id } });
      const query =
        'query ($id: ID!) { auditEvents(first: 1, filter: { subjectId: $id }) { nodes { action outcome } } }';
      expect((await team.query(query, { id: run.id })).auditEvents.nodes).toEqual([
        { action: 'importRun', outcome: 'DONE' },
      ]);
    });

    it('is refused with a status, a code and the place', async () => {
      const input = { datasetId, ...models };
      const role = { name: 'looks on', role: 'VIEWER' };
      const viewer = new Team(assay, (await team.mutate('createApiKey', role, 'secret')).secret);
      const refusals: [() => Promise<Response>, number, Data][] = [
        [() => post(null, input), 400, { message: 'The body is empty: it must be the file.' }],
        [() => post('{}', input), 400, { code: 'INVALID_INPUT', message: expect.stringMatching(/no format/) }],
        [() => post(file, { ...input, grader: {} }), 400, { code: 'INVALID_INPUT', path: ['grader', 'model'] }],
        [
          () => post(file, { ...input, nonsense: 1 }),
          400,
          { message: expect.stringMatching(/"nonsense" is not defined/) },
        ],
        [() => post(file, { ...input, file: 'again' }), 400, { message: 'The file is the body of the request.' }],
        [() => post(file, 'text'), 400, { code: 'INVALID_INPUT' }],
        [() => post(file, { ...models, datasetId: 'nobody' }), 404, { path: ['datasetId'] }],
        [() => post(file, input, { 'content-encoding': 'gzip' }), 400, { message: 'Send the file uncompressed.' }],
        [() => post(file, input, {}, viewer.key), 403, { code: 'FORBIDDEN' }],
        [() => post(file, input, {}, 'assay_unknown'), 401, { code: 'UNAUTHENTICATED' }],
      ];
      for (const [send, status, error] of refusals) {
        const response = await send();
        const { error: found } = (await response.json()) as Data;
        expect([response.status, found]).toEqual([status, expect.objectContaining(error)]);
      }
    });
  });

  it('never calls a model: a retry is refused and says what to do, and a regrade is a run of its own', async () => {
    const results = list.slice(0, 3).map((one) => runnerResult(one));
    Object.assign(results[1] as Data, { rubric_results: [] });
    const id = await importRun({ file: runnerFile(results), modelUnderTest: {}, grader: {} });
    for (const field of ['retryRun', 'pauseRun', 'resumeRun', 'cancelRun']) {
      const payload = await team.tryMutate(field, { runId: id }, 'run { id }');
      expect([field, payload.userErrors[0]?.code]).toEqual([field, 'CONFLICT']);
    }
    const regrade = { runId: id, grader: { model: 'test-grader' } };
    const needsPrompt = await team.tryMutate('regradeRun', regrade, 'run { id }');
    expect(needsPrompt.userErrors[0]).toMatchObject({ code: 'INVALID_INPUT', path: ['grader', 'templateId'] });
    expect(await team.run(id, 'status usage { calls }')).toEqual({ status: 'COMPLETED', usage: { calls: 0 } });
    const input = { ...regrade, grader: { model: 'test-grader', templateId: null } };
    const { run } = await team.mutate('regradeRun', input, 'run { id origin { format } regradeOf { id } }');
    await team.watch(run.id);
    expect(run).toMatchObject({ origin: null, regradeOf: { id } });
    const after = await team.run(
      run.id,
      'status progress { conversationsScored conversationsFailed } modelUnderTest { unknown }',
    );
    expect(after).toMatchObject({ status: 'COMPLETED', progress: { conversationsScored: 2, conversationsFailed: 1 } });
    expect(after.modelUnderTest.unknown).toContain('temperature');
  });
});

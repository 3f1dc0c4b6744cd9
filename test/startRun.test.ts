import { createHash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Assay, type Data, type Team } from './support/assay.js';
import { conversations, jsonl } from './support/dataset.js';

describe('starting a run', () => {
  let assay: Assay;
  let team: Team;
  let datasetId: string;

  beforeAll(async () => {
    assay = await Assay.start({ workers: false });
    team = await assay.team();
    datasetId = (await team.dataset(jsonl(conversations(30)))).id;
  });
  afterAll(() => assay.close());

  const refused = async (input: Data) => {
    const { userErrors, run } = await team.tryMutate('startRun', { datasetId, ...input }, 'run { id }');
    expect(run).toBeNull();
    return userErrors[0];
  };
  const selected = async (runId: string): Promise<string[]> => {
    const { conversations: page } = await team.run(runId, 'conversations(first: 200) { nodes { promptId repeat } }');
    return page.nodes.map((node: Data) => node.promptId);
  };

  it('says what to do when the team has no model endpoint', async () => {
    expect(await refused({})).toMatchObject({
      path: ['modelUnderTest', 'endpointId'],
      message: expect.stringContaining('createModelEndpoint'),
    });
  });

  describe('with an endpoint', () => {
    beforeAll(async () => {
      await team.endpoint('http://127.0.0.1:9/v1');
    });

    it('freezes everything, takes the defaults and returns at once', async () => {
      const runId = await team.start({ datasetId });
      const run = await team.run(
        runId,
        `name status repeats scoringProfile version sample { method size seed } dataset { id }
         modelUnderTest { model temperature reasoningEffort maxTokens systemMessage } grader { model temperature }
         graderPrompt { name sha256 text } progress { conversationsTotal criteriaTotal conversationsDone etaSeconds }
         score { value } scoreUnavailableReason`,
      );
      expect(run).toMatchObject({
        name: 'test-model on dataset',
        status: 'QUEUED',
        repeats: 1,
        scoringProfile: 'healthbench',
        sample: { method: 'ALL', size: 30, seed: null },
        dataset: { id: datasetId },
        modelUnderTest: {
          model: 'test-model',
          temperature: 0.3,
          reasoningEffort: null,
          maxTokens: null,
          systemMessage: null,
        },
        grader: { model: 'test-grader', temperature: 0 },
        progress: { conversationsTotal: 30, conversationsDone: 0, etaSeconds: null },
        score: null,
        scoreUnavailableReason: 'No conversation is scored yet.',
      });
      expect(run.graderPrompt.sha256).toBe(createHash('sha256').update(run.graderPrompt.text.trim()).digest('hex'));
      expect(run.progress.criteriaTotal).toBe(
        conversations(30).reduce((sum, { criteria }) => sum + criteria.length, 0),
      );
    });

    it.each([
      [{ method: 'FIRST', size: 4 }, [0, 1, 2, 3]],
      [{ promptIds: ['prompt-7', 'prompt-2'] }, [7, 2]],
    ])('chooses %p in order', async (sample, numbers) => {
      const runId = await team.start({ datasetId, sample });
      expect(await selected(runId)).toEqual(numbers.map((no) => `prompt-${no}`));
    });

    it.each(['PYTHON_RANDOM', 'PANDAS'])(
      'repeats a %s sample for the same seed, and another for another',
      async (method) => {
        const choose = async (seed: number) =>
          selected(await team.start({ datasetId, sample: { method, size: 10, seed } }));
        const first = await choose(40);
        expect(new Set(first).size).toBe(10);
        expect(await choose(40)).toEqual(first);
        expect(await choose(41)).not.toEqual(first);
      },
    );

    it('repeats the whole list, one list after the other', async () => {
      const runId = await team.start({ datasetId, sample: { method: 'FIRST', size: 2 }, repeats: 3 });
      const { conversations: page } = await team.run(runId, 'conversations { nodes { ordinal promptId repeat } }');
      expect(page.nodes.map((node: Data) => [node.ordinal, node.promptId, node.repeat])).toEqual([
        [0, 'prompt-0', 1],
        [1, 'prompt-1', 1],
        [2, 'prompt-0', 2],
        [3, 'prompt-1', 2],
        [4, 'prompt-0', 3],
        [5, 'prompt-1', 3],
      ]);
    });

    it.each([
      [{ sample: { method: 'FIRST' } }, ['sample', 'size']],
      [{ sample: { method: 'FIRST', size: 31 } }, ['sample', 'size']],
      [{ sample: { method: 'PANDAS', size: 5, seed: -1 } }, ['sample', 'seed']],
      [{ sample: { method: 'PYTHON_RANDOM', size: 5, seed: 0.5 } }, ['sample', 'seed']],
      [{ sample: { method: 'ALL', size: 5 } }, ['sample', 'size']],
      [{ sample: { promptIds: [] } }, ['sample', 'promptIds']],
      [{ sample: { promptIds: ['prompt-1', 'nobody'] } }, ['sample', 'promptIds']],
      [{ sample: { promptIds: ['prompt-1', 'prompt-1'] } }, ['sample', 'promptIds']],
      [{ sample: { promptIds: ['prompt-1'], size: 1 } }, ['sample', 'promptIds']],
      [{ repeats: 0 }, ['repeats']],
      [{ repeats: 101 }, ['repeats']],
      [{ name: ' ' }, ['name']],
      [{ name: 'a\u0000b' }, ['name']],
      [{ name: 'half \ud83d' }, ['name']],
      [{ scoringProfile: 'unknown' }, ['scoringProfile']],
      [{ modelUnderTest: { temperature: 3 } }, ['modelUnderTest', 'temperature']],
      [{ modelUnderTest: { model: '' } }, ['modelUnderTest', 'model']],
      [{ grader: { maxTokens: 0 } }, ['grader', 'maxTokens']],
      [{ grader: { reasoningEffort: 'Very High!' } }, ['grader', 'reasoningEffort']],
      [{ datasetId: 'nonsense' }, ['datasetId']],
      [{ grader: { templateId: 'nonsense' } }, ['grader', 'templateId']],
    ])('refuses %j before anything is spent', async (input, path) => {
      expect(await refused(input)).toMatchObject({ path, message: expect.any(String) });
    });

    it('keeps a temperature of null as the default of the provider', async () => {
      const runId = await team.start({
        datasetId,
        modelUnderTest: { temperature: null },
        grader: { temperature: null },
      });
      const run = await team.run(runId, 'modelUnderTest { temperature } grader { temperature }');
      expect(run).toEqual({ modelUnderTest: { temperature: null }, grader: { temperature: null } });
    });

    it('returns the first run for the same idempotency key, also when asked twice at once', async () => {
      const input = { datasetId, name: 'once', idempotencyKey: 'nightly-1' };
      const ids = await Promise.all(Array.from({ length: 5 }, () => team.start(input)));
      expect(new Set(ids).size).toBe(1);
      const { runs } = await team.query('{ runs(filter: { name: "once" }) { totalCount } }');
      expect(runs.totalCount).toBe(1);
      const other = await team.tryMutate('startRun', { ...input, repeats: 2 }, 'run { id }');
      expect(other.userErrors).toMatchObject([{ code: 'CONFLICT', path: ['idempotencyKey'] }]);
    });

    it('says of an idempotency key that its run has been deleted since', async () => {
      const input = { datasetId, name: 'gone', idempotencyKey: 'nightly-2' };
      await team.mutate('deleteRun', { runId: await team.start(input) }, 'deleted { kind }');
      expect((await team.tryMutate('startRun', input, 'run { id }')).userErrors).toEqual([
        { code: 'CONFLICT', message: expect.stringMatching(/deleted.*another key/), path: ['idempotencyKey'] },
      ]);
    });

    it("takes a team's own grader prompt, and refuses one without its placeholders", async () => {
      const text = 'Judge: {prompt} / {completion} / {criterion}. Answer as JSON with explanation and criteria_met.';
      const made = await team.mutate(
        'createGraderTemplate',
        { name: 'short', text },
        'graderTemplate { id sha256 recognised }',
      );
      const again = await team.mutate('createGraderTemplate', { name: 'same', text }, 'graderTemplate { id }');
      expect(again.graderTemplate.id).toBe(made.graderTemplate.id);
      const runId = await team.start({ datasetId, grader: { templateId: made.graderTemplate.id } });
      const { graderPrompt } = await team.run(runId, 'graderPrompt { name text sha256 }');
      expect(graderPrompt).toEqual({ name: 'short', text, sha256: made.graderTemplate.sha256 });
      const bad = await team.tryMutate(
        'createGraderTemplate',
        { name: 'bad', text: 'Judge this.' },
        'graderTemplate { id }',
      );
      expect(bad.userErrors).toMatchObject([{ code: 'INVALID_INPUT', path: ['text'] }]);
    });

    it('pauses, resumes and cancels, and says what is not possible', async () => {
      const runId = await team.start({ datasetId });
      const status = async (field: string) => (await team.mutate(field, { runId }, 'run { status }')).run.status;
      expect(await status('pauseRun')).toBe('PAUSED');
      expect(await status('resumeRun')).toBe('RUNNING');
      expect(await status('cancelRun')).toBe('CANCELLED');
      const again = await team.tryMutate('resumeRun', { runId }, 'run { status }');
      expect(again.userErrors).toMatchObject([{ code: 'CONFLICT', message: expect.stringContaining('CANCELLED') }]);
    });

    it('lists runs by filter and order, page by page, in a constant number of statements', async () => {
      const all = (await team.query('{ runs(first: 200, orderBy: CREATED_AT_ASC) { nodes { id createdAt } } }')).runs
        .nodes;
      const newest = (await team.query('{ runs(first: 200) { nodes { id } } }')).runs.nodes;
      expect(newest.map((run: Data) => run.id)).toEqual(all.map((run: Data) => run.id).reverse());
      const byName: string[] = [];
      let after: string | null = null;
      do {
        const query =
          'query ($after: String) { runs(first: 4, after: $after, orderBy: NAME_ASC) { nodes { id name } pageInfo { hasNextPage endCursor } } }';
        const { runs }: Data = await team.query(query, { after });
        byName.push(...runs.nodes.map((run: Data) => run.id));
        after = runs.pageInfo.hasNextPage ? runs.pageInfo.endCursor : null;
      } while (after !== null);
      expect([...byName].sort()).toEqual(all.map((run: Data) => run.id).sort());
      const count = async (filter: Data) =>
        (await team.query('query ($f: RunFilter) { runs(filter: $f) { totalCount } }', { f: filter })).runs.totalCount;
      expect(await count({ status: ['CANCELLED'] })).toBe(1);
      expect(await count({ model: 'test-model', grader: 'test-grader', datasetId })).toBe(all.length);
      expect(await count({ model: 'other' })).toBe(0);
      expect(await count({ datasetId: 'nonsense' })).toBe(0);
      expect(await count({ createdBefore: all[3].createdAt })).toBe(3);
      const statements = async (first: number) => {
        const before = assay.services.statements();
        await team.query(
          `{ runs(first: ${first}) { nodes { id dataset { name } modelUnderTest { endpointName } score { value } progress { criteriaDone } } } }`,
        );
        return assay.services.statements() - before;
      };
      await statements(1);
      expect(await statements(all.length)).toBe(await statements(2));
    });
  });
});

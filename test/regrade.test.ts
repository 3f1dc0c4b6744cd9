import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type SimulatedProvider, startSimulatedProvider } from '../src/simulator/simulatedProvider.js';
import { Assay, type Data, type Team } from './support/assay.js';
import { conversations, jsonl } from './support/dataset.js';
import { expectedVerdicts, SEED } from './support/expected.js';

const MODEL = 'test-model';
const list = conversations(40);

describe('grading the same replies anew', () => {
  let assay: Assay;
  let team: Team;
  let provider: SimulatedProvider;
  let firstId: string;

  beforeAll(async () => {
    provider = await startSimulatedProvider({ seed: SEED, logCalls: true });
    assay = await Assay.start();
    team = await assay.team();
    await team.endpoint(provider.url, { maxConcurrency: 64 });
    const dataset = await team.dataset(jsonl(list));
    firstId = await team.start({
      datasetId: dataset.id,
      name: 'first',
      modelUnderTest: { systemMessage: 'Be brief.' },
    });
    await team.watch(firstId);
  }, 120_000);
  afterAll(async () => {
    await assay.close();
    await provider.close();
  });

  const regrade = async (input: Data): Promise<string> =>
    (await team.mutate('regradeRun', { runId: firstId, ...input }, 'run { id }')).run.id;
  const refused = async (input: Data): Promise<Data> =>
    (await team.tryMutate('regradeRun', { runId: firstId, ...input }, 'run { id }')).userErrors[0];
  const replies = async (runId: string): Promise<string[]> => {
    const { conversations: page } = await team.run(runId, 'conversations(first: 200) { nodes { reply { text } } }');
    return page.nodes.map((node: Data) => node.reply.text);
  };

  describe('with another grader', () => {
    let secondId: string;
    beforeAll(async () => {
      secondId = await regrade({ grader: { model: 'strict-judge' } });
      await team.watch(secondId);
    });

    it('makes a new run that is linked to the first, with the same replies and no call of the model', async () => {
      const run = await team.run(
        secondId,
        `name status regradeOf { id regrades { id } } modelUnderTest { model systemMessage }
         grader { model temperature } progress { conversationsTotal repliesDone conversationsScored }
         usage { model { calls promptTokens } grader { calls } }`,
      );
      expect(run).toMatchObject({
        name: 'first, graded by strict-judge',
        status: 'COMPLETED',
        regradeOf: { id: firstId },
        modelUnderTest: { model: MODEL, systemMessage: 'Be brief.' },
        grader: { model: 'strict-judge', temperature: 0 },
        progress: { conversationsTotal: 40, repliesDone: 40, conversationsScored: 40 },
        usage: { model: { calls: 0, promptTokens: 0 } },
      });
      expect(run.regradeOf.regrades).toContainEqual({ id: secondId });
      expect(run.usage.grader.calls).toBe(list.reduce((sum, { criteria }) => sum + criteria.length, 0));
      expect(await replies(secondId)).toEqual(await replies(firstId));
      expect((await team.run(firstId, 'regradeOf { id }')).regradeOf).toBeNull();
    });

    it('says how far the two graders agree, also by tag, and that only the grader differs', async () => {
      const numbers = 'n rate kappa kappaUnavailableReason pairwiseF1 { met notMet balanced unavailableReason }';
      const agreement = `agreement { baselineGrader candidateGrader ${numbers} bothMet onlyBaselineMet onlyCandidateMet
        neitherMet tags { tag n rate kappa } axes: tags(group: AXIS) { tag label } }`;
      const query = `query ($a: ID!, $b: ID!) { compareRuns(baselineId: $a, candidateId: $b) {
        comparable sameReplies warnings { code } differences { part severity } ${agreement} } }`;
      const { compareRuns } = await team.query(query, { a: firstId, b: secondId });
      expect(compareRuns).toMatchObject({
        comparable: false,
        sameReplies: true,
        warnings: [{ code: 'SAME_REPLIES' }, { code: 'TINY_SAMPLE' }],
        differences: [{ part: 'grader.model', severity: 'BREAKING' }],
      });
      const table = { bothMet: 0, onlyBaselineMet: 0, onlyCandidateMet: 0, neitherMet: 0 };
      let hedging = 0;
      for (const conversation of list) {
        const [one, two] = ['test-grader', 'strict-judge'].map((grader) =>
          expectedVerdicts(conversation, MODEL, grader, 'Be brief.'),
        );
        for (const at of conversation.criteria.keys()) {
          if (conversation.tags.includes('theme:hedging')) hedging += 1;
          if (one?.[at]) table[two?.[at] ? 'bothMet' : 'onlyBaselineMet'] += 1;
          else table[two?.[at] ? 'onlyCandidateMet' : 'neitherMet'] += 1;
        }
      }
      const { bothMet, onlyBaselineMet, onlyCandidateMet, neitherMet } = table;
      const n = bothMet + onlyBaselineMet + onlyCandidateMet + neitherMet;
      const rate = (bothMet + neitherMet) / n;
      const first = (bothMet + onlyBaselineMet) / n;
      const second = (bothMet + onlyCandidateMet) / n;
      const chance = first * second + (1 - first) * (1 - second);
      expect(compareRuns.agreement).toMatchObject({
        ...table,
        n,
        rate: expect.closeTo(rate, 12),
        kappa: expect.closeTo((rate - chance) / (1 - chance), 12),
        pairwiseF1: { met: expect.closeTo((2 * bothMet) / (n + bothMet - neitherMet), 12), unavailableReason: null },
        baselineGrader: 'test-grader',
        candidateGrader: 'strict-judge',
      });
      const byTag = Object.fromEntries(compareRuns.agreement.tags.map((tag: Data) => [tag.tag, tag.n]));
      expect(byTag).toMatchObject({ 'level:example': n, 'theme:hedging': hedging });
      expect(compareRuns.agreement.axes[0]).toEqual({ tag: 'axis:accuracy', label: 'Accuracy' });
      const own = await team.run(secondId, agreement);
      expect(own.agreement).toEqual(compareRuns.agreement);
      expect((await team.run(firstId, 'agreement { n }')).agreement).toBeNull();
    });

    it('takes a regrade for the run that it regrades', async () => {
      const third = await regrade({ runId: secondId, grader: { model: 'third-judge' } });
      expect((await team.run(third, 'regradeOf { id }')).regradeOf.id).toBe(firstId);
    });
  });

  it('changes only what the input says: here the prompt', async () => {
    const text = 'Judge this.\n<<conversation>>\nCriterion:\n<<rubric_item>>\nAnswer in JSON with criteria_met.';
    const { graderTemplate } = await team.mutate(
      'createGraderTemplate',
      { name: 'short', text },
      'graderTemplate { id sha256 }',
    );
    const runId = await regrade({ grader: { templateId: graderTemplate.id }, name: 'short prompt' });
    const run = await team.run(runId, 'name grader { model } graderPrompt { sha256 } fingerprint { part value }');
    expect(run).toMatchObject({
      name: 'short prompt',
      grader: { model: 'test-grader' },
      graderPrompt: { sha256: graderTemplate.sha256 },
    });
    const before = (await team.run(firstId, 'fingerprint { part value }')).fingerprint;
    const changed = run.fingerprint.filter((part: Data, at: number) => part.value !== before[at].value);
    expect(changed).toEqual([{ part: 'graderPrompt', value: graderTemplate.sha256 }]);
    await team.watch(runId);
  });

  it('is the same regrade for the same idempotency key, and a conflict for another input', async () => {
    const input = { idempotencyKey: 'k1', grader: { model: 'once' } };
    const runId = await regrade(input);
    expect(await regrade(input)).toBe(runId);
    expect(await refused({ ...input, grader: { model: 'twice' } })).toMatchObject({ code: 'CONFLICT' });
    await team.watch(runId);
  });

  it('has a budget of its own, and not that of the first run', async () => {
    const dataset = (await team.run(firstId, 'dataset { id }')).dataset.id;
    const input = { datasetId: dataset, sample: { method: 'FIRST', size: 2 }, budget: { maxCalls: 1_000 } };
    const budgeted = await team.start(input);
    await team.watch(budgeted);
    const free = await regrade({ runId: budgeted });
    await team.watch(free);
    expect(await team.run(free, 'status budget { maxCalls }')).toEqual({ status: 'COMPLETED', budget: null });
    const capped = await regrade({ runId: budgeted, budget: { maxCalls: 500 } });
    await team.watch(capped);
    const { status, budget } = await team.run(capped, 'status budget { maxCalls spentCalls }');
    expect({ status, maxCalls: budget.maxCalls }).toEqual({ status: 'COMPLETED', maxCalls: 500 });
    const criteria = list.slice(0, 2).reduce((sum, conversation) => sum + conversation.criteria.length, 0);
    expect(budget.spentCalls).toBe(criteria);
  });

  it.each<[string, Data, Data]>([
    ['a run that is not there', { runId: 'nonsense' }, { code: 'NOT_FOUND', path: ['runId'] }],
    ['an unknown template', { grader: { templateId: 'nonsense' } }, { code: 'NOT_FOUND' }],
    ['an impossible parameter', { grader: { temperature: 9 } }, { path: ['grader', 'temperature'] }],
  ])('refuses %s', async (_what, input, error) => {
    expect(await refused(input)).toMatchObject(error);
  });

  it("refuses another team's run, and one whose replies may still arrive", async () => {
    const other = await assay.team();
    const { userErrors } = await other.tryMutate('regradeRun', { runId: firstId }, 'run { id }');
    expect(userErrors[0]).toMatchObject({ code: 'NOT_FOUND', path: ['runId'] });
    const dataset = await other.dataset(jsonl(list.slice(0, 2)));
    await other.endpoint('http://127.0.0.1:9/v1');
    const going = await other.start({ datasetId: dataset.id });
    const waiting = await other.tryMutate('regradeRun', { runId: going }, 'run { id }');
    expect(waiting.userErrors[0]).toMatchObject({ code: 'CONFLICT' });
    await other.mutate('cancelRun', { runId: going }, 'run { id }');
    const empty = await other.tryMutate('regradeRun', { runId: going }, 'run { id }');
    expect(empty.userErrors[0]).toMatchObject({ code: 'INVALID_INPUT', path: ['runId'] });
  });

  it('keeps conversations without a reply as failed, asks for none on retry, and counts them in the coverage', async () => {
    const { db } = assay.services;
    const dataset = (await team.run(firstId, 'dataset { id }')).dataset.id;
    const runId = await team.start({ datasetId: dataset, sample: { method: 'FIRST', size: 5 }, name: 'partial' });
    await team.watch(runId);
    // A run that was cancelled between two replies leaves this behind.
    const key = Buffer.from(runId, 'base64url').toString().split(':')[1] as string;
    await db.reply.deleteMany({ where: { runId: key, ordinal: 3 } });
    const again = await regrade({ runId });
    await team.watch(again);
    const selection = `status score { n coverage } progress { conversationsFailed }
      conversations(first: 9, filter: { status: [FAILED] }) { nodes { ordinal reason message } }`;
    const run = await team.run(again, selection);
    expect(run).toMatchObject({ status: 'COMPLETED', score: { n: 4, coverage: 0.8 } });
    expect(run.conversations.nodes).toEqual([
      { ordinal: 3, reason: 'no_reply', message: 'The first run has no reply: it ended before.' },
    ]);
    const { userErrors } = await team.tryMutate('retryRun', { runId: again }, 'run { status }');
    expect(userErrors[0].message).toContain('Nothing in this run');
    expect(await team.run(again, 'status progress { conversationsFailed }')).toEqual({
      status: 'COMPLETED',
      progress: { conversationsFailed: 1 },
    });
  });

  it('outlives the run whose replies it grades, still asks for no reply and can be graded anew', async () => {
    const dataset = (await team.run(firstId, 'dataset { id }')).dataset.id;
    const runId = await team.start({ datasetId: dataset, sample: { method: 'FIRST', size: 3 }, name: 'gone soon' });
    await team.watch(runId);
    const key = Buffer.from(runId, 'base64url').toString().split(':')[1] as string;
    await assay.services.db.reply.deleteMany({ where: { runId: key, ordinal: 2 } });
    const first = await regrade({ runId, grader: { model: 'one-judge' } });
    await team.watch(first);
    await team.mutate('deleteRun', { runId }, 'deleted { kind }');
    const { userErrors } = await team.tryMutate('retryRun', { runId: first }, 'run { status }');
    expect(userErrors).toMatchObject([
      { message: expect.stringMatching(/^Nothing in this run is ungraded or failed/) },
    ]);
    expect(await team.run(first, 'status regradeOf { id } agreement { n }')).toEqual({
      status: 'COMPLETED',
      regradeOf: null,
      agreement: null,
    });
    const second = await regrade({ runId: first, grader: { model: 'two-judge' } });
    await team.watch(second);
    const query =
      'query ($a: ID!, $b: ID!) { compareRuns(baselineId: $a, candidateId: $b) { sameReplies agreement { rate } } }';
    const { compareRuns } = await team.query(query, { a: first, b: second });
    expect(compareRuns).toEqual({ sameReplies: true, agreement: { rate: expect.any(Number) } });
  });

  it('asked the model under test once for each reply of the four first runs, whatever was graded since', () => {
    const asked = provider.stats().log.filter(({ kind }) => kind === 'reply');
    expect(asked).toHaveLength(40 + 2 + 5 + 3);
  });
});

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type SimulatedProvider, startSimulatedProvider } from '../src/simulator/simulatedProvider.js';
import { Assay, type Data, type Team } from './support/assay.js';
import { conversations, jsonl } from './support/dataset.js';
import { expectedVerdicts, SEED } from './support/expected.js';

const list = conversations(12);
const PROFESSIONAL = Array.from({ length: 3 }, (_, i) =>
  JSON.stringify({
    id: `case-${i}`,
    conversation: { messages: [{ role: 'user', content: `An invented case, number ${i}` }] },
    rubric_items: [{ criterion_text: 'Names the invented syndrome', points: 6 }],
    use_case: 'consult',
    type: 'good_faith',
    difficulty: 'typical',
    specialty: 'ent',
  }),
).join('\n');
const PRESET = { model: 'gpt-5.4-2026-03-05', reasoningEffort: 'low' };

describe('the score of a run', () => {
  let assay: Assay;
  let team: Team;
  let provider: SimulatedProvider;
  let datasetId: string;
  let professionalId: string;

  beforeAll(async () => {
    provider = await startSimulatedProvider({ seed: SEED });
    assay = await Assay.start();
    team = await assay.team();
    await team.endpoint(provider.url, { maxConcurrency: 64 });
    datasetId = (await team.dataset(jsonl(list))).id;
    professionalId = (await team.dataset(PROFESSIONAL, 'professional')).id;
  });
  afterAll(async () => {
    await assay.close();
    await provider.close();
  });

  const completed = async (input: Data, selection: string) => {
    const runId = await team.start({ datasetId, ...input });
    await team.watch(runId);
    return team.run(runId, selection);
  };
  const refused = async (input: Data) => {
    const { userErrors, run } = await team.tryMutate('startRun', { datasetId, ...input }, 'run { id }');
    expect(run).toBeNull();
    return userErrors[0];
  };

  describe('adjusted for length', () => {
    it('is null with the reason where no constants belong to the dataset', async () => {
      const run = await completed(
        {},
        `scoring { profile version headline lengthRule { variant } notComparable deviations }
         score { lengthAdjusted lengthAdjustedUnavailableReason lengthAdjustment { value } headline }`,
      );
      expect(run.scoring).toEqual({
        profile: 'healthbench',
        version: 1,
        headline: 'RAW',
        lengthRule: null,
        notComparable: false,
        deviations: [],
      });
      expect(run.score).toEqual({
        lengthAdjusted: null,
        lengthAdjustment: null,
        lengthAdjustedUnavailableReason: expect.stringContaining('No published length constants'),
        headline: 'RAW',
      });
    });

    it('stands beside the raw score, computed from the stored replies', async () => {
      const run = await completed(
        { scoringProfile: 'healthbench-length-adjusted', scoring: { lengthVariant: 'HARD' } },
        `score { value lengthAdjusted headline lengthAdjusted lengthAdjustment {
           value unclippedMean standardError bootstrapStd interval { low high method } rule { variant centre penaltyPer500 } } }
         conversations { nodes { score reply { text } } }`,
      );
      const nodes: { score: number; reply: { text: string } }[] = run.conversations.nodes;
      const mean = (values: number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;
      const adjusted = mean(nodes.map(({ score, reply }) => score - 0.0392 * (([...reply.text].length - 2000) / 500)));
      expect(run.score.value).toBeCloseTo(mean(nodes.map(({ score }) => score)), 9);
      expect(run.score.headline).toBe('LENGTH_ADJUSTED');
      expect(run.score.lengthAdjustment.unclippedMean).toBeCloseTo(adjusted, 9);
      expect(run.score.lengthAdjusted).toBe(run.score.lengthAdjustment.value);
      expect(run.score.lengthAdjustment).toMatchObject({
        rule: { variant: 'HARD', centre: 2000, penaltyPer500: 0.0392 },
        interval: { method: 'CLUSTERED_BOOTSTRAP' },
      });
    });

    it.each([
      [{ scoringProfile: 'healthbench-length-adjusted' }, 'scoring.lengthVariant'],
      [{ scoring: { lengthCentre: 2000 } }, 'scoring.lengthPenaltyPer500'],
      [{ scoring: { lengthPenaltyPer500: 0.01 } }, 'scoring.lengthCentre'],
      [{ scoring: { lengthCentre: -1, lengthPenaltyPer500: 0.01 } }, 'scoring.lengthCentre'],
      [{ scoring: { lengthCentre: 1, lengthPenaltyPer500: 0.1, lengthVariant: 'MAIN' } }, 'scoring.lengthVariant'],
    ])('refuses %j', async (input, path) => {
      expect((await refused(input)).path.join('.')).toBe(path);
    });
  });

  describe('of HealthBench Professional', () => {
    const professional = (grader: Data, more: Data = {}) => ({
      datasetId: professionalId,
      scoringProfile: 'healthbench-professional',
      grader,
      ...more,
    });

    it('is one setting: grader, effort and constants of the preset are taken together', async () => {
      const run = await completed(
        professional(PRESET),
        `grader { model reasoningEffort temperature systemMessage } warnings { code }
         scoring { lengthRule { variant } deviations } score { headline lengthAdjusted }`,
      );
      expect(run.grader).toEqual({ ...PRESET, temperature: null, systemMessage: null });
      expect(run.scoring).toEqual({ lengthRule: { variant: 'PROFESSIONAL' }, deviations: [] });
      expect(run.score).toEqual({ headline: 'LENGTH_ADJUSTED', lengthAdjusted: expect.any(Number) });
      expect(run.warnings.map((warning: Data) => warning.code)).not.toContain('OFF_PRESET');
    });

    it.each<[Data, Data, string]>([
      [{}, {}, 'grader.model'],
      [{ model: PRESET.model }, {}, 'grader.reasoningEffort'],
      [{ ...PRESET, temperature: 0.5 }, {}, 'grader.temperature'],
      [{ ...PRESET, systemMessage: 'Be strict.' }, {}, 'grader.systemMessage'],
      [PRESET, { lengthCentre: 2000, lengthPenaltyPer500: 0.02 }, 'scoring'],
      [PRESET, { lengthVariant: 'MAIN' }, 'scoring.lengthVariant'],
    ])('refuses a part of it: grader %j, scoring %j', async (grader, scoring, path) => {
      const error = await refused(professional(grader, { scoring }));
      expect(error.path.join('.')).toBe(path);
      expect(error.message).toContain('notComparable');
    });

    it('refuses another dataset', async () => {
      expect((await refused(professional(PRESET, { datasetId }))).path).toEqual(['datasetId']);
    });

    it('is marked where it is deliberately not comparable', async () => {
      const input = professional({ model: 'another-grader' }, { scoring: { notComparable: true } });
      const run = await completed(input, 'scoring { notComparable deviations } warnings { code message }');
      expect(run.scoring).toMatchObject({ notComparable: true, deviations: [expect.any(String), expect.any(String)] });
      const warning = run.warnings.find((one: Data) => one.code === 'OFF_PRESET');
      expect(warning.message).toContain('another-grader');
    });
  });

  it('has what the repeats say about chance', async () => {
    const { score } = await completed(
      { repeats: 3 },
      `score { n conversations bootstrapStd standardError smallestDifference repeats { perRepeat { repeat value n } spread
         conversations worstAtK { k value } flips { differing pairs rate } } conversationsNeeded(difference: 0.02)
         half: conversationsNeeded(difference: 0.01) }`,
    );
    expect(score).toMatchObject({ n: 36, conversations: 12 });
    const { repeats } = score;
    expect(repeats.perRepeat.map((one: Data) => [one.repeat, one.n])).toEqual([
      [1, 12],
      [2, 12],
      [3, 12],
    ]);
    expect(repeats.conversations).toBe(12);
    const worst = repeats.worstAtK.map((one: Data) => one.value);
    expect(worst).toEqual([...worst].sort((a, b) => b - a));
    const criteria = list.reduce((sum, one) => sum + one.criteria.length, 0);
    expect(repeats.flips.pairs).toBe(3 * criteria);
    expect(score.smallestDifference).toBeGreaterThan(score.standardError * 2.8);
    expect(score.half / score.conversationsNeeded).toBeCloseTo(4, 0);
  });

  it('has hit rates by tag and by criterion, and a reason where there is nothing negative', async () => {
    const run = await completed(
      {},
      `id positiveCriteria { met graded } negativeCriteria { met graded rate rateUnavailableReason }
       tagScores { tag n value interval { low high } positiveCriteria { met graded } negativeCriteria { met graded rate rateUnavailableReason } }`,
    );
    const level = run.tagScores.find((one: Data) => one.tag === 'level:example');
    expect(level.positiveCriteria).toEqual(run.positiveCriteria);
    expect(level.negativeCriteria).toEqual(run.negativeCriteria);
    expect(level.interval.low).toBeLessThanOrEqual(level.value);
    const { conversations: page } = await team.run(
      run.id,
      `conversations(first: 3) { nodes { conversation { criterionHitRates(runId: "${run.id}") {
         criterion { no points } hitRate { met graded rate } } } } }`,
    );
    page.nodes.forEach((node: Data, i: number) => {
      const met = node.conversation.criterionHitRates.map((one: Data) => one.hitRate.met === 1);
      expect(met).toEqual(expectedVerdicts(list[i] as (typeof list)[number], 'test-model', 'test-grader'));
    });
    const professional = await completed(
      { datasetId: professionalId },
      'negativeCriteria { met graded rate rateUnavailableReason }',
    );
    expect(professional.negativeCriteria).toEqual({
      met: 0,
      graded: 0,
      rate: null,
      rateUnavailableReason: 'There is no criterion with negative points.',
    });
  });

  it('carries its warnings', async () => {
    const codes = async (input: Data) =>
      (await completed(input, 'warnings { code message }')).warnings.map((one: Data) => one.code);
    expect(await codes({})).toEqual(['TINY_SAMPLE']);
    expect(await codes({ grader: { model: 'test-model' } })).toEqual(['SELF_GRADED', 'TINY_SAMPLE']);
    const text = 'Judge: {prompt} / {completion} / {criterion}. Answer as JSON with explanation and criteria_met.';
    const made = await team.mutate('createGraderTemplate', { name: 'short', text }, 'graderTemplate { id }');
    expect(await codes({ grader: { templateId: made.graderTemplate.id } })).toEqual([
      'TINY_SAMPLE',
      'UNRECOGNISED_GRADER_PROMPT',
    ]);
  });

  it('stands beside published numbers only where all conditions are the same, and says what differs', async () => {
    const { publishedResults } = await team.query(
      '{ publishedResults(variant: MAIN) { id model value grader source trust headline } }',
    );
    expect(publishedResults).toContainEqual(expect.objectContaining({ model: 'o3', value: 0.599, grader: 'gpt-4.1' }));
    const run = await completed(
      {},
      `publishedResults { comparable }
       all: publishedResults(comparableOnly: false) { comparable result { model } differences { part published run } }`,
    );
    expect(run.publishedResults).toEqual([]);
    expect(run.all.every((one: Data) => !one.comparable)).toBe(true);
    expect(run.all[0].differences).toContainEqual({
      part: 'dataset',
      published: expect.any(String),
      run: 'not an official file',
    });
  });
});

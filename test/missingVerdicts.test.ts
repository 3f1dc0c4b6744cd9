import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { deleteRunDetails } from '../src/lifecycle/deleteDetails.js';
import { type SimulatedProvider, startSimulatedProvider } from '../src/simulator/simulatedProvider.js';
import { Assay, type Data, type Team } from './support/assay.js';
import { conversations, jsonl } from './support/dataset.js';
import { SEED } from './support/expected.js';

describe('a run with missing verdicts', () => {
  it('keeps its score over what is fully graded, and bounds it over everything', async () => {
    const provider = await startSimulatedProvider({ seed: SEED, failMalformed: 0.55 });
    const assay = await Assay.start();
    try {
      const team = await assay.team();
      await team.endpoint(provider.url, { maxConcurrency: 64 });
      const dataset = await team.dataset(jsonl(conversations(15)));
      const runId = await team.start({ datasetId: dataset.id });
      await team.watch(runId);
      const run = await team.run(
        runId,
        `status progress { conversationsScored conversationsFailed conversationsUngraded criteriaGraded criteriaUngraded }
         score { value n coverage criteriaCoverage lowerBound upperBound } warnings { code message }
         missingReasons { missing reason conversations criteria message }
         tagScores { tag positiveCriteria { graded } negativeCriteria { graded } }`,
      );
      const { score, progress } = run;
      expect(run.status).toBe('COMPLETED');
      expect(progress.conversationsUngraded + progress.conversationsFailed).toBeGreaterThan(0);
      expect(score.coverage).toBe(progress.conversationsScored / 15);
      expect(score.lowerBound).toBeLessThan(score.upperBound);
      expect(score.lowerBound).toBeLessThanOrEqual(score.value);
      expect(run.warnings.map((one: Data) => one.code)).toContain('INCOMPLETE_COVERAGE');
      expect(sumOf(run.missingReasons, 'VERDICT', 'criteria')).toBe(progress.criteriaUngraded);
      expect(run.missingReasons).toContainEqual({
        missing: 'VERDICT',
        reason: 'truncated',
        conversations: expect.any(Number),
        criteria: expect.any(Number),
        message: expect.any(String),
      });
      // Verdicts of conversations that could not be scored still count as hits.
      const level = run.tagScores.find((one: Data) => one.tag === 'level:example');
      expect(level.positiveCriteria.graded + level.negativeCriteria.graded).toBe(progress.criteriaGraded);
      const { teamId, id } = await assay.services.db.run.findFirstOrThrow();
      await deleteRunDetails(assay.services.db, { teamId, runId: id }, async () => {});
      const left = (await team.run(runId, 'missingReasons { missing conversations criteria message }')).missingReasons;
      expect(sumOf(left, 'VERDICT', 'conversations')).toBe(progress.conversationsUngraded);
      expect(left).toContainEqual(expect.objectContaining({ missing: 'VERDICT', criteria: null, message: null }));
    } finally {
      await assay.close();
      await provider.close();
    }
  }, 120_000);
});

describe('what is missing in a run', () => {
  let assay: Assay;
  let team: Team;
  let provider: SimulatedProvider;
  let datasetId: string;
  const WHY = 'missingReasons { missing reason conversations criteria message } progress { criteriaTotal }';

  beforeAll(async () => {
    provider = await startSimulatedProvider({ seed: SEED, failEmpty: 1 });
    assay = await Assay.start({ workers: false });
    team = await assay.team();
    await team.endpoint(provider.url);
    datasetId = (await team.dataset(jsonl(conversations(6)))).id;
  });
  afterAll(async () => {
    await assay.close();
    await provider.close();
  });

  it('is nothing as long as a run goes on, and everything with the reason when it is cancelled', async () => {
    const runId = await team.start({ datasetId });
    expect((await team.run(runId, WHY)).missingReasons).toEqual([]);
    await team.mutate('cancelRun', { runId }, 'run { status }');
    const { missingReasons, progress } = await team.run(runId, WHY);
    expect(missingReasons).toEqual([
      { missing: 'REPLY', reason: 'run_cancelled', conversations: 6, criteria: progress.criteriaTotal, message: null },
    ]);
  });

  it('is said by reason for replies that could not be had', async () => {
    assay.startWorkers();
    const runId = await team.start({ datasetId });
    await team.watch(runId);
    const { missingReasons, progress } = await team.run(runId, WHY);
    expect(missingReasons).toEqual([
      {
        missing: 'REPLY',
        reason: 'empty',
        conversations: 6,
        criteria: progress.criteriaTotal,
        message: expect.any(String),
      },
    ]);
  });
});

const sumOf = (reasons: Data[], missing: string, field: string): number =>
  reasons.filter((one) => one.missing === missing).reduce((sum, one) => sum + one[field], 0);

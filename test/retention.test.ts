import { describe, expect, it } from '@jest/globals';
import { sendDueRetention } from '../src/lifecycle/retention.js';
import type { Data } from './support/assay.js';
import { jsonl } from './support/dataset.js';
import { eventually, Household, SMALL } from './support/household.js';

describe('retention', () => {
  const household = Household.here();
  /** As if they had ended so many days ago. */
  const age = async (runId: string, days: number) => {
    const id = Buffer.from(runId, 'base64url').toString().split(':')[1];
    await household.assay.services.db.$executeRaw`
      UPDATE run SET finished_at = now() - ${days}::int * interval '1 day' WHERE id = ${id}::uuid`;
  };
  const RETENTION = 'retention { deleteRunsAfterDays keepAggregates lastAppliedAt expiredRuns }';

  it('deletes the runs that are older than the team wants, by a job, and writes each down', async () => {
    const team = await household.newTeam();
    const { id } = await team.dataset(jsonl(SMALL));
    const [old, young] = [await household.finished(team, 'old', id), await household.finished(team, 'young', id)];
    await age(old, 31);
    await age(young, 29);
    const set = await team.mutate('updateRetention', { deleteRunsAfterDays: 30 }, RETENTION);
    expect(set.retention).toMatchObject({ deleteRunsAfterDays: 30, keepAggregates: false, expiredRuns: 1 });
    const wrong = await team.tryMutate('applyRetention', { deleteRunsAfterDays: 3 }, RETENTION);
    expect(wrong.userErrors).toMatchObject([{ code: 'INVALID_INPUT' }]);
    await team.mutate('applyRetention', { deleteRunsAfterDays: 30 }, RETENTION);
    await eventually(async () => (await team.run(old, 'id')) === null);
    expect((await team.run(young, 'status')).status).toBe('COMPLETED');
    const events = await team.query(`{ auditEvents(filter: { action: "deleteRun" }) {
      nodes { actorKind actorName subjectName details { name value } } } }`);
    expect(events.auditEvents.nodes).toMatchObject([
      { actorKind: 'SYSTEM', actorName: 'retention', subjectName: 'old' },
    ]);
    expect(await household.orphans()).toEqual([]);
  });

  it('keeps the numbers and deletes the texts, where asked to', async () => {
    const team = await household.newTeam();
    const runId = await household.finished(team);
    const NUMBERS = `score { value n interval { low high } } tagScores { tag value n } histogram { count }
      positiveCriteria { met graded rate } progress { criteriaDone conversationsScored }
      conversations { nodes { score } } usage { grader { calls } }`;
    const before = await team.run(runId, NUMBERS);
    await age(runId, 10);
    await team.mutate('updateRetention', { deleteRunsAfterDays: 7, keepAggregates: true }, RETENTION);
    await team.mutate('applyRetention', { deleteRunsAfterDays: 7 }, RETENTION);
    await eventually(async () => (await team.run(runId, 'detailsDeletedAt')).detailsDeletedAt !== null);
    expect(await team.run(runId, NUMBERS)).toEqual(before);
    const left = await team.run(
      runId,
      'verdicts { totalCount } conversations { nodes { reply { text } results { verdict { explanation } } } }',
    );
    expect(left.verdicts.totalCount).toBe(0);
    expect(JSON.stringify(left.conversations)).not.toMatch(/"text":"|"explanation":"/);
    expect((await team.query(`{ ${RETENTION} }`)).retention.expiredRuns).toBe(0);
    await household.assay.services.db.$executeRaw`UPDATE run SET status = 'COMPLETED'`;
    const retried = await team.tryMutate('retryRun', { runId }, 'run { id }');
    expect(retried.userErrors).toMatchObject([{ code: 'CONFLICT' }]);
    expect(await team.watch(runId)).toMatchObject([{ verdicts: [], runStatus: 'COMPLETED' }]);
  });

  it('says of a run without its texts what cannot be had any more, and gives the rest', async () => {
    const team = await household.newTeam();
    const { id } = await team.dataset(jsonl(SMALL));
    const [old, young] = [await household.finished(team, 'old', id), await household.finished(team, 'young', id)];
    const { run: copy } = await team.mutate('regradeRun', { runId: old }, 'run { id }');
    await team.watch(copy.id);
    await age(old, 10);
    await team.mutate('updateRetention', { deleteRunsAfterDays: 7, keepAggregates: true }, RETENTION);
    await team.mutate('applyRetention', { deleteRunsAfterDays: 7 }, RETENTION);
    await eventually(async () => (await team.run(old, 'detailsDeletedAt')).detailsDeletedAt !== null);
    const get = (query: string) =>
      fetch(`${household.assay.server.url}/runs/${old}/export?${query}`, {
        headers: { authorization: `Bearer ${team.key}` },
      });
    for (const gone of [
      'format=csv',
      'table=verdicts&format=parquet',
      'format=simple-evals',
      'format=harness-results',
    ]) {
      const response = await get(gone);
      const { error } = (await response.json()) as Data;
      expect([gone, response.status, error.code]).toEqual([gone, 409, 'CONFLICT']);
      expect(error.message).toMatch(/deleted on 20\d\d-\d\d-\d\d, its numbers are left: take table=conversations/);
    }
    for (const [table, rows] of [
      ['conversations', 4],
      ['runs', 1],
    ] as const) {
      const response = await get(`table=${table}&format=jsonl`);
      expect((await response.text()).trim().split('\n')).toHaveLength(rows);
    }
    const refused = await team.tryMutate('regradeRun', { runId: old }, 'run { id }');
    expect(refused.userErrors).toMatchObject([{ code: 'CONFLICT', path: ['runId'] }]);
    // The regrade has copies of the replies.
    const again = await team.mutate('regradeRun', { runId: copy.id }, 'run { id }');
    await team.watch(again.run.id);
    expect((await team.run(again.run.id, 'status')).status).toBe('COMPLETED');
    const { compareRuns } = await team.query(
      `query ($a: ID!, $b: ID!) { compareRuns(baselineId: $a, candidateId: $b) {
        warnings { code } overall { n difference } flips { totalCount } verdictChanges { compared } } }`,
      { a: old, b: young },
    );
    expect(compareRuns.overall).toMatchObject({ n: 4 });
    expect(compareRuns.warnings.map(({ code }: Data) => code)).toContain('DETAILS_DELETED');
    expect(compareRuns.verdictChanges.compared).toBe(0);
  });

  it('is due once a day, first a day after it was set', async () => {
    const team = await household.newTeam();
    const runId = await household.finished(team);
    await age(runId, 10);
    await team.mutate('updateRetention', { deleteRunsAfterDays: 7 }, RETENTION);
    await sendDueRetention(household.assay.services);
    expect((await team.run(runId, 'status')).status).toBe('COMPLETED');
    await household.assay.services.db.$executeRaw`UPDATE team SET retention_applied_at = now() - interval '25 hours'
      WHERE delete_runs_after_days IS NOT NULL`;
    await sendDueRetention(household.assay.services);
    await eventually(async () => (await team.run(runId, 'id')) === null);
    await eventually(async () => {
      const { retention } = await team.query(`{ ${RETENTION} }`);
      return Date.now() - Date.parse(retention.lastAppliedAt) < 60_000;
    });
  });

  it('refuses a time that makes no sense, and nothing without one', async () => {
    const team = await household.newTeam();
    for (const deleteRunsAfterDays of [0, -1, 100_000]) {
      const payload = await team.tryMutate('updateRetention', { deleteRunsAfterDays }, RETENTION);
      expect(payload.userErrors).toMatchObject([{ code: 'INVALID_INPUT', path: ['deleteRunsAfterDays'] }]);
    }
    const payload = await team.tryMutate('applyRetention', { deleteRunsAfterDays: 1 }, RETENTION);
    expect(payload.userErrors).toMatchObject([{ code: 'INVALID_INPUT' }]);
  });
});

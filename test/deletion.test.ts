import { describe, expect, it } from '@jest/globals';
import type { Data } from './support/assay.js';
import { conversations, jsonl } from './support/dataset.js';
import { CRITERIA, counts, DELETED, eventually, Household, SMALL } from './support/household.js';

describe('deleting', () => {
  const household = Household.here();

  describe('deleting a run', () => {
    it('takes along all that hangs on it, and says how much', async () => {
      const team = await household.newTeam();
      const [gone, stays] = [await household.finished(team, 'gone'), await household.finished(team, 'stays')];
      const deleted = counts(await team.mutate('deleteRun', { runId: gone }, DELETED));
      expect(deleted).toMatchObject({ run: 1, runConversation: 4, reply: 4, criterionVerdict: CRITERIA, runScore: 1 });
      expect(await team.run(gone, 'id')).toBeNull();
      expect((await team.run(stays, 'verdicts { totalCount }')).verdicts.totalCount).toBe(CRITERIA);
      expect(await household.orphans()).toEqual([]);
      const again = await team.tryMutate('deleteRun', { runId: gone }, DELETED);
      expect(again).toMatchObject({ deleted: [], userErrors: [{ code: 'NOT_FOUND', path: ['runId'] }] });
      const { nodes } = (
        await team.query(
          '{ auditEvents(filter: { action: "deleteRun", outcome: DONE }) { nodes { subjectId subjectName details { name value } } } }',
        )
      ).auditEvents;
      expect(nodes).toMatchObject([{ subjectId: gone, subjectName: 'gone' }]);
      expect(nodes[0].details).toContainEqual({ name: 'criterionVerdict', value: String(CRITERIA) });
    });

    it('that goes on cancels it first: workers stop, nothing is left over, nothing loops', async () => {
      const team = await household.assay.team();
      await team.endpoint(household.slow.url, { maxConcurrency: 16 });
      const { id: datasetId } = await team.dataset(jsonl(conversations(60)));
      for (let round = 0; round < 3; round += 1) {
        const runId = await team.start({ datasetId });
        await eventually(async () => (await team.run(runId, 'progress { criteriaDone }')).progress.criteriaDone > 5);
        const deleted = counts(await team.mutate('deleteRun', { runId }, DELETED));
        expect(deleted).toMatchObject({ run: 1, runConversation: 60 });
        expect(deleted.criterionVerdict).toBeGreaterThan(5);
        const calls = household.slow.stats().calls;
        await new Promise((resolve) => setTimeout(resolve, 700));
        expect(household.slow.stats().calls).toBe(calls);
        expect(await household.orphans()).toEqual([]);
      }
      const failed = await household.assay.services.db.$queryRaw<{ n: number }[]>`
        SELECT count(*)::int AS n FROM pgboss.job WHERE state IN ('failed', 'retry')`;
      expect(failed).toEqual([{ n: 0 }]);
      expect((await team.query('{ runs { totalCount } }')).runs.totalCount).toBe(0);
    }, 60_000);

    it('ends the streams of those who watch it', async () => {
      const team = await household.assay.team();
      await team.endpoint(household.slow.url, { maxConcurrency: 4 });
      const runId = await team.start({ datasetId: (await team.dataset(jsonl(conversations(30)))).id });
      const watching = team.watch(runId).then(
        (batches) => batches.at(-1)?.runStatus,
        (error) => error.message,
      );
      await eventually(async () => (await team.run(runId, 'status')).status === 'RUNNING');
      const events = fetch(`${household.assay.server.url}/runs/${runId}/events`, {
        headers: { authorization: `Bearer ${team.key}` },
      }).then((response) => response.text());
      await team.mutate('deleteRun', { runId }, DELETED);
      expect(await watching).toMatch(/CANCELLED|NOT_FOUND|not found/);
      expect(await events).toMatch(/event: end\n|event: closed\ndata: {"code":4404,|"code":"NOT_FOUND"/);
    });

    it('disturbs nobody who reads it at that moment', async () => {
      const team = await household.newTeam();
      const { id: datasetId } = await team.dataset(jsonl(SMALL));
      const QUERY = `{ runs(first: 5) { nodes { id status progress { criteriaTotal } dataset { name }
        conversations(first: 10) { nodes { promptId results { verdict { explanation } } } } verdicts(first: 20) { nodes { runConversation { ordinal } } } } } }`;
      for (let round = 0; round < 4; round += 1) {
        const runId = await team.start({ datasetId });
        let going = true;
        const codes = new Set<string>();
        const reading = Array.from({ length: 4 }, async () => {
          while (going) {
            const { errors = [] } = await household.assay.graphql(QUERY, {}, team.key);
            for (const { extensions } of errors) codes.add(extensions.code);
          }
        });
        await eventually(async () => (await team.run(runId, 'progress { criteriaDone }')).progress.criteriaDone > 5);
        await team.mutate('deleteRun', { runId }, DELETED);
        going = false;
        await Promise.all(reading);
        expect([...codes].filter((code) => code !== 'NOT_FOUND')).toEqual([]);
      }
    });

    it('is for admins, and reaches no run of another team', async () => {
      const [team, stranger] = [await household.newTeam(), await household.newTeam()];
      const runId = await household.finished(team);
      const { secret } = await team.mutate('createApiKey', { name: 'r', role: 'RUNNER' }, 'secret');
      const query = `mutation ($input: DeleteRunInput!) { deleteRun(input: $input) { deleted { kind } userErrors { code } } }`;
      const asRunner = await household.assay.graphql(query, { input: { runId } }, secret);
      expect(asRunner.errors?.[0]?.extensions.code).toBe('FORBIDDEN');
      const asStranger = await household.assay.graphql(query, { input: { runId } }, stranger.key);
      expect(asStranger.data?.deleteRun).toEqual({ deleted: [], userErrors: [{ code: 'NOT_FOUND' }] });
      expect((await team.run(runId, 'status')).status).toBe('COMPLETED');
    });

    it.each(['CREATED_AT_DESC', 'CREATED_AT_ASC', 'NAME_ASC'])(
      'that a cursor points to disturbs no page (%s)',
      async (orderBy) => {
        const team = await household.newTeam();
        const { id: datasetId } = await team.dataset(jsonl(SMALL));
        for (const name of ['a', 'b', 'c', 'd', 'e']) await team.start({ datasetId, name });
        const query = `query ($after: String) { runs(first: 2, after: $after, orderBy: ${orderBy}) {
          nodes { id name } pageInfo { endCursor } } }`;
        const first = (await team.query(query)).runs;
        await team.mutate('deleteRun', { runId: first.nodes[1].id }, DELETED);
        const next = (await team.query(query, { after: first.pageInfo.endCursor })).runs;
        const expected = orderBy === 'CREATED_AT_DESC' ? ['c', 'b'] : ['c', 'd'];
        expect(next.nodes.map((run: Data) => run.name)).toEqual(expected);
      },
    );
  });

  describe('deleting a dataset', () => {
    it('says how many rows went', async () => {
      const team = await household.newTeam();
      const { id } = await team.dataset(jsonl(SMALL));
      const payload = await team.mutate('deleteDataset', { datasetId: id }, `${DELETED} dataset { id }`);
      expect(counts(payload)).toEqual({ dataset: 1, conversation: 4, rubricCriterion: CRITERIA });
      expect(payload.dataset).toBeNull();
      expect(await team.query('query ($id: ID!) { dataset(id: $id) { id } }', { id })).toEqual({ dataset: null });
      expect((await team.mutate('importDataset', { name: 'again', jsonl: jsonl(SMALL) }, 'created')).created).toBe(
        true,
      );
    });

    it('is refused with the names of the runs that refer to it', async () => {
      const team = await household.newTeam();
      const { id: datasetId } = await team.dataset(jsonl(SMALL));
      for (let i = 1; i <= 12; i += 1) await team.start({ datasetId, name: `run ${i}` });
      const refused = await team.tryMutate('deleteDataset', { datasetId }, DELETED);
      expect(refused.deleted).toEqual([]);
      expect(refused.userErrors).toMatchObject([{ code: 'CONFLICT', path: ['datasetId'] }]);
      expect(refused.userErrors[0].message).toMatch(/^12 runs refer to this dataset: “run 12”, .*“run 3” and 2 more\./);
    });

    it('with archive: true only takes it out of the list; its runs keep it, and it can be put back', async () => {
      const team = await household.newTeam();
      const { id: datasetId } = await team.dataset(jsonl(SMALL), 'kept');
      const runId = await household.finished(team, 'run', datasetId);
      const list = async (archived = false) =>
        (
          await team.query('query ($a: Boolean) { datasets(archived: $a) { totalCount nodes { id } } }', {
            a: archived,
          })
        ).datasets;
      await team.mutate('deleteDataset', { datasetId, archive: true }, `${DELETED} dataset { archivedAt }`);
      expect(await list()).toEqual({ totalCount: 0, nodes: [] });
      expect(await list(true)).toEqual({ totalCount: 1, nodes: [{ id: datasetId }] });
      expect((await team.run(runId, 'dataset { name archivedAt }')).dataset).toMatchObject({ name: 'kept' });
      const refused = await team.tryMutate('startRun', { datasetId }, 'run { id }');
      expect(refused.userErrors).toMatchObject([{ code: 'CONFLICT', path: ['datasetId'] }]);
      await team.mutate('archiveDataset', { datasetId, archived: false }, 'dataset { id }');
      expect((await list()).totalCount).toBe(1);
      await team.mutate('archiveDataset', { datasetId }, 'dataset { id }');
      const again = await team.mutate(
        'importDataset',
        { name: 'x', jsonl: jsonl(SMALL) },
        'created dataset { archivedAt }',
      );
      expect(again).toMatchObject({ created: false, dataset: { archivedAt: null } });
    });

    it('against starting a run over it ends with one of the two, never with half of both', async () => {
      const team = await household.newTeam();
      for (let i = 0; i < 8; i += 1) {
        const { id: datasetId } = await team.dataset(jsonl(conversations(3 + i)));
        const [started, deleted] = await Promise.all([
          team.tryMutate('startRun', { datasetId, sample: { size: 1 } }, 'run { id }'),
          team.tryMutate('deleteDataset', { datasetId }, DELETED),
        ]);
        expect((started.run === null) !== (deleted.deleted.length === 0)).toBe(true);
        expect([...started.userErrors, ...deleted.userErrors].map((error: Data) => error.code)).toHaveLength(1);
      }
    });
  });
});

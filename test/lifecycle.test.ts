import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { sendDueRetention } from '../src/lifecycle/retention.js';
import { type SimulatedProvider, startSimulatedProvider } from '../src/simulator/simulatedProvider.js';
import { Assay, type Data, OPERATOR_TOKEN, Team } from './support/assay.js';
import { conversations, jsonl } from './support/dataset.js';

const SMALL = conversations(4);
const CRITERIA = SMALL.reduce((sum, { criteria }) => sum + criteria.length, 0);
const DELETED = 'deleted { kind count }';
const counts = (payload: Data): Data => Object.fromEntries(payload.deleted.map((row: Data) => [row.kind, row.count]));

describe('what a team has', () => {
  let assay: Assay;
  let provider: SimulatedProvider;
  let slow: SimulatedProvider;

  beforeAll(async () => {
    provider = await startSimulatedProvider({ seed: 1, fail500: 0.1 });
    slow = await startSimulatedProvider({ seed: 1, latencyMs: 100 });
    assay = await Assay.start();
  });
  afterAll(async () => {
    await assay.close();
    await provider.close();
    await slow.close();
  });

  const newTeam = async () => {
    const team = await assay.team();
    await team.endpoint(provider.url, { maxConcurrency: 64 });
    return team;
  };
  const finished = async (team: Team, name = 'run', datasetId?: string): Promise<string> => {
    const id = datasetId ?? (await team.dataset(jsonl(SMALL))).id;
    const run = await team.start({ datasetId: id, name });
    await team.watch(run);
    return run;
  };
  /** As if they had ended so many days ago. */
  const age = async (runId: string, days: number) => {
    const id = Buffer.from(runId, 'base64url').toString().split(':')[1];
    await assay.services.db.$executeRaw`
      UPDATE run SET finished_at = now() - ${days}::int * interval '1 day' WHERE id = ${id}::uuid`;
  };
  /** Rows that name a run which is not there, in any table. */
  const orphans = async () => {
    const { db } = assay.services;
    const tables = await db.$queryRaw<{ name: string }[]>`
      SELECT table_name AS name FROM information_schema.columns WHERE table_schema = 'public' AND column_name = 'run_id'`;
    const found: string[] = [];
    for (const { name } of tables) {
      const rows = await db.$queryRawUnsafe<{ n: number }[]>(
        `SELECT count(*)::int AS n FROM ${name} t WHERE NOT EXISTS (SELECT FROM run WHERE run.id = t.run_id)`,
      );
      if (rows[0]?.n !== 0) found.push(name);
    }
    return found;
  };
  const eventually = async (fact: () => Promise<boolean>) => {
    for (let i = 0; !(await fact()); i += 1) {
      if (i === 200) throw new Error('it never became true');
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  };

  describe('deleting a run', () => {
    it('takes along all that hangs on it, and says how much', async () => {
      const team = await newTeam();
      const [gone, stays] = [await finished(team, 'gone'), await finished(team, 'stays')];
      const deleted = counts(await team.mutate('deleteRun', { runId: gone }, DELETED));
      expect(deleted).toMatchObject({ run: 1, runConversation: 4, reply: 4, criterionVerdict: CRITERIA, runScore: 1 });
      expect(await team.run(gone, 'id')).toBeNull();
      expect((await team.run(stays, 'verdicts { totalCount }')).verdicts.totalCount).toBe(CRITERIA);
      expect(await orphans()).toEqual([]);
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
      const team = await assay.team();
      await team.endpoint(slow.url, { maxConcurrency: 16 });
      const { id: datasetId } = await team.dataset(jsonl(conversations(60)));
      for (let round = 0; round < 3; round += 1) {
        const runId = await team.start({ datasetId });
        await eventually(async () => (await team.run(runId, 'progress { criteriaDone }')).progress.criteriaDone > 5);
        const deleted = counts(await team.mutate('deleteRun', { runId }, DELETED));
        expect(deleted).toMatchObject({ run: 1, runConversation: 60 });
        expect(deleted.criterionVerdict).toBeGreaterThan(5);
        const calls = slow.stats().calls;
        await new Promise((resolve) => setTimeout(resolve, 700));
        expect(slow.stats().calls).toBe(calls);
        expect(await orphans()).toEqual([]);
      }
      const failed = await assay.services.db.$queryRaw<{ n: number }[]>`
        SELECT count(*)::int AS n FROM pgboss.job WHERE state IN ('failed', 'retry')`;
      expect(failed).toEqual([{ n: 0 }]);
      expect((await team.query('{ runs { totalCount } }')).runs.totalCount).toBe(0);
    }, 60_000);

    it('ends the streams of those who watch it', async () => {
      const team = await assay.team();
      await team.endpoint(slow.url, { maxConcurrency: 4 });
      const runId = await team.start({ datasetId: (await team.dataset(jsonl(conversations(30)))).id });
      const watching = team.watch(runId).then(
        (batches) => batches.at(-1)?.runStatus,
        (error) => error.message,
      );
      await eventually(async () => (await team.run(runId, 'status')).status === 'RUNNING');
      await team.mutate('deleteRun', { runId }, DELETED);
      expect(await watching).toMatch(/CANCELLED|NOT_FOUND|not found/);
    });

    it('disturbs nobody who reads it at that moment', async () => {
      const team = await newTeam();
      const { id: datasetId } = await team.dataset(jsonl(SMALL));
      const QUERY = `{ runs(first: 5) { nodes { id status progress { criteriaTotal } dataset { name }
        conversations(first: 10) { nodes { promptId results { verdict { explanation } } } } verdicts(first: 20) { nodes { runConversation { ordinal } } } } } }`;
      for (let round = 0; round < 4; round += 1) {
        const runId = await team.start({ datasetId });
        let going = true;
        const codes = new Set<string>();
        const reading = Array.from({ length: 4 }, async () => {
          while (going) {
            const { errors = [] } = await assay.graphql(QUERY, {}, team.key);
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
      const [team, stranger] = [await newTeam(), await newTeam()];
      const runId = await finished(team);
      const { secret } = await team.mutate('createApiKey', { name: 'r', role: 'RUNNER' }, 'secret');
      const query = `mutation ($input: DeleteRunInput!) { deleteRun(input: $input) { deleted { kind } userErrors { code } } }`;
      const asRunner = await assay.graphql(query, { input: { runId } }, secret);
      expect(asRunner.errors?.[0]?.extensions.code).toBe('FORBIDDEN');
      const asStranger = await assay.graphql(query, { input: { runId } }, stranger.key);
      expect(asStranger.data?.deleteRun).toEqual({ deleted: [], userErrors: [{ code: 'NOT_FOUND' }] });
      expect((await team.run(runId, 'status')).status).toBe('COMPLETED');
    });

    it.each(['CREATED_AT_DESC', 'CREATED_AT_ASC', 'NAME_ASC'])(
      'that a cursor points to disturbs no page (%s)',
      async (orderBy) => {
        const team = await newTeam();
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
      const team = await newTeam();
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
      const team = await newTeam();
      const { id: datasetId } = await team.dataset(jsonl(SMALL));
      for (let i = 1; i <= 12; i += 1) await team.start({ datasetId, name: `run ${i}` });
      const refused = await team.tryMutate('deleteDataset', { datasetId }, DELETED);
      expect(refused.deleted).toEqual([]);
      expect(refused.userErrors).toMatchObject([{ code: 'CONFLICT', path: ['datasetId'] }]);
      expect(refused.userErrors[0].message).toMatch(/^12 runs refer to this dataset: “run 12”, .*“run 3” and 2 more\./);
    });

    it('with archive: true only takes it out of the list; its runs keep it, and it can be put back', async () => {
      const team = await newTeam();
      const { id: datasetId } = await team.dataset(jsonl(SMALL), 'kept');
      const runId = await finished(team, 'run', datasetId);
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
      const team = await newTeam();
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

  describe('retention', () => {
    const RETENTION = 'retention { deleteRunsAfterDays keepAggregates lastAppliedAt expiredRuns }';

    it('deletes the runs that are older than the team wants, by a job, and writes each down', async () => {
      const team = await newTeam();
      const { id } = await team.dataset(jsonl(SMALL));
      const [old, young] = [await finished(team, 'old', id), await finished(team, 'young', id)];
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
      expect(await orphans()).toEqual([]);
    });

    it('keeps the numbers and deletes the texts, where asked to', async () => {
      const team = await newTeam();
      const runId = await finished(team);
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
      await assay.services.db.$executeRaw`UPDATE run SET status = 'COMPLETED'`;
      const retried = await team.tryMutate('retryRun', { runId }, 'run { id }');
      expect(retried.userErrors).toMatchObject([{ code: 'CONFLICT' }]);
      expect(await team.watch(runId)).toMatchObject([{ verdicts: [], runStatus: 'COMPLETED' }]);
    });

    it('is due once a day, first a day after it was set', async () => {
      const team = await newTeam();
      const runId = await finished(team);
      await age(runId, 10);
      await team.mutate('updateRetention', { deleteRunsAfterDays: 7 }, RETENTION);
      await sendDueRetention({ ...assay.services, db: assay.services.db });
      expect((await team.run(runId, 'status')).status).toBe('COMPLETED');
      await assay.services.db.$executeRaw`UPDATE team SET retention_applied_at = now() - interval '25 hours'
        WHERE delete_runs_after_days IS NOT NULL`;
      await sendDueRetention(assay.services);
      await eventually(async () => (await team.run(runId, 'id')) === null);
      await eventually(async () => {
        const { retention } = await team.query(`{ ${RETENTION} }`);
        return Date.now() - Date.parse(retention.lastAppliedAt) < 60_000;
      });
    });

    it('refuses a time that makes no sense, and nothing without one', async () => {
      const team = await newTeam();
      for (const deleteRunsAfterDays of [0, -1, 100_000]) {
        const payload = await team.tryMutate('updateRetention', { deleteRunsAfterDays }, RETENTION);
        expect(payload.userErrors).toMatchObject([{ code: 'INVALID_INPUT', path: ['deleteRunsAfterDays'] }]);
      }
      const payload = await team.tryMutate('applyRetention', { deleteRunsAfterDays: 1 }, RETENTION);
      expect(payload.userErrors).toMatchObject([{ code: 'INVALID_INPUT' }]);
    });
  });

  describe('the export of a team', () => {
    const get = (key: string) =>
      fetch(`${assay.server.url}/team/export`, { headers: { authorization: `Bearer ${key}` } });

    it('holds every row of the team and none of another, without hashes and sealed keys', async () => {
      const team = await assay.team('exported');
      await team.endpoint(provider.url, { apiKey: 'sk-never-to-be-exported', maxConcurrency: 64 });
      await finished(team);
      const other = await newTeam();
      await finished(other, 'of another');
      const text = await (await get(team.key)).text();
      const rows = text
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line));
      expect(rows[0]).toMatchObject({ type: 'export', of: 'team' });
      const end = rows.at(-1);
      const { failedCall, ...certain } = end.rows;
      expect(certain).toMatchObject({
        team: 1,
        apiKey: 1,
        modelEndpoint: 1,
        dataset: 1,
        conversation: 4,
        rubricCriterion: CRITERIA,
        run: 1,
        runConversation: 4,
        reply: 4,
        criterionVerdict: CRITERIA,
        runScore: 1,
        auditEvent: 4,
      });
      expect(rows.filter((row) => row.type === 'criterionVerdict')).toHaveLength(CRITERIA);
      expect(text).not.toContain('of another');
      expect(text).not.toMatch(/hash"|ciphertext/i);
      expect(text).not.toContain('sk-never');
      const { nodes } = (await team.query('{ auditEvents(first: 1) { nodes { action outcome } } }')).auditEvents;
      expect(nodes).toEqual([{ action: 'exportTeam', outcome: 'DONE' }]);
    });

    it('goes through tables of many pages without a gap', async () => {
      const team = await newTeam();
      const list = conversations(700);
      await team.dataset(jsonl(list));
      const rows = (await (await get(team.key)).text())
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line));
      const total = list.reduce((sum, { criteria }) => sum + criteria.length, 0);
      const keys = rows.filter((row) => row.type === 'rubricCriterion').map((row) => `${row.conversationNo}.${row.no}`);
      expect([keys.length, new Set(keys).size]).toEqual([total, total]);
      expect(rows.at(-1).rows).toMatchObject({ conversation: 700, rubricCriterion: total });
    });

    it('is for admins', async () => {
      const team = await newTeam();
      const { secret } = await team.mutate('createApiKey', { name: 'r', role: 'RUNNER' }, 'secret');
      expect([(await get(secret)).status, (await get(OPERATOR_TOKEN)).status, (await get('')).status]).toEqual([
        403, 403, 401,
      ]);
    });
  });

  describe('erasing a team', () => {
    const rowsOf = async (teamId: string) => {
      const { db } = assay.services;
      const tables = await db.$queryRaw<{ name: string }[]>`
        SELECT table_name AS name FROM information_schema.columns
        WHERE table_schema = 'public' AND column_name = 'team_id' AND table_name <> 'erased_team'`;
      let n = await db.team.count({ where: { id: teamId } });
      for (const { name } of tables) {
        const rows = await db.$queryRawUnsafe<{ n: number }[]>(
          `SELECT count(*)::int AS n FROM ${name} WHERE team_id = '${teamId}'`,
        );
        n += rows[0]?.n ?? 0;
      }
      return n;
    };
    const idOf = async (name: string) => (await assay.services.db.team.findUniqueOrThrow({ where: { name } })).id;

    it('leaves nothing of it but a line that says how much went, also while it works', async () => {
      const team = await assay.team('to be erased');
      const stays = await newTeam();
      const runId = await finished(stays);
      await team.endpoint(slow.url, { maxConcurrency: 16 });
      const { id: datasetId } = await team.dataset(jsonl(conversations(40)));
      const going = await team.start({ datasetId });
      await team.start({ datasetId });
      await eventually(async () => (await team.run(going, 'progress { criteriaDone }')).progress.criteriaDone > 0);
      const id = await idOf('to be erased');
      const wrong = await team.tryMutate('eraseTeam', { confirm: 'another' }, DELETED);
      expect(wrong.userErrors).toMatchObject([{ code: 'NOT_FOUND', path: ['confirm'] }]);
      const client = team.socket();
      const closed = new Promise<{ code: number }>((resolve) =>
        client.on('closed', (event) => resolve(event as never)),
      );
      const watching = client.iterate({
        query: 'subscription ($id: ID!) { runProgress(runId: $id) { status } }',
        variables: { id: going },
      });
      await watching.next();
      const deleted = counts(await team.mutate('eraseTeam', { confirm: 'to be erased' }, DELETED));
      expect(deleted).toMatchObject({ team: 1, run: 2, runConversation: 80, dataset: 1, conversation: 40, apiKey: 1 });
      expect(deleted.criterionVerdict).toBeGreaterThan(0);
      expect(await rowsOf(id)).toBe(0);
      expect((await assay.graphql('{ viewer { role } }', {}, team.key)).errors?.[0]?.extensions.code).toBe(
        'UNAUTHENTICATED',
      );
      await client.dispose();
      await closed;
      const calls = slow.stats().calls;
      await new Promise((resolve) => setTimeout(resolve, 700));
      expect([slow.stats().calls, await rowsOf(id)]).toEqual([calls, 0]);
      expect((await stays.run(runId, 'status')).status).toBe('COMPLETED');
      const operator = new Team(assay, OPERATOR_TOKEN);
      const { erasedTeams } = await operator.query('{ erasedTeams { by deleted { kind count } } }');
      expect(erasedTeams[0]).toMatchObject({ by: 'KEY' });
      expect(counts(erasedTeams[0])).toEqual(deleted);
    }, 60_000);

    it('can be done by the operator, and by nobody of another team', async () => {
      const team = await newTeam();
      await finished(team);
      const { viewer } = await team.query('{ viewer { team { id name } } }');
      const input = { teamId: viewer.team.id, confirm: viewer.team.name };
      const operator = new Team(assay, OPERATOR_TOKEN);
      const query = 'mutation ($input: EraseTeamByIdInput!) { eraseTeamById(input: $input) { deleted { kind } } }';
      const stranger = await newTeam();
      expect((await assay.graphql(query, { input }, stranger.key)).errors?.[0]?.extensions.code).toBe('FORBIDDEN');
      const wrong = await operator.tryMutate('eraseTeamById', { ...input, confirm: 'another' }, DELETED);
      expect(wrong.userErrors).toMatchObject([{ code: 'NOT_FOUND', path: ['confirm'] }]);
      const deleted = counts(await operator.mutate('eraseTeamById', input, DELETED));
      expect(deleted).toMatchObject({ team: 1, run: 1, dataset: 1 });
      const again = await operator.tryMutate('eraseTeamById', input, DELETED);
      expect(again.userErrors).toMatchObject([{ code: 'NOT_FOUND' }]);
    });
  });
});

import { describe, expect, it } from '@jest/globals';
import { OPERATOR_TOKEN, Team } from './support/assay.js';
import { conversations, jsonl } from './support/dataset.js';
import { CRITERIA, counts, DELETED, eventually, Household } from './support/household.js';

describe('all that a team has', () => {
  const household = Household.here();

  describe('the export of a team', () => {
    const get = (key: string) =>
      fetch(`${household.assay.server.url}/team/export`, { headers: { authorization: `Bearer ${key}` } });

    it('holds every row of the team and none of another, without hashes and sealed keys', async () => {
      const team = await household.assay.team('exported');
      await team.endpoint(household.provider.url, { apiKey: 'sk-never-to-be-exported', maxConcurrency: 64 });
      const { secret } = await team.mutate('createWebhook', { name: 'ci', url: 'http://127.0.0.1:9/' }, 'secret');
      await household.finished(team);
      const other = await household.newTeam();
      await household.finished(other, 'of another');
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
        webhook: 1,
        auditEvent: 5,
      });
      expect(rows.filter((row) => row.type === 'criterionVerdict')).toHaveLength(CRITERIA);
      expect(text).not.toContain('of another');
      expect(text).not.toMatch(/hash"|ciphertext/i);
      expect(text).not.toContain('sk-never');
      expect(text).not.toContain(secret);
      const { nodes } = (await team.query('{ auditEvents(first: 1) { nodes { action outcome } } }')).auditEvents;
      expect(nodes).toEqual([{ action: 'exportTeam', outcome: 'DONE' }]);
    });

    it('goes through tables of many pages without a gap', async () => {
      const team = await household.newTeam();
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
      const team = await household.newTeam();
      const { secret } = await team.mutate('createApiKey', { name: 'r', role: 'RUNNER' }, 'secret');
      expect([(await get(secret)).status, (await get(OPERATOR_TOKEN)).status, (await get('')).status]).toEqual([
        403, 403, 401,
      ]);
    });
  });

  describe('erasing a team', () => {
    const rowsOf = async (teamId: string) => {
      const { db } = household.assay.services;
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
    const idOf = async (name: string) =>
      (await household.assay.services.db.team.findUniqueOrThrow({ where: { name } })).id;

    it('leaves nothing of it but a line that says how much went, also while it works', async () => {
      const team = await household.assay.team('to be erased');
      const stays = await household.newTeam();
      const runId = await household.finished(stays);
      await team.endpoint(household.slow.url, { maxConcurrency: 16 });
      // Of what it is told meanwhile, nothing can be delivered.
      await team.mutate('createWebhook', { name: 'ci', url: 'http://127.0.0.1:9/' }, 'webhook { id }');
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
      expect((await household.assay.graphql('{ viewer { role } }', {}, team.key)).errors?.[0]?.extensions.code).toBe(
        'UNAUTHENTICATED',
      );
      await client.dispose();
      await closed;
      const calls = household.slow.stats().calls;
      await new Promise((resolve) => setTimeout(resolve, 700));
      expect([household.slow.stats().calls, await rowsOf(id)]).toEqual([calls, 0]);
      expect((await stays.run(runId, 'status')).status).toBe('COMPLETED');
      const operator = new Team(household.assay, OPERATOR_TOKEN);
      const { erasedTeams } = await operator.query('{ erasedTeams { by deleted { kind count } } }');
      expect(erasedTeams[0]).toMatchObject({ by: 'KEY' });
      expect(counts(erasedTeams[0])).toEqual(deleted);
    }, 60_000);

    it('can be done by the operator, and by nobody of another team', async () => {
      const team = await household.newTeam();
      await household.finished(team);
      const { viewer } = await team.query('{ viewer { team { id name } } }');
      const input = { teamId: viewer.team.id, confirm: viewer.team.name };
      const operator = new Team(household.assay, OPERATOR_TOKEN);
      const query = 'mutation ($input: EraseTeamByIdInput!) { eraseTeamById(input: $input) { deleted { kind } } }';
      const stranger = await household.newTeam();
      expect((await household.assay.graphql(query, { input }, stranger.key)).errors?.[0]?.extensions.code).toBe(
        'FORBIDDEN',
      );
      const wrong = await operator.tryMutate('eraseTeamById', { ...input, confirm: 'another' }, DELETED);
      expect(wrong.userErrors).toMatchObject([{ code: 'NOT_FOUND', path: ['confirm'] }]);
      const deleted = counts(await operator.mutate('eraseTeamById', input, DELETED));
      expect(deleted).toMatchObject({ team: 1, run: 1, dataset: 1 });
      const again = await operator.tryMutate('eraseTeamById', input, DELETED);
      expect(again.userErrors).toMatchObject([{ code: 'NOT_FOUND' }]);
    });
  });
});

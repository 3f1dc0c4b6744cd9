import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type Database, type OpenDatabase, openDatabase } from '../src/platform/database.js';
import { databaseWithoutTeam, TeamDatabases } from '../src/tenancy/teamDatabase.js';
import { Assay } from './support/assay.js';
import { conversations, jsonl } from './support/dataset.js';

/** All that may look beyond a team. A new one is a decision: it belongs into docs/security.md too. */
const BEYOND_TEAMS = [
  'assay_authenticate',
  'assay_counts',
  'assay_erased_teams',
  'assay_find_team',
  'assay_open_runs',
  'assay_retention_due',
  'assay_run_statuses',
  'assay_stale_secrets',
  'assay_stale_webhooks',
];

describe('row-level security', () => {
  let assay: Assay;
  let owner: Database;
  let database: OpenDatabase;
  let nobody: Database;
  let teams: TeamDatabases;
  let [mine, theirs] = ['', ''];
  let tables: string[];

  beforeAll(async () => {
    assay = await Assay.start({ workers: false });
    owner = assay.services.db;
    database = openDatabase(assay.services.databaseUrl, 4, () => {});
    nobody = databaseWithoutTeam(database);
    teams = new TeamDatabases(database);
    for (const name of ['mine', 'theirs']) {
      const team = await assay.team(name);
      await team.endpoint('http://127.0.0.1:9/v1');
      const { webhook } = await team.mutate('createWebhook', { name, url: 'http://127.0.0.1:9/' }, 'webhook { id }');
      await team.mutate('testWebhook', { webhookId: webhook.id }, '__typename');
      await team.mutate('createGraderTemplate', { name, text: '<<conversation>> <<rubric_item>>' }, '__typename');
      await team.start({ datasetId: (await team.dataset(jsonl(conversations(3)))).id, idempotencyKey: 'k' });
    }
    const idOf = async (name: string) => (await owner.team.findUniqueOrThrow({ where: { name } })).id;
    [mine, theirs] = [await idOf('mine'), await idOf('theirs')];
    const rows = await owner.$queryRaw<{ name: string }[]>`
      SELECT table_name AS name FROM information_schema.columns
      WHERE table_schema = 'public' AND column_name = 'team_id' ORDER BY 1`;
    tables = rows.map(({ name }) => name);
  });
  afterAll(async () => {
    await database.close();
    await assay.close();
  });

  const teamsIn = async (db: Database, table: string) => {
    const key = table === 'team' ? 'id' : 'team_id';
    const rows = await db.$queryRawUnsafe<{ id: string }[]>(`SELECT DISTINCT ${key}::text AS id FROM ${table}`);
    return rows.map(({ id }) => id).sort();
  };

  it('is forced on every table', async () => {
    expect(tables.length).toBeGreaterThanOrEqual(16);
    const open = await owner.$queryRaw<{ name: string }[]>`
      SELECT c.relname AS name FROM pg_class c
      WHERE c.relnamespace = 'public'::regnamespace AND c.relkind IN ('r', 'p') AND c.relname <> '_prisma_migrations'
        AND coalesce(obj_description(c.oid, 'pg_class') NOT LIKE 'shared by all teams%', true)
        AND NOT (c.relrowsecurity AND c.relforcerowsecurity AND EXISTS (SELECT FROM pg_policy p
          WHERE p.polrelid = c.oid AND p.polname = 'team_isolation' AND p.polcmd = '*'
            AND p.polqual IS NOT NULL AND p.polwithcheck IS NOT NULL))`;
    expect(open).toEqual([]);
  });

  it('shows nothing without a team, and with one its rows alone, in every table', async () => {
    for (const table of ['team', ...tables]) {
      expect([table, await teamsIn(nobody, table)]).toEqual([table, []]);
      const seen = await teamsIn(teams.of(mine), table);
      const all = await teamsIn(owner, table);
      expect([table, seen]).toEqual([table, all.filter((id) => id === mine)]);
    }
    expect((await teamsIn(owner, 'run_conversation')).length).toBe(2);
  });

  it('refuses rows for another team, and to give one away', async () => {
    const db = teams.of(mine);
    const forged = { teamId: theirs, name: 'forged', role: 'ADMIN' as const, prefix: 'p', hash: new Uint8Array([1]) };
    await expect(db.apiKey.create({ data: forged })).rejects.toThrow(/row-level security/);
    await expect(db.$executeRaw`UPDATE run SET team_id = ${theirs}::uuid`).rejects.toThrow(/row-level security/);
    await expect(db.team.create({ data: { name: 'forged' } })).rejects.toThrow(/row-level security/);
    await expect(nobody.apiKey.create({ data: forged })).rejects.toThrow(/row-level security/);
    expect(await owner.apiKey.count({ where: { name: 'forged' } })).toBe(0);
  });

  it("changes and deletes none of another team's rows, whatever the statement says", async () => {
    const before = await owner.dataset.findMany({ where: { teamId: theirs } });
    const db = teams.of(mine);
    expect(await db.$executeRaw`UPDATE dataset SET name = 'changed' WHERE team_id = ${theirs}::uuid`).toBe(0);
    expect(await db.$executeRaw`DELETE FROM api_key WHERE team_id = ${theirs}::uuid`).toBe(0);
    expect((await db.dataset.updateMany({ data: { name: 'all of them' } })).count).toBe(1);
    expect(await owner.dataset.findMany({ where: { teamId: theirs } })).toEqual(before);
  });

  it('works as a role that owns nothing and can take nothing away', async () => {
    const db = teams.of(mine);
    const [role] = await db.$queryRaw<object[]>`
      SELECT current_user::text AS name, rolsuper, rolbypassrls, rolcanlogin, rolcreaterole,
        (SELECT count(*)::int FROM pg_class WHERE relowner = r.oid) AS owns
      FROM pg_roles r WHERE rolname = current_user`;
    expect(role).toEqual({
      name: 'assay_service',
      rolsuper: false,
      rolbypassrls: false,
      rolcanlogin: false,
      rolcreaterole: false,
      owns: 0,
    });
    for (const statement of [
      'ALTER TABLE run DISABLE ROW LEVEL SECURITY',
      'DROP POLICY team_isolation ON run',
      'CREATE TABLE public.mine (id int)',
      'DROP FUNCTION assay_team() CASCADE',
      'SELECT * FROM _prisma_migrations',
      'TRUNCATE run CASCADE',
      'DROP TABLE pgboss.job',
    ]) {
      await expect(db.$executeRawUnsafe(statement)).rejects.toThrow(/42501|permission denied|must be owner/);
    }
  });

  it('has few functions that look beyond a team, owned by a role that sees just what they need', async () => {
    const found = await owner.$queryRaw<{ name: string; owner: string; open: boolean }[]>`
      SELECT proname::text AS name, proowner::regrole::text AS owner, has_function_privilege('public', oid, 'EXECUTE') AS open
      FROM pg_proc WHERE pronamespace = 'public'::regnamespace AND prosecdef ORDER BY 1`;
    expect(found).toEqual(BEYOND_TEAMS.map((name) => ({ name, owner: 'assay_system', open: false })));
    const texts = await owner.$queryRaw<object[]>`
      SELECT table_name, column_name FROM information_schema.column_privileges WHERE grantee = 'assay_system'
        AND (table_name IN ('conversation', 'criterion_verdict', 'reply', 'rubric_criterion')
          OR (table_name = 'model_endpoint' AND column_name NOT IN ('id', 'team_id', 'secret_key_id')))`;
    expect(texts).toEqual([]);
  });

  it('keeps the team for a whole transaction, at any isolation level, and after errors in it', async () => {
    const db = teams.of(mine);
    for (const isolationLevel of ['ReadCommitted', 'Serializable'] as const) {
      const ids = await db.$transaction(async (tx) => (await tx.run.findMany()).map((run) => run.teamId), {
        isolationLevel,
      });
      expect(ids).toEqual([mine]);
    }
    const failing = db.$transaction(async (tx) => {
      await tx.dataset.updateMany({ data: { name: 'rolled back' } });
      await tx.$queryRaw`SELECT 1 / 0`;
    });
    await expect(failing).rejects.toThrow(/division by zero/);
    expect(await db.dataset.count({ where: { name: 'rolled back' } })).toBe(0);
    expect(await teamsIn(nobody, 'run')).toEqual([]);
  });

  it('is not fooled by a setting that somebody left on a connection', async () => {
    const few = openDatabase(assay.services.databaseUrl, 1, () => {});
    const poisoned = new TeamDatabases(few);
    await poisoned.of(mine).$queryRaw`SELECT set_config('app.team_id', ${theirs}, false)`;
    expect(await teamsIn(poisoned.of(mine), 'run')).toEqual([mine]);
    expect(await teamsIn(databaseWithoutTeam(few), 'run')).toEqual([]);
    await few.close();
  });

  it('gives no statement to a client whose team is not a UUID', () => {
    expect(() => teams.of("' OR true --")).toThrow(/UUID/);
    expect(() => database.client({ name: 'app.team_id', value: "'; SELECT 1" })).toThrow();
  });

  it('remembers a bounded number of clients, and each stays good for who holds it', async () => {
    const small = new TeamDatabases(database, 2);
    const first = small.of(mine);
    expect(small.of(mine)).toBe(first);
    small.of(theirs);
    small.of(crypto.randomUUID());
    expect(small.of(mine)).not.toBe(first);
    expect(await teamsIn(first, 'run')).toEqual([mine]);
  });
});

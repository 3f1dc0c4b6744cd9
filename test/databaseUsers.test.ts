import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import { parseConfig } from '../src/config.js';
import { openServices } from '../src/openServices.js';
import { openDatabase } from '../src/platform/database.js';
import { createLog } from '../src/platform/log.js';
import { freeOwner, serviceAccess } from '../src/platform/serviceRole.js';
import { createTeam } from '../src/tenancy/team.js';
import { TeamDatabases } from '../src/tenancy/teamDatabase.js';

const run = promisify(execFile);
const NAME = `assay_users_${process.pid}`;
const OWNER = `${NAME}_owner`;
const LIMITED = `${NAME}_limited`;
const STRANGER = `${NAME}_stranger`;

/** DATABASE_URL may name a superuser, the owner of the tables or a user made for the service. */
describe('the user of DATABASE_URL', () => {
  const server = process.env.ASSAY_TEST_SERVER_URL as string;
  const admin = new pg.Client({ connectionString: server });
  const urlAs = (user: string) =>
    Object.assign(new URL(server), { pathname: `/${NAME}`, username: user, password: 'secret' }).href;
  const migrateAs = (user: string) =>
    run(process.execPath, ['dist/migrate.js'], {
      env: { ...process.env, NODE_OPTIONS: '', DATABASE_URL: urlAs(user), LOG_LEVEL: 'silent' },
    });

  beforeAll(async () => {
    await admin.connect();
    for (const user of [OWNER, LIMITED, STRANGER]) await admin.query(`CREATE ROLE ${user} LOGIN PASSWORD 'secret'`);
    await admin.query(`GRANT assay_service TO ${LIMITED}`);
    await admin.query(`CREATE DATABASE ${NAME} OWNER ${OWNER}`);
  });
  afterAll(async () => {
    await admin.query(`DROP DATABASE ${NAME} WITH (FORCE)`);
    for (const user of [OWNER, LIMITED, STRANGER]) await admin.query(`DROP ROLE ${user}`);
    await admin.end();
  });

  async function whoWorks(user: string) {
    const access = await serviceAccess(urlAs(user));
    const database = openDatabase(access.url, 2, () => {});
    const teams = new TeamDatabases(database);
    const { team } = await createTeam({ teams }, `team of ${user}`);
    await createTeam({ teams }, `other team of ${user}`);
    const db = teams.of(team.id);
    await db.graderTemplate.create({ data: { teamId: team.id, name: 'n', text: 't', sha256: 's' } });
    const [role] = await db.$queryRaw<{ user: string }[]>`SELECT current_user::text AS user`;
    const seen = (await db.team.findMany()).map(({ name }) => name);
    await database.close();
    return { reason: access.reason, works: role?.user, seen };
  }

  it('is told what an administrator has to run, when it may not make the roles', async () => {
    const failed = await migrateAs(OWNER).catch((error: { stderr: string; code: number }) => error);
    expect(failed.stderr).toContain(`GRANT assay_service, assay_system TO ${OWNER};`);
    await admin.query(`GRANT assay_service, assay_system TO ${OWNER}`);
    await migrateAs(OWNER);
    await migrateAs(OWNER);
  });

  it('works as the limited role when it owns the tables', async () => {
    expect(await whoWorks(OWNER)).toEqual({
      reason: `${OWNER} owns the tables`,
      works: 'assay_service',
      seen: [`team of ${OWNER}`],
    });
  });

  it('sees every row as the owner while migrations run, and none of them afterwards', async () => {
    const seen = async () => {
      const owner = new pg.Client({ connectionString: urlAs(OWNER) });
      await owner.connect();
      const { rowCount } = await owner.query('UPDATE grader_template SET name = name');
      await owner.end();
      return rowCount;
    };
    expect(await seen()).toBe(0);
    await freeOwner(urlAs(OWNER));
    expect(await seen()).toBe(1);
    await migrateAs(OWNER);
    expect(await seen()).toBe(0);
  });

  it('works as itself when it is limited already', async () => {
    expect(await whoWorks(LIMITED)).toEqual({ reason: null, works: LIMITED, seen: [`team of ${LIMITED}`] });
  });

  it('keeps nothing on a connection that a proxy gives to others after each transaction', async () => {
    const database = openDatabase(urlAs(LIMITED), 1, () => {}, true);
    const teams = new TeamDatabases(database);
    const { team } = await createTeam({ teams }, 'team behind a proxy');
    const db = teams.of(team.id);
    const [inside] = await db.$queryRaw<object[]>`SELECT current_setting('statement_timeout') AS longest,
      current_setting('idle_in_transaction_session_timeout') AS idle, current_setting('app.team_id') AS team`;
    expect(inside).toEqual({ longest: '5min', idle: '10s', team: team.id });
    expect((await db.team.findMany()).map(({ name }) => name)).toEqual(['team behind a proxy']);
    const kept = await db.$queryRaw`SELECT name FROM pg_prepared_statements WHERE name <> ''`;
    const source = await db.$queryRaw<object[]>`
      SELECT setting FROM pg_settings WHERE name = 'statement_timeout' AND reset_val = '0'`;
    expect([kept, source]).toEqual([[], [{ setting: '300000' }]]);
    await database.close();
  });

  it('must be limited by itself behind a proxy, which cannot be asked for a role', async () => {
    const settings = { DATABASE_URL: urlAs(LIMITED), ASSAY_MIGRATE: 'false', DATABASE_PROXY_URL: urlAs(OWNER) };
    await expect(openServices(parseConfig(settings), createLog('silent'))).rejects.toThrow(
      `DATABASE_PROXY_URL must name a user made for the service (docs/security.md): ${OWNER} owns the tables`,
    );
  });

  it('works as the limited role when it is a superuser', async () => {
    const access = await serviceAccess(Object.assign(new URL(server), { pathname: `/${NAME}` }).href);
    expect(access.reason).toMatch(/is a superuser$/);
    expect(new URL(access.url).searchParams.get('options')).toBe('-c role=assay_service');
  });

  it('is refused when it has no part in the service', async () => {
    await expect(serviceAccess(urlAs(STRANGER))).rejects.toThrow(`GRANT assay_service TO ${STRANGER};`);
  });
});

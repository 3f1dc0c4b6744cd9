import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import { v7 as uuidv7 } from 'uuid';
import { type OpenDatabase, openDatabase } from '../src/platform/database.js';
import { TeamDatabases } from '../src/tenancy/teamDatabase.js';
import { Assay } from './support/assay.js';

const TEAMS = 50;
const ROUNDS = 10;
const REQUESTS = 200;

interface Tenant {
  id: string;
  templates: string[];
}

/** What came of the requests: a leak is a foreign row, a loss an own row that was not found. */
interface Outcome {
  served: number;
  leaks: number;
  losses: number;
  forged: number;
  broken: number;
}

/** Many teams share few connections; nothing of one may ever reach another. */
describe('many teams at once over one pool', () => {
  let assay: Assay;
  let database: OpenDatabase;
  let teams: TeamDatabases;
  const tenants: Tenant[] = [];

  beforeAll(async () => {
    assay = await Assay.start({ workers: false });
    database = openDatabase(assay.services.databaseUrl, 20, () => {});
    teams = new TeamDatabases(database);
    for (let i = 0; i < TEAMS; i += 1) {
      const id = uuidv7();
      const db = teams.of(id);
      await db.team.create({ data: { id, name: `tenant ${i}` } });
      const templates = ['a', 'b', 'c'].map((name) => ({ id: uuidv7(), teamId: id, name, text: name, sha256: name }));
      await db.graderTemplate.createMany({ data: templates });
      tenants.push({ id, templates: templates.map((row) => row.id) });
    }
  });
  afterAll(async () => {
    await database.close();
    await assay.close();
  });

  /** The same tick asks for rows of many teams by findUnique, which Prisma merges within a client. */
  async function request(own: Tenant, other: Tenant, n: number): Promise<Partial<Outcome>> {
    const db = teams.of(own.id);
    const [a, b, foreign, list, count, sqlError, forged] = await Promise.allSettled([
      db.graderTemplate.findUnique({ where: { id: own.templates[0] as string } }),
      db.graderTemplate.findUnique({ where: { id: own.templates[1] as string } }),
      db.graderTemplate.findUnique({ where: { id: other.templates[0] as string } }),
      n % 3 === 0 ? db.$transaction((tx) => tx.graderTemplate.findMany()) : db.graderTemplate.findMany(),
      db.graderTemplate.count(),
      n % 4 === 0 ? db.$queryRaw`SELECT 1 / 0` : Promise.reject(new Error('division')),
      db.graderTemplate.create({ data: { teamId: other.id, name: 'f', text: 'f', sha256: `${n} ${uuidv7()}` } }),
    ]);
    const answers = [a, b, foreign, list, count];
    const leaks =
      (foreign.status === 'fulfilled' && foreign.value !== null ? 1 : 0) +
      (list.status === 'fulfilled' ? list.value.filter((row) => row.teamId !== own.id).length : 0) +
      [a, b].filter((row) => row.status === 'fulfilled' && row.value !== null && row.value.teamId !== own.id).length;
    const losses =
      [a, b].filter((row) => row.status === 'fulfilled' && row.value === null).length +
      (list.status === 'fulfilled' && list.value.length !== 3 ? 1 : 0) +
      (count.status === 'fulfilled' && count.value !== 3 ? 1 : 0) +
      (sqlError.status === 'fulfilled' ? 1 : 0);
    const broken = answers.filter(({ status }) => status === 'rejected').length;
    return { served: answers.length - broken, leaks, losses, broken, forged: forged.status === 'fulfilled' ? 1 : 0 };
  }

  async function rounds(count: number): Promise<Outcome> {
    const total: Outcome = { served: 0, leaks: 0, losses: 0, forged: 0, broken: 0 };
    for (let round = 0; round < count; round += 1) {
      const outcomes = await Promise.all(
        Array.from({ length: REQUESTS }, (_, n) => {
          const own = tenants[(n * 7 + round) % TEAMS] as Tenant;
          return request(own, tenants[(n * 7 + round + 1 + (n % 5)) % TEAMS] as Tenant, n);
        }),
      );
      for (const outcome of outcomes) {
        for (const key of Object.keys(total) as (keyof Outcome)[]) total[key] += outcome[key] ?? 0;
      }
    }
    return total;
  }

  it('gives each its own rows and no other', async () => {
    expect(await rounds(ROUNDS)).toEqual({
      served: ROUNDS * REQUESTS * 5,
      leaks: 0,
      losses: 0,
      forged: 0,
      broken: 0,
    });
  });

  it('goes on so while connections are killed, and serves everybody afterwards', async () => {
    const killer = new pg.Client({ connectionString: assay.databaseUrl, application_name: 'killer' });
    await killer.connect();
    let kills = 0;
    let killing = true;
    const killed = (async () => {
      while (killing) {
        const { rowCount } = await killer.query(`
          SELECT pg_terminate_backend(pid) FROM pg_stat_activity
          WHERE datname = current_database() AND application_name = '' ORDER BY random() LIMIT 2`);
        kills += rowCount ?? 0;
        await new Promise((resolve) => setTimeout(resolve, 20));
      }
    })();
    const during = await rounds(ROUNDS);
    killing = false;
    await killed;
    await killer.end();
    expect(during).toMatchObject({ leaks: 0, losses: 0, forged: 0 });
    expect(during.served).toBeGreaterThan(during.broken);
    expect(kills).toBeGreaterThan(20);
    await new Promise((resolve) => setTimeout(resolve, 100));
    // An idle connection may have been among the last to be killed: whoever meets it is told, once.
    await rounds(1);
    expect(await rounds(1)).toEqual({ served: REQUESTS * 5, leaks: 0, losses: 0, forged: 0, broken: 0 });
  });
});

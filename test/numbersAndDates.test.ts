import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import { uuidOf } from '../src/platform/relay/globalId.js';
import { Assay, type Team } from './support/assay.js';
import { until } from './support/consistency.js';
import { conversations, jsonl } from './support/dataset.js';

describe('large numbers and times', () => {
  let assay: Assay;
  let team: Team;
  let datasetId: string;

  beforeAll(async () => {
    assay = await Assay.start({ workers: false });
    team = await assay.team();
    await team.endpoint('http://127.0.0.1:9/v1');
    datasetId = (await team.dataset(jsonl(conversations(2)))).id;
  });
  afterAll(() => assay.close());

  it('counts tokens beyond 32 and beyond 53 bits exactly', async () => {
    const runId = await team.start({ datasetId });
    await assay.services.db.runProgress.update({
      where: { runId: uuidOf('Run', runId) as string },
      data: { modelPromptTokens: 3_000_000_000n, modelCompletionTokens: 2n ** 53n + 1n },
    });
    const { usage } = await team.run(runId, 'usage { totalTokens model { promptTokens completionTokens } }');
    expect(usage.model).toEqual({ promptTokens: 3_000_000_000, completionTokens: '9007199254740993' });
    expect(usage.totalTokens).toBe('9007202254740993');
  });

  it('finds the runs of a local day, also of one with 23 hours, whatever zone the database is set to', async () => {
    const owner = new pg.Client({ connectionString: assay.databaseUrl });
    await owner.connect();
    const { rows } = await owner.query('SELECT current_database() AS name');
    await owner.query(`ALTER DATABASE "${rows[0].name}" SET timezone = 'America/New_York'`);
    // Connections keep the zone that they were opened with.
    await owner.query(
      'SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = $1 AND pid <> pg_backend_pid()',
      [rows[0].name],
    );
    await owner.end();
    await until(async () => {
      const zones = await assay.serviceDb.$queryRaw<{ zone: string }[]>`SELECT current_setting('timezone') AS zone`;
      return zones[0]?.zone === 'America/New_York';
    });
    // 29 March 2026 begins at 23:00 UTC in Paris, and ends at 22:00: its clocks go forward.
    const times = [
      '2026-03-28T22:59:59.999Z',
      '2026-03-28T23:00:00Z',
      '2026-03-29T21:59:59.999Z',
      '2026-03-29T22:00:00Z',
    ];
    const ids: string[] = [];
    for (const createdAt of times) {
      const id = await team.start({ datasetId });
      ids.push(id);
      const where = { id: uuidOf('Run', id) as string };
      await assay.services.db.run.update({ where, data: { createdAt } });
    }
    const query = `query ($filter: RunFilter) { runs(filter: $filter, orderBy: CREATED_AT_ASC) { nodes { id createdAt } } }`;
    const filter = { createdAfter: '2026-03-29T00:00:00+01:00', createdBefore: '2026-03-30T00:00:00+02:00' };
    const { runs } = await team.query(query, { filter });
    expect(runs.nodes).toEqual([
      { id: ids[1], createdAt: '2026-03-28T23:00:00.000Z' },
      { id: ids[2], createdAt: '2026-03-29T21:59:59.999Z' },
    ]);
  });

  it.each([
    ['a time without its zone', '2026-03-29T00:00:00'],
    ['a day that does not exist', '2026-02-30T00:00:00Z'],
    ['words', 'yesterday'],
  ])('refuses %s', async (_what, createdAfter) => {
    const { errors } = await assay.graphql(
      'query ($at: DateTime) { runs(filter: { createdAfter: $at }) { totalCount } }',
      {
        at: createdAfter,
      },
      team.key,
    );
    expect(errors?.[0]?.message).toContain('A time is written like 2026-03-29T12:00:00Z');
  });
});

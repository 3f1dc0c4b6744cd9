import pg from 'pg';
import { globalId } from '../../dist/platform/relay/globalId.js';
import { scoreRunHandler } from '../../dist/scoring/scoreRun.job.js';
import { seedDataset, seedRun } from './historyRows.js';
import { withService, withServices } from './place.js';
import { cpuSeconds } from './programs.js';
import { table } from './report.js';

const REQUESTS = 60;
const SCORE = `value unclippedMean median n coverage criteriaCoverage standardError bootstrapStd lowerBound upperBound
  interval { low high method } lengthAdjusted lengthAdjustment { interval { low high } } perfect belowZero`;
const RATES = 'positiveCriteria { met graded rate } negativeCriteria { met graded rate }';
const ONE = `query ($id: ID!) { run(id: $id) { name status score { ${SCORE} } ${RATES}
  tagScores { tag value n interval { low high } ${RATES} } histogram { from to count } warnings { code } } }`;
const LIST = `{ runs(first: 50) { nodes { id name status score { ${SCORE} } ${RATES} progress { conversationsDone } } } }`;

/** What a dashboard asks of a history of full-size runs, over HTTP. */
export async function history(bench) {
  const rows = [];
  const work = (place) =>
    withServices(place, async (of) => {
      const client = new pg.Client({ connectionString: place.databaseUrl });
      await client.connect();
      const filled = await fill(client, of, bench.runs);
      const { rows: sizes } = await client.query('SELECT pg_size_pretty(pg_database_size(current_database())) AS size');
      console.log(`\n${bench.runs} runs of 57,000 verdicts: ${sizes[0].size}`);
      const ask = (query, variables) => place.client.query(query, variables);
      const measure = async (what, bar, work) => rows.push([what, bar, ...(await times(place.pid, work))]);
      await measure('a finished run: score, hit rates, tags, histogram', '20 ms', () =>
        ask(ONE, { id: globalId('Run', filled.last) }),
      );
      await measure('the list of 50 runs with scores', '50 ms', () => ask(LIST));
      const going = await addGoing(client, { ...of, ...filled }, bench.runs);
      await measure('a run that is going: the same', '', () => ask(ONE, { id: globalId('Run', going) }));
      await measure('the list of 50 runs, 10 of them going', '', () => ask(LIST));
      await client.end();
    });
  await withService(bench, 1, work, { ASSAY_ROLE: 'server' });
  table(
    `${REQUESTS} requests each, one after the other`,
    ['', 'bar', 'fastest', 'median', 'p95', 'CPU of the service'],
    rows,
  );
}

/** Runs whose aggregates are stored; those of the first are computed, and copied for the others. */
async function fill(client, { db, queue, teamId }, runs) {
  const data = { teamId, name: 'made up', baseUrl: 'http://127.0.0.1:9/v1', simulated: true };
  const { id: endpointId } = await db.modelEndpoint.create({ data });
  const of = { teamId, datasetId: await seedDataset(client, teamId), endpointId };
  const first = await seedRun(client, { ...of, no: 0 });
  await scoreRunHandler({ db, queue }).run({ teamId, runId: first }, new AbortController().signal);
  let last = first;
  for (let no = 1; no < runs; no += 1) {
    last = await seedRun(client, { ...of, no });
    await copyAggregates(client, first, last);
  }
  await client.query('VACUUM ANALYZE');
  return { ...of, last };
}

/** Ten runs that are going; returns one that is done by 60 %. */
async function addGoing(client, of, runs) {
  const going = await seedRun(client, { ...of, no: runs, share: 0.6 });
  for (let no = 1; no < 10; no += 1) await seedRun(client, { ...of, no: runs + no, share: no / 10 });
  await client.query('ANALYZE run_conversation');
  return going;
}

/** A finished run like `from`: the numbers are not this run's, but they take as long to read. */
async function copyAggregates(client, from, to) {
  for (const table of ['run_score', 'run_tag_score']) {
    const { rows } = await client.query(
      `SELECT string_agg(quote_ident(column_name), ', ') AS list FROM information_schema.columns
       WHERE table_name = $1 AND table_schema = current_schema() AND column_name <> 'run_id'`,
      [table],
    );
    const { list } = rows[0];
    await client.query(`INSERT INTO ${table} (run_id, ${list}) SELECT $2, ${list} FROM ${table} WHERE run_id = $1`, [
      from,
      to,
    ]);
  }
  await client.query("UPDATE run SET status = 'COMPLETED', finished_at = now() WHERE id = $1", [to]);
}

async function times(pid, work) {
  for (let i = 0; i < 10; i += 1) await work();
  const found = [];
  const before = await cpuSeconds(pid);
  for (let i = 0; i < REQUESTS; i += 1) {
    const start = performance.now();
    await work();
    found.push(performance.now() - start);
  }
  const cpu = (1000 * ((await cpuSeconds(pid)) - before)) / REQUESTS;
  found.sort((a, b) => a - b);
  const at = (share) => found[Math.floor(share * (found.length - 1))];
  return [at(0), at(0.5), at(0.95), cpu].map((ms) => `${ms.toFixed(1)} ms`);
}

import { createHash } from 'node:crypto';
import { request } from 'node:http';
import { gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { parquetMetadataAsync, parquetReadObjects } from 'hyparquet';
import { type SimulatedProvider, startSimulatedProvider } from '../src/simulator/simulatedProvider.js';
import { Assay, type Data, type Team } from './support/assay.js';
import { conversations, jsonl } from './support/dataset.js';

const list = conversations(40);
const criteria = list.reduce((sum, conversation) => sum + conversation.criteria.length, 0);

describe('pulling a whole run', () => {
  let assay: Assay;
  let team: Team;
  let provider: SimulatedProvider;
  let runId: string;

  beforeAll(async () => {
    provider = await startSimulatedProvider();
    assay = await Assay.start();
    team = await assay.team();
    await team.endpoint(provider.url);
    // One criterion that a spreadsheet would take for a formula.
    const first = list[0]?.criteria[0] as { text?: string };
    first.text = '=HYPERLINK("http://evil.example")';
    runId = await team.start({ datasetId: (await team.dataset(jsonl(list))).id, name: 'run, “exported”' });
    await team.watch(runId);
  });
  afterAll(async () => {
    await assay.close();
    await provider.close();
  });

  interface Download {
    status: number;
    headers: Record<string, string | string[] | undefined>;
    trailers: Record<string, string | undefined>;
    body: Buffer;
  }
  const get = (path: string, headers: Record<string, string> = { authorization: `Bearer ${team.key}` }) =>
    new Promise<Download>((resolve, reject) => {
      const call = request(`${assay.server.url}${path}`, { headers }, (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk) => chunks.push(chunk));
        response.on('error', reject);
        response.on('end', () => {
          const { statusCode = 0, headers: own, trailers } = response;
          resolve({ status: statusCode, headers: own, trailers, body: Buffer.concat(chunks) });
        });
      });
      call.on('error', reject).end();
    });
  const rowsOf = (body: Buffer): Data[] =>
    body
      .toString()
      .trim()
      .split('\n')
      .map((text) => JSON.parse(text));

  it('gives every verdict as a flat row, with the number of rows and the hash of the bytes', async () => {
    const { status, headers, trailers, body } = await get(`/runs/${runId}/export`);
    expect(status).toBe(200);
    expect(headers['x-assay-rows']).toBe(String(criteria));
    expect(trailers['x-assay-sha256']).toBe(createHash('sha256').update(body).digest('hex'));
    const rows = rowsOf(body);
    expect(rows.map((row) => row.sequence)).toEqual(Array.from({ length: criteria }, (_, i) => i + 1));
    expect(rows[0]).toEqual({
      run_id: expect.any(String),
      run: 'run, “exported”',
      model: 'test-model',
      grader: 'test-grader',
      grader_prompt_sha256: expect.stringMatching(/^[0-9a-f]{64}$/),
      scoring_profile: 'healthbench',
      dataset_sha256: expect.stringMatching(/^[0-9a-f]{64}$/),
      sequence: 1,
      prompt_id: expect.stringContaining('prompt-'),
      ordinal: expect.any(Number),
      repeat: 1,
      theme: expect.any(String),
      conversation_tags: expect.stringContaining('theme:'),
      conversation_score: expect.any(Number),
      criterion_no: expect.any(Number),
      criterion: expect.any(String),
      points: expect.any(Number),
      axis: expect.any(String),
      tags: expect.stringContaining('axis:'),
      criteria_met: expect.any(Boolean),
      explanation: expect.stringContaining('Simulated'),
      attempts: 1,
      latency_ms: expect.any(Number),
      graded_at: expect.any(String),
      reply: expect.stringContaining('[simulated reply]'),
      canary: 'invented-canary',
    });
  });

  it('gives the same table as Parquet with types, and the run in its metadata', async () => {
    const { body } = await get(`/runs/${runId}/export?format=parquet`);
    const file = body.buffer.slice(body.byteOffset, body.byteOffset + body.byteLength) as ArrayBuffer;
    const rows = (await parquetReadObjects({ file })) as Data[];
    const asJson = rowsOf((await get(`/runs/${runId}/export`)).body);
    expect(rows.length).toBe(criteria);
    expect(rows.map(({ graded_at, ...row }) => row)).toEqual(asJson.map(({ graded_at, ...row }) => row));
    expect(rows[0]?.graded_at).toBeInstanceOf(Date);
    const { key_value_metadata: notes } = await parquetMetadataAsync({
      byteLength: file.byteLength,
      slice: (a, b) => file.slice(a, b),
    });
    expect(notes?.map(({ key }) => key)).toContain('assay.grader_prompt');
  });

  it('defuses formulas in CSV, and leaves numbers alone', async () => {
    const text = (await get(`/runs/${runId}/export?format=csv`)).body.toString();
    expect(text.startsWith('\ufeffrun_id,')).toBe(true);
    expect(text).toContain(`"'=HYPERLINK(""http://evil.example"")"`);
    expect(text).toMatch(/,-\d+,/);
    expect(text).not.toMatch(/,'-\d+,/);
  });

  it('gives conversations and runs as tables too, and the history of the team', async () => {
    const conversationRows = rowsOf((await get(`/runs/${runId}/export?table=conversations`)).body);
    expect(conversationRows.map((row) => row.prompt_id)).toEqual(list.map(({ promptId }) => promptId));
    expect(conversationRows[0]).toMatchObject({ status: 'SCORED', canary: 'invented-canary' });
    const [run] = rowsOf((await get(`/runs/${runId}/export?table=runs`)).body);
    const { score } = await team.run(runId, 'score { value n }');
    expect(run).toMatchObject({ value: score.value, n: 40, status: 'COMPLETED' });
    expect(rowsOf((await get('/runs/export')).body)).toEqual([run]);
  });

  it('compresses when asked', async () => {
    const plain = await get(`/runs/${runId}/export`);
    const packed = await get(`/runs/${runId}/export`, {
      authorization: `Bearer ${team.key}`,
      'accept-encoding': 'gzip',
    });
    expect(packed.headers['content-encoding']).toBe('gzip');
    expect(gunzipSync(packed.body)).toEqual(plain.body);
    expect(packed.body.length).toBeLessThan(plain.body.length / 4);
  });

  it.each(['gzip;q=0', 'br', 'identity, gzip; q=0.0', 'notgzip'])('sends it as it is for %p', async (accepted) => {
    const { headers, body } = await get(`/runs/${runId}/export`, {
      authorization: `Bearer ${team.key}`,
      'accept-encoding': accepted,
    });
    expect(headers['content-encoding']).toBeUndefined();
    expect(headers.vary).toBe('accept-encoding');
    expect(rowsOf(body)).toHaveLength(criteria);
  });

  it('hands out links that need no key, for one table of one run, for some minutes', async () => {
    const { exportUrl } = await team.run(runId, 'exportUrl(table: CONVERSATIONS, format: CSV)');
    expect((await get(exportUrl, {})).status).toBe(200);
    expect((await get(exportUrl.replace('conversations', 'verdicts'), {})).status).toBe(401);
    expect((await get(exportUrl.replace(/expires=\d+/, `expires=${Date.now() + 9e9}`), {})).status).toBe(401);
    const other = await assay.team();
    const others = Buffer.from(JSON.stringify(await other.query('{ viewer { team { id } } }'))).toString();
    expect(exportUrl).not.toContain(others);
  });

  it('writes the shapes of other harnesses, from which the same score follows', async () => {
    const { score } = await team.run(runId, 'score { value n }');
    const all = JSON.parse((await get(`/runs/${runId}/export?format=simple-evals`)).body.toString()) as Data;
    expect(all).toMatchObject({
      score: score.value,
      metrics: { overall_score: score.value, 'overall_score:n_samples': 40 },
    });
    const examples = all.metadata.example_level_metadata as Data[];
    const scores = examples.map(({ rubric_items: items }) => {
      const sum = (of: Data[]) => of.reduce((total, item) => total + item.points, 0);
      return sum(items.filter((item: Data) => item.criteria_met)) / sum(items.filter((item: Data) => item.points > 0));
    });
    expect(scores.reduce((a, b) => a + b, 0) / 40).toBeCloseTo(score.value, 9);
    expect(all.convos).toHaveLength(40);
    const [first] = examples as [Data];
    const id = createHash('sha256')
      .update(first.prompt_id + first.completion[0].content)
      .digest('hex');
    expect(first.completion_id).toBe(id);
    const results = rowsOf((await get(`/runs/${runId}/export?format=harness-results`)).body);
    expect(results[0]?.completion).toBe(first.completion[0].content);
    expect(results[0]?.rubrics.map((item: Data) => item.points)).toEqual(list[0]?.criteria.map(({ points }) => points));
    expect((await get(`/runs/${runId}/export?format=harness-description`)).body.toString()).toContain(
      `Score: ${score.value}`,
    );
  });

  it.each(['jsonl', 'csv', 'parquet', 'jsonl, packed'])('fails rather than end short, as %s', async (format) => {
    const { db } = assay.services;
    const where = { runId: Buffer.from(runId, 'base64url').toString().split(':')[1] as string, sequence: criteria };
    const verdict = await db.criterionVerdict.findFirstOrThrow({ where });
    await db.criterionVerdict.deleteMany({ where });
    try {
      const headers: Record<string, string> = { authorization: `Bearer ${team.key}` };
      if (format.endsWith('packed')) headers['accept-encoding'] = 'gzip';
      const path = `/runs/${runId}/export?format=${format.split(',')[0]}`;
      // Here all rows fit into the first group, so what is not CSV has not begun when the fault is seen.
      if (format === 'csv') await expect(get(path, headers)).rejects.toThrow(/aborted|socket hang up|ECONNRESET/);
      else {
        const { status, headers: own, body } = await get(path, headers);
        expect([status, own['content-encoding']]).toEqual([500, undefined]);
        expect(JSON.parse(body.toString()).error.code).toBe('INTERNAL_SERVER_ERROR');
      }
    } finally {
      await db.criterionVerdict.create({ data: verdict });
    }
  });

  it.each([
    ['', {}, 401],
    ['?format=xlsx', undefined, 400],
    ['?table=keys', undefined, 400],
  ])('refuses %p with %p by %i', async (query, headers, status) => {
    expect((await get(`/runs/${runId}/export${query}`, headers)).status).toBe(status);
  });

  it('finds no run of another team, and says so like for one that does not exist', async () => {
    const other = await assay.team();
    const headers = { authorization: `Bearer ${other.key}` };
    const foreign = await get(`/runs/${runId}/export`, headers);
    const missing = await get('/runs/nonsense/export', headers);
    expect([foreign.status, missing.status]).toEqual([404, 404]);
    expect(JSON.parse(foreign.body.toString()).error.message).toBe(JSON.parse(missing.body.toString()).error.message);
  });
});

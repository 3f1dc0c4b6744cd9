import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type SimulatedProvider, startSimulatedProvider } from '../src/simulator/simulatedProvider.js';
import { Assay, type Data, type Team } from './support/assay.js';
import { conversations, jsonl } from './support/dataset.js';

const list = conversations(60);
const criteria = list.reduce((sum, conversation) => sum + conversation.criteria.length, 0);
const all = Array.from({ length: criteria }, (_, i) => i + 1);

describe('three ways to the same events', () => {
  let assay: Assay;
  let team: Team;
  let provider: SimulatedProvider;
  let datasetId: string;

  beforeAll(async () => {
    provider = await startSimulatedProvider({ latencyMs: 5 });
    assay = await Assay.start();
    team = await assay.team();
    await team.endpoint(provider.url);
    datasetId = (await team.dataset(jsonl(list))).id;
  });
  afterAll(async () => {
    await assay.close();
    await provider.close();
  });

  interface Event {
    id?: string;
    event?: string;
    data: Data;
  }

  async function* serverSentEvents(runId: string, headers: Record<string, string> = {}): AsyncGenerator<Event> {
    const response = await fetch(`${assay.server.url}/runs/${runId}/events`, {
      headers: { authorization: `Bearer ${team.key}`, ...headers },
    });
    expect(response.headers.get('content-type')).toBe('text/event-stream');
    let text = '';
    for await (const chunk of (response.body as ReadableStream<Uint8Array>).pipeThrough(new TextDecoderStream())) {
      text += chunk;
      for (let end = text.indexOf('\n\n'); end >= 0; end = text.indexOf('\n\n')) {
        const fields = Object.fromEntries(
          text
            .slice(0, end)
            .split('\n')
            .map((row) => row.split(/: (.*)/s).slice(0, 2)),
        );
        text = text.slice(end + 2);
        yield { ...fields, data: JSON.parse(fields.data) };
      }
    }
  }

  const poll = async (runId: string): Promise<number[]> => {
    const query = `query ($runId: ID!, $after: Int!) { runEvents(runId: $runId, after: $after, first: 100) {
      cursor runStatus verdicts { sequence } } }`;
    const seen: number[] = [];
    for (let after = 0; ; ) {
      const { runEvents } = await team.query(query, { runId, after });
      seen.push(...runEvents.verdicts.map((verdict: Data) => verdict.sequence));
      after = runEvents.cursor;
      if (['COMPLETED', 'FAILED', 'CANCELLED'].includes(runEvents.runStatus)) return seen;
    }
  };

  it('give each verdict once and in order, live: subscription, server-sent events, polling', async () => {
    const runId = await team.start({ datasetId });
    const streamed: number[] = [];
    const sse = async () => {
      for await (const { event, data } of serverSentEvents(runId)) {
        if (event === 'verdicts') streamed.push(...data.verdicts.map((verdict: Data) => verdict.sequence));
      }
    };
    const [batches, polled] = await Promise.all([team.watch(runId), poll(runId), sse()]);
    expect(batches.flatMap((batch) => batch.verdicts.map((verdict: Data) => verdict.sequence))).toEqual(all);
    expect(polled).toEqual(all);
    expect(streamed).toEqual(all);
  });

  it('are asked for as the page on streaming shows', async () => {
    const [, query] = /```graphql\n([\s\S]*?)```/.exec(readFileSync('docs/streaming.md', 'utf8')) ?? [];
    const runId = await team.start({ datasetId });
    const batches: Data[] = [];
    for await (const data of team.subscribe(query as string, { runId })) batches.push(data.runVerdicts);
    expect(batches.flatMap(({ verdicts }) => verdicts.map(({ sequence }: Data) => sequence))).toEqual(all);
    const progress = { criteriaDone: criteria, criteriaTotal: criteria };
    expect(batches.at(-1)).toMatchObject({ cursor: criteria, runStatus: 'COMPLETED', progress });
  });

  it('go on exactly after the last event that was seen, and end with an event that says so', async () => {
    const runId = await team.start({ datasetId });
    const first: Event[] = [];
    for await (const event of serverSentEvents(runId)) {
      first.push(event);
      if (Number(event.id) > 20) break;
    }
    const last = first.at(-1)?.id as string;
    const rest: Event[] = [];
    for await (const event of serverSentEvents(runId, { 'last-event-id': last })) rest.push(event);
    const seen = [...first, ...rest].flatMap(({ data }) =>
      (data.verdicts ?? []).map((verdict: Data) => verdict.sequence),
    );
    expect(seen).toEqual(all);
    expect(rest.at(-1)?.event).toBe('end');
    expect(rest.at(-2)?.data).toMatchObject({ runStatus: 'COMPLETED', cursor: criteria });
    expect(rest[0]?.data.verdicts?.[0] ?? {}).toMatchObject({ criterion: { text: expect.any(String) } });
  });

  it('are refused without a key and for a run of another team', async () => {
    const runId = await team.start({ datasetId, sample: { method: 'FIRST', size: 1 } });
    const other = await assay.team();
    const status = async (headers: Record<string, string>) =>
      (await fetch(`${assay.server.url}/runs/${runId}/events`, { headers })).status;
    expect(await status({})).toBe(401);
    expect(await status({ authorization: `Bearer ${other.key}` })).toBe(404);
    expect(
      (await other.query('query ($id: ID!) { runEvents(runId: $id) { cursor } }', { id: runId })).runEvents,
    ).toBeNull();
  });
});

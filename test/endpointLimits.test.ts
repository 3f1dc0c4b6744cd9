import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { uuidOf } from '../src/platform/relay/globalId.js';
import { PostgresShares, type ShareAsk } from '../src/scheduling/endpointShare.js';
import { type SimulatedProvider, startSimulatedProvider } from '../src/simulator/simulatedProvider.js';
import { startWorkers, type Workers } from '../src/startWorkers.js';
import { Assay, type Data, OPERATOR_TOKEN, type Team } from './support/assay.js';
import { expectComplete, until } from './support/consistency.js';
import { conversations, jsonl } from './support/dataset.js';

const list = conversations(40);

describe('limits of an endpoint over several processes', () => {
  let assay: Assay;
  let team: Team;
  let provider: SimulatedProvider;

  beforeAll(async () => {
    assay = await Assay.start({ workers: false });
  });
  beforeEach(async () => {
    provider = await startSimulatedProvider({ latencyMs: 40, logCalls: true });
    team = await assay.team();
  });
  afterEach(() => provider.close());
  afterAll(() => assay.close());

  async function limitTeam(maxConcurrency: number | null): Promise<void> {
    const { viewer } = await team.query('{ viewer { team { name } } }');
    const query = `mutation ($input: UpdateTeamInput!) { updateTeam(input: $input) { team { maxConcurrency } userErrors { code } } }`;
    const input = { name: viewer.team.name, maxConcurrency };
    const { data } = await assay.graphql(query, { input }, OPERATOR_TOKEN);
    expect(data?.updateTeam).toEqual({ team: { maxConcurrency }, userErrors: [] });
  }

  /** Runs the dataset with three sets of workers, each with its own share, as three processes have. */
  async function runWithThree(limits: Data, more: Data = {}): Promise<void> {
    const endpointId = await team.endpoint(provider.url, limits);
    const modelUnderTest = { endpointId };
    const runId = await team.start({
      datasetId: (await team.dataset(jsonl(list))).id,
      modelUnderTest,
      grader: modelUnderTest,
      ...more,
    });
    const workers: Workers[] = [1, 2, 3].map(() => startWorkers(assay.services));
    await until(async () => (await team.run(runId, 'status')).status === 'COMPLETED', 60);
    await Promise.all(workers.map((set) => set.stop(1_000)));
    await expectComplete(assay, runId);
  }

  it('are never more calls in flight than configured, and as many while there is work', async () => {
    await runWithThree({ maxConcurrency: 6 });
    expect(provider.stats().maxInFlight).toBe(6);
  }, 90_000);

  it('keep to the limit of their team, over its endpoints and all processes', async () => {
    await limitTeam(3);
    const grader = await team.endpoint(provider.url, { name: 'grader', maxConcurrency: 6 });
    await runWithThree(
      { maxConcurrency: 6 },
      { grader: { endpointId: grader }, sample: { method: 'FIRST', size: 12 } },
    );
    expect(provider.stats().maxInFlight).toBe(3);
  }, 90_000);

  it('are never more calls in a minute than configured', async () => {
    await runWithThree({ maxConcurrency: 50, requestsPerMinute: 1_200 });
    const times = provider.stats().log.map(({ at }) => at);
    const first = times[0] as number;
    // A twentieth of a minute's calls at once, then a steady flow of somewhat less than the limit.
    times.forEach((at, i) => {
      expect(i + 1).toBeLessThanOrEqual(60 + 1 + ((at - first) / 1000) * 20);
    });
    expect(times.length).toBeGreaterThan(300);
  }, 90_000);

  describe('shares', () => {
    const process = () => new PostgresShares(assay.services.teams, assay.services.wakeUps);
    let ask: (wanted: number, more?: Partial<ShareAsk>) => ShareAsk;

    const endpoint = async (limits: Data) => {
      const endpointId = uuidOf('ModelEndpoint', await team.endpoint(provider.url, limits)) as string;
      const { teamId } = await assay.services.db.modelEndpoint.findUniqueOrThrow({ where: { id: endpointId } });
      ask = (wanted, more) => ({ teamId, endpointId, wanted, inFlight: 0, requests: 0, tokens: 0, ...more });
    };

    it('go by demand, and never add up to more than there is', async () => {
      await endpoint({ maxConcurrency: 10 });
      const [a, b, c] = [process(), process(), process()];
      expect((await a.ask(ask(10))).slots).toBe(10);
      // The newcomer waits until the other, whose calls are in flight, has given its part back.
      expect((await b.ask(ask(10))).slots).toBe(0);
      expect((await a.ask(ask(10, { inFlight: 10 }))).slots).toBe(5);
      expect((await b.ask(ask(10))).slots).toBe(0);
      expect((await a.ask(ask(10, { inFlight: 4 }))).slots).toBe(5);
      expect((await b.ask(ask(10))).slots).toBe(5);
      // Who wants little gets it; what is left goes to the others.
      await c.ask(ask(1));
      const slots = [(await a.ask(ask(10))).slots, (await b.ask(ask(10))).slots, (await c.ask(ask(1))).slots];
      expect(slots[2]).toBe(1);
      expect(slots.reduce((sum, n) => sum + n, 0)).toBeLessThanOrEqual(10);
      await a.ask(ask(0));
      await c.ask(ask(0));
      expect((await b.ask(ask(10))).slots).toBe(10);
    });

    it('of all endpoints of a team together keep to the limit of the team, and share it', async () => {
      await endpoint({ maxConcurrency: 10 });
      const first = ask;
      await endpoint({ maxConcurrency: 10, name: 'other provider' });
      const second = ask;
      await limitTeam(4);
      const [a, b] = [process(), process()];
      expect((await a.ask(first(10))).slots).toBe(4);
      expect((await b.ask(second(10))).slots).toBe(0);
      expect((await a.ask(first(10, { inFlight: 2 }))).slots).toBe(2);
      expect((await b.ask(second(10))).slots).toBe(2);
      await a.ask(first(0));
      expect((await b.ask(second(10))).slots).toBe(4);
      await limitTeam(null);
      expect((await b.ask(second(10))).slots).toBe(10);
    });

    it('of a team are set by the operator, by its name and to 1 at least', async () => {
      const query = `mutation ($input: UpdateTeamInput!) { updateTeam(input: $input) { team { id } userErrors { code path } } }`;
      const set = (input: Data, key = OPERATOR_TOKEN) => assay.graphql(query, { input }, key);
      const { viewer } = await team.query('{ viewer { team { id name } } }');
      const { id, name } = viewer.team;
      const code = async (input: Data) => (await set(input)).data?.updateTeam.userErrors;
      expect(await code({ name, maxConcurrency: 0 })).toEqual([{ code: 'INVALID_INPUT', path: ['maxConcurrency'] }]);
      for (const wrong of ['nobody', uuidOf('Team', id) as string]) {
        expect(await code({ name: wrong, maxConcurrency: 1 })).toEqual([{ code: 'NOT_FOUND', path: ['name'] }]);
      }
      expect((await set({ name, maxConcurrency: 1 }, team.key)).errors?.[0]?.extensions.code).toBe('FORBIDDEN');
    });

    it('take turns where there are more processes than calls allowed', async () => {
      await endpoint({ maxConcurrency: 1 });
      const all = [process(), process(), process()];
      for (let round = 0; round < 2; round += 1) for (const one of all) await one.ask(ask(1));
      const granted = await Promise.all(all.map(async (one) => (await one.ask(ask(1))).slots));
      expect(granted.reduce((sum, n) => sum + n, 0)).toBeLessThanOrEqual(1);
    });

    it('of a dead process end by themselves', async () => {
      await endpoint({ maxConcurrency: 4 });
      const [dead, other] = [process(), process()];
      await dead.ask(ask(4, { inFlight: 4 }));
      expect((await other.ask(ask(4))).slots).toBe(0);
      await until(async () => (await other.ask(ask(4))).slots === 4, 10);
    });

    it('hand out the calls and tokens of a minute once', async () => {
      await endpoint({ maxConcurrency: 10, requestsPerMinute: 100, tokensPerMinute: 10_000 });
      const [a, b] = [process(), process()];
      expect(await a.ask(ask(5, { requests: 3, tokens: 400 }))).toMatchObject({ requests: 3, tokens: 400 });
      const rest = await b.ask(ask(5, { requests: 50, tokens: 5_000 }));
      expect(rest.requests).toBe(2);
      expect(rest.tokens).toBeGreaterThanOrEqual(100);
      expect(rest.tokens).toBeLessThan(300);
      // What was not used is given back.
      await a.ask(ask(0, { requests: -3, tokens: -400 }));
      expect((await b.ask(ask(5, { requests: 9 }))).requests).toBeGreaterThanOrEqual(3);
    });

    it('are none of an endpoint that is not the team’s', async () => {
      await endpoint({ maxConcurrency: 10 });
      expect((await process().ask({ ...ask(1), teamId: randomUUID() })).slots).toBe(0);
    });
  });
});

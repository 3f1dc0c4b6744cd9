import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { noFaults } from '../src/simulator/faults.js';
import { type SimulatedProvider, startSimulatedProvider } from '../src/simulator/simulatedProvider.js';
import { Assay, type Data, type Team } from './support/assay.js';
import { conversations, jsonl } from './support/dataset.js';

describe('model endpoints', () => {
  let assay: Assay;
  let team: Team;
  let provider: SimulatedProvider;

  beforeAll(async () => {
    provider = await startSimulatedProvider();
    assay = await Assay.start({ workers: false });
    team = await assay.team();
  });
  afterAll(async () => {
    await assay.close();
    await provider.close();
  });

  describe('testing one', () => {
    const key = 'sk-very-secret-key-123456';
    let endpointId: string;
    beforeAll(async () => {
      endpointId = await team.endpoint(provider.url, { apiKey: key });
    });
    beforeEach(() => {
      const usual = {
        requireKey: key,
        refuseJsonSchema: false,
        refuseFields: [],
        models: null,
        alwaysUnauthorized: false,
      };
      provider.configure({ ...noFaults, ...usual });
    });

    const result = 'model reachable keyValid modelFound jsonSchema latencyMs calls findings { check passed message }';
    const test = async (input: Data): Promise<Data> => {
      const before = provider.stats().calls;
      const payload = await team.mutate('testModelEndpoint', { endpointId, ...input }, `test { ${result} }`);
      expect(payload.test.calls).toBeLessThanOrEqual(2);
      expect(provider.stats().calls - before).toBeLessThanOrEqual(2);
      expect(JSON.stringify(payload)).not.toContain('secret');
      expect(payload.test.findings.map(({ check }: Data) => check)).toEqual([
        'REACHABLE',
        'KEY_VALID',
        'MODEL_FOUND',
        'JSON_SCHEMA',
        'SPEED',
      ]);
      return payload.test;
    };
    const message = (found: Data, check: string) =>
      found.findings.find((finding: Data) => finding.check === check).message;

    it('finds everything in order, with the default model', async () => {
      const found = await test({});
      expect(found).toMatchObject({ model: 'test-model', reachable: true, keyValid: true, modelFound: true });
      expect(found.latencyMs).toBeGreaterThanOrEqual(0);
      // The simulated model writes prose whatever is asked.
      expect(found).toMatchObject({ jsonSchema: false, calls: 1 });
      expect(message(found, 'JSON_SCHEMA')).toContain('not kept');
    });

    it('sees a schema that is refused, and one that is kept', async () => {
      provider.configure({ refuseJsonSchema: true });
      const found = await test({});
      expect(found).toMatchObject({ modelFound: true, jsonSchema: false, calls: 2 });
      expect(message(found, 'JSON_SCHEMA')).toContain('refused');
      const server = createServer((request, response) => {
        const content = '{"ready": true}';
        const body = request.method === 'GET' ? {} : { choices: [{ finish_reason: 'stop', message: { content } }] };
        request.resume().on('end', () => response.end(JSON.stringify(body)));
      }).listen(0);
      const good = await team.endpoint(`http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`);
      expect(await test({ endpointId: good })).toMatchObject({ jsonSchema: true, modelFound: true, calls: 1 });
      server.closeAllConnections();
      server.close();
    });

    it('changes a request that the model refuses, once', async () => {
      provider.configure({ refuseFields: ['max_tokens'] });
      expect(await test({})).toMatchObject({ reachable: true, keyValid: true, calls: 2 });
    });

    it('says what is wrong with the key, without a call', async () => {
      provider.configure({ requireKey: 'another' });
      const found = await test({});
      expect(found).toMatchObject({ reachable: true, keyValid: false, modelFound: null, latencyMs: null, calls: 0 });
      expect(message(found, 'KEY_VALID')).toContain('updateModelEndpoint');
    });

    it('names other models when the one is not there', async () => {
      provider.configure({ models: ['good-model', 'test-grader'] });
      const found = await test({ model: 'nobody' });
      expect(found).toMatchObject({ model: 'nobody', keyValid: true, modelFound: false, jsonSchema: null });
      expect(message(found, 'MODEL_FOUND')).toMatch(/nobody.*good-model, test-grader/);
    });

    it.each([
      ['a closed port', 'http://127.0.0.1:1025/v1', /server running/],
      ['an unknown host', 'http://nobody.invalid/v1', /base URL|No connection/],
    ])('says what to do about %s', async (_, baseUrl, words) => {
      const found = await test({ endpointId: await team.endpoint(baseUrl) });
      expect(found).toMatchObject({ reachable: false, keyValid: null, modelFound: null, calls: 0 });
      expect(message(found, 'REACHABLE')).toMatch(words);
    });

    it.each(['fail500', 'fail429', 'failEmpty', 'failReset', 'failMalformed'])('outlasts %s', async (fault) => {
      provider.configure({ [fault]: 1 });
      expect(await test({})).toMatchObject({ reachable: true, modelFound: null, latencyMs: null, calls: 2 });
    });

    it('reads the list of models when there is no model to ask', async () => {
      const bare = await team.endpoint(provider.url, { apiKey: key, defaultModel: null, defaultGrader: null });
      expect(await test({ endpointId: bare })).toMatchObject({
        model: null,
        reachable: true,
        keyValid: null,
        calls: 0,
      });
    });

    it('is for runners, and for endpoints of the team', async () => {
      const other = await assay.team();
      const foreign = await other.tryMutate('testModelEndpoint', { endpointId }, 'test { calls }');
      expect(foreign.userErrors).toMatchObject([{ code: 'NOT_FOUND', path: ['endpointId'] }]);
    });
  });

  describe('prices', () => {
    const price = { model: 'm', promptUsdPerMillion: 2, completionUsdPerMillion: 8 };
    const fields =
      'modelEndpoint { id prices { model promptUsdPerMillion cachedPromptUsdPerMillion completionUsdPerMillion } }';

    it('are stored as a list, kept when something else is changed, and replaced as a whole', async () => {
      const prices = [
        { ...price, cachedPromptUsdPerMillion: 0.5 },
        { ...price, model: 'free', promptUsdPerMillion: 0 },
      ];
      const input = { name: 'p', baseUrl: 'http://127.0.0.1:9/v1', prices };
      const { modelEndpoint: made } = await team.mutate('createModelEndpoint', input, fields);
      expect(made.prices[0]).toEqual(prices[0]);
      expect(made.prices[1].cachedPromptUsdPerMillion).toBeNull();
      const update = async (changes: Data) =>
        (await team.mutate('updateModelEndpoint', { endpointId: made.id, ...changes }, fields)).modelEndpoint.prices;
      expect(await update({ name: 'q' })).toEqual(made.prices);
      expect(await update({ prices: [price] })).toHaveLength(1);
      expect(await update({ prices: null })).toEqual([]);
    });

    it.each([
      [[{ ...price, promptUsdPerMillion: -1 }], ['prices', '0', 'promptUsdPerMillion']],
      [[{ ...price, completionUsdPerMillion: 1e6 }], ['prices', '0', 'completionUsdPerMillion']],
      [[{ ...price, completionUsdPerMillion: 0.0000001 }], ['prices', '0', 'completionUsdPerMillion']],
      [[price, price], ['prices']],
      [[{ ...price, model: ' ' }], ['prices', '0', 'model']],
    ])('refuses %j', async (prices, path) => {
      const input = { name: 'p', baseUrl: 'http://127.0.0.1:9/v1', prices };
      expect((await team.tryMutate('createModelEndpoint', input, fields)).userErrors).toMatchObject([{ path }]);
    });

    it('cannot be negative in the database either', async () => {
      const change = assay.services.db.$executeRaw`
        UPDATE model_endpoint SET prices = '[{"model": "m", "promptUsdPerMillion": -1, "completionUsdPerMillion": 0}]'`;
      await expect(change).rejects.toThrow(/model_endpoint_prices/);
    });
  });

  describe('deleting one', () => {
    let datasetId: string;
    beforeAll(async () => {
      datasetId = (await team.dataset(jsonl(conversations(2)))).id;
    });
    const remove = (endpointId: string) =>
      team.tryMutate('deleteModelEndpoint', { endpointId }, 'modelEndpoint { hasApiKey }');

    it('is refused while a run uses it, as model or as grader, and possible afterwards', async () => {
      const own = await team.endpoint(provider.url, { apiKey: 'sk-something-0123456789' });
      const other = await team.endpoint(provider.url);
      for (const [endpointId, graderId] of [
        [own, other],
        [other, own],
      ]) {
        const runId = await team.start({ datasetId, modelUnderTest: { endpointId }, grader: { endpointId: graderId } });
        expect((await remove(own)).userErrors).toMatchObject([{ code: 'CONFLICT', path: ['endpointId'] }]);
        await team.mutate('pauseRun', { runId }, 'run { id }');
        expect((await remove(own)).userErrors).toHaveLength(1);
        await team.mutate('cancelRun', { runId }, 'run { id }');
      }
      expect(await remove(own)).toMatchObject({ userErrors: [], modelEndpoint: { hasApiKey: false } });
      expect((await remove(own)).userErrors).toMatchObject([{ code: 'NOT_FOUND' }]);
      const start = await team.tryMutate('startRun', { datasetId, modelUnderTest: { endpointId: own } }, 'run { id }');
      expect(start.userErrors).toMatchObject([{ code: 'NOT_FOUND', path: ['modelUnderTest', 'endpointId'] }]);
    });

    it('never takes an endpoint from a run that starts at the same moment', async () => {
      for (let round = 0; round < 8; round += 1) {
        const endpointId = await team.endpoint(provider.url);
        const models = { modelUnderTest: { endpointId }, grader: { endpointId } };
        const [started, removed] = await Promise.all([
          team.tryMutate('startRun', { datasetId, ...models }, 'run { id }'),
          remove(endpointId),
        ]);
        expect([started.run !== null, removed.modelEndpoint !== null].filter(Boolean)).toHaveLength(1);
      }
    });

    it('keeps a run that is over from being tried again', async () => {
      const endpointId = await team.endpoint(provider.url);
      const runId = await team.start({ datasetId, modelUnderTest: { endpointId } });
      const uuid = Buffer.from(runId, 'base64url').toString().split(':')[1] as string;
      await assay.services.db.$executeRaw`
        UPDATE run SET status = 'FAILED', finished_at = now() WHERE id = ${uuid}::uuid`;
      await assay.services.db.$executeRaw`
        UPDATE run_conversation SET status = 'FAILED', reason = 'timeout' WHERE run_id = ${uuid}::uuid`;
      await remove(endpointId);
      const retried = await team.tryMutate('retryRun', { runId }, 'run { id }');
      expect(retried.userErrors).toMatchObject([{ code: 'CONFLICT', message: expect.stringContaining('deleted') }]);
      expect((await team.run(runId, 'status')).status).toBe('FAILED');
    });
  });
});

import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { uuidOf } from '../src/platform/relay/globalId.js';
import { type SimulatedProvider, startSimulatedProvider } from '../src/simulator/simulatedProvider.js';
import { Assay, type Data, Team } from './support/assay.js';
import { conversations, jsonl } from './support/dataset.js';
import { eventually } from './support/household.js';
import { simpleEvals, simpleEvalsEntry } from './support/importFiles.js';
import { answers, Receiver, takes } from './support/receiver.js';

const DELIVERY = `id messageId event status attempts responseStatus durationMs error nextAttemptAt lastAttemptAt body
  run { id }`;

describe('a webhook', () => {
  let assay: Assay;
  let provider: SimulatedProvider;
  let receiver: Receiver;
  let team: Team;
  let datasetId: string;
  let webhookId: string;
  let secret: string;

  beforeAll(async () => {
    provider = await startSimulatedProvider({ seed: 1 });
    receiver = await Receiver.start();
    assay = await Assay.start({ settings: { ASSAY_PUBLIC_URL: 'https://eval.example.org/' } });
  });
  afterAll(async () => {
    await assay.close();
    await provider.close();
    await receiver.close();
  });
  beforeEach(async () => {
    receiver.messages.length = 0;
    receiver.behaviour = takes;
    team = await assay.team();
    await team.endpoint(provider.url, {
      prices: [{ model: 'test-model', promptUsdPerMillion: 1, completionUsdPerMillion: 1 }],
    });
    datasetId = (await team.dataset(jsonl(conversations(4)))).id;
    ({ webhookId, secret } = await subscribe());
  });

  const subscribe = async (more: Data = {}) => {
    const input = { name: 'ci', url: receiver.url, ...more };
    const made = await team.mutate('createWebhook', input, 'webhook { id } secret');
    return { webhookId: made.webhook.id as string, secret: made.secret as string };
  };
  const deliveries = async (id = webhookId, filter = ''): Promise<Data[]> => {
    const query = `query ($id: ID!) { webhook(id: $id) { deliveries(first: 50${filter}) { nodes { ${DELIVERY} } } } }`;
    return (await team.query(query, { id })).webhook.deliveries.nodes;
  };
  const told = (count = 1) => eventually(async () => receiver.messages.length >= count);
  const finished = async (input: Data = {}): Promise<string> => {
    const runId = await team.start({ datasetId, name: 'nightly', ...input });
    await team.watch(runId);
    return runId;
  };

  it('is told of a completed run, with its score and what that stands on, signed', async () => {
    const runId = await finished();
    await told();
    const [message] = receiver.messages;
    const said = receiver.verified(message as never, secret);
    const { score } = await team.run(runId, 'score { value n coverage interval { low high confidence } }');
    expect(said).toMatchObject({
      type: 'run.completed',
      timestamp: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
      data: { run: { id: runId, name: 'nightly', status: 'COMPLETED', reason: null, simulated: false, score } },
    });
    expect(said.data.run.conversations).toEqual({ total: 4, scored: 4, ungraded: 0, failed: 0 });
    expect(said.data.run.url).toBe(`https://eval.example.org/runs/${runId}/export?table=runs&format=jsonl`);
    expect(message?.headers).toMatchObject({ 'content-type': 'application/json', 'user-agent': /^assay\// });
    expect(() =>
      receiver.verified({ ...(message as never as Data), body: `${message?.body} ` } as never, secret),
    ).toThrow();
  });

  it('is told of each end and pause by its own event, and of no other change', async () => {
    const types = () => receiver.messages.map(({ body }) => JSON.parse(body).type);
    const slow = await Receiver.start();
    slow.behaviour = () => {};
    const endpointId = await team.endpoint(slow.url);
    const waiting = { modelUnderTest: { endpointId }, grader: { endpointId } };
    const runId = await team.start({ datasetId, name: 'paused', ...waiting });
    await team.mutate('pauseRun', { runId }, 'run { id }');
    await told(1);
    await team.mutate('resumeRun', { runId }, 'run { id }');
    await team.mutate('cancelRun', { runId }, 'run { id }');
    await told(2);
    await slow.close();
    await team.start({ datasetId, name: 'poor', budget: { maxCalls: 2 } });
    await told(3);
    provider.configure({ failMalformed: 1 });
    await finished({ name: 'ungraded' });
    provider.configure({ failMalformed: 0 });
    await told(4);
    expect(types()).toEqual(['run.paused', 'run.cancelled', 'run.budget_reached', 'run.failed']);
    const [paused, , poor, failed] = receiver.messages.map((message) => receiver.verified(message, secret).data.run);
    expect(paused).toMatchObject({ status: 'PAUSED', reason: null, score: null });
    expect(poor).toMatchObject({ status: 'PAUSED', reason: expect.stringMatching(/budget/i) });
    expect(failed).toMatchObject({ status: 'FAILED', reason: expect.stringContaining('No conversation'), score: null });
  });

  it('gets only the events that it wants, and none while it is off', async () => {
    const other = await subscribe({ events: ['RUN_FAILED'] });
    await team.mutate('updateWebhook', { webhookId, enabled: false }, 'webhook { enabled }');
    await finished();
    await eventually(async () => (await assay.services.db.runStatusChange.count()) === 0);
    expect([...(await deliveries()), ...(await deliveries(other.webhookId))]).toEqual([]);
    await team.mutate('updateWebhook', { webhookId, enabled: true, events: ['RUN_COMPLETED'] }, 'webhook { events }');
    await finished({ name: 'again' });
    await told();
    expect((await deliveries()).map(({ event }) => event)).toEqual(['RUN_COMPLETED']);
  });

  it('is not told of a run that is imported: it did not end here', async () => {
    const list = conversations(4);
    const met = () => ({ criteria_met: true, explanation: 'Because.' });
    const file = simpleEvals(list.map((one) => simpleEvalsEntry(one, met)));
    const input = { datasetId, file, modelUnderTest: { model: 'a' }, grader: { model: 'b' } };
    const { run } = await team.mutate('importRun', input, 'run { status }');
    expect(run.status).toBe('COMPLETED');
    await finished();
    await told();
    expect(receiver.messages.map(({ body }) => JSON.parse(body).data.run.name)).toEqual(['nightly']);
  });

  it('never hears a text of a conversation, nor what a provider says', async () => {
    const records = jsonl(conversations(4))
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    const texts = records.flatMap(({ prompt, rubrics }) => [
      ...prompt.map(({ content }: Data) => content),
      ...rubrics.map(({ criterion }: Data) => criterion),
    ]);
    // As some do, it quotes what it refuses.
    const refusing = await Receiver.start();
    refusing.behaviour = answers(401, {}, JSON.stringify({ error: { message: `Bad key: ${texts[0]}` } }));
    const endpointId = await team.endpoint(refusing.url);
    await finished();
    const runId = await team.start({ datasetId, name: 'refused', modelUnderTest: { endpointId } });
    await told(2);
    await refusing.close();
    expect((await team.run(runId, 'statusReason')).statusReason).toContain(texts[0]);
    expect(JSON.parse(receiver.messages[1]?.body ?? '')).toMatchObject({
      type: 'run.paused',
      data: { run: { reason: 'Model under test: auth' } },
    });
    expect(texts.length).toBeGreaterThan(10);
    for (const { body } of receiver.messages) for (const text of texts) expect(body).not.toContain(text);
  });

  it('keeps a record of what was sent, page by page', async () => {
    const runId = await finished();
    await told();
    await eventually(async () => (await deliveries()).every(({ status }) => status === 'SUCCEEDED'));
    const [delivery] = await deliveries();
    expect(delivery).toMatchObject({
      event: 'RUN_COMPLETED',
      attempts: 1,
      responseStatus: 204,
      error: null,
      nextAttemptAt: null,
      messageId: receiver.messages[0]?.headers['webhook-id'],
      body: receiver.messages[0]?.body,
      run: { id: runId },
    });
    expect(delivery?.durationMs).toBeGreaterThanOrEqual(0);
    for (let i = 0; i < 2; i += 1) await team.mutate('testWebhook', { webhookId }, 'delivery { id }');
    const query = `query ($id: ID!, $after: String) { webhook(id: $id) { deliveries(first: 2, after: $after) {
      totalCount nodes { id event } pageInfo { hasNextPage endCursor } } } }`;
    const first = (await team.query(query, { id: webhookId })).webhook.deliveries;
    const after = first.pageInfo.endCursor;
    const second = (await team.query(query, { id: webhookId, after })).webhook.deliveries;
    expect([first.totalCount, first.pageInfo.hasNextPage, second.pageInfo.hasNextPage]).toEqual([3, true, false]);
    const events = [...first.nodes, ...second.nodes].map(({ event }: Data) => event);
    expect(events).toEqual(['TEST', 'TEST', 'RUN_COMPLETED']);
    expect(await deliveries(webhookId, ', status: FAILED')).toEqual([]);
  });

  it('forgets what was sent more than 30 days ago, and nothing that still waits', async () => {
    const { db } = assay.services;
    for (let i = 0; i < 2; i += 1) await team.mutate('testWebhook', { webhookId }, 'delivery { id }');
    await told(2);
    await eventually(async () => (await deliveries()).every(({ status }) => status === 'SUCCEEDED'));
    const createdAt = new Date(Date.now() - 31 * 86_400_000);
    const [newest] = await deliveries();
    const waits = { status: 'PENDING' as const, nextAttemptAt: new Date(Date.now() + 3_600_000) };
    await db.webhookDelivery.updateMany({
      where: { webhookId: uuidOf('Webhook', webhookId) as string },
      data: { createdAt },
    });
    await db.webhookDelivery.update({ where: { id: uuidOf('WebhookDelivery', newest?.id) as string }, data: waits });
    await finished();
    await told(3);
    expect((await deliveries()).map(({ event, id }) => [event, id === newest?.id])).toEqual([
      ['RUN_COMPLETED', false],
      ['TEST', true],
    ]);
  });

  it('can be tried out, also while it is off', async () => {
    await team.mutate('updateWebhook', { webhookId, enabled: false }, 'webhook { enabled }');
    const { delivery } = await team.mutate('testWebhook', { webhookId }, `delivery { ${DELIVERY} }`);
    expect(delivery).toMatchObject({ event: 'TEST', status: 'PENDING', run: null });
    await told();
    expect(receiver.verified(receiver.messages[0] as never, secret)).toMatchObject({
      type: 'webhook.test',
      data: { webhook: { id: webhookId, name: 'ci' } },
    });
  });

  it('is sent the same message again when somebody wants that', async () => {
    await finished();
    await told();
    const [delivery] = await deliveries();
    const again = await team.mutate('redeliverWebhook', { deliveryId: delivery?.id }, 'delivery { id messageId }');
    expect(again.delivery.id).not.toBe(delivery?.id);
    await told(2);
    const [one, two] = receiver.messages;
    expect(two?.body).toBe(one?.body);
    expect(two?.headers['webhook-id']).toBe(one?.headers['webhook-id']);
  });

  it('is the business of admins', async () => {
    const key = await team.mutate('createApiKey', { name: 'r', role: 'RUNNER' }, 'secret');
    const runner = new Team(assay, key.secret);
    await expect(runner.query('{ webhooks { url } }')).rejects.toThrow('FORBIDDEN');
    await expect(runner.tryMutate('testWebhook', { webhookId }, 'delivery { id }')).rejects.toThrow('FORBIDDEN');
  });

  it.each([
    [{ url: 'ftp://example.org/' }, 'url', /http or https/],
    [{ url: 'https://me:word@example.org/' }, 'url', /credentials/],
    [{ url: 'http://169.254.169.254/latest' }, 'url', /never called/],
    [{ url: 'https://example.org/#part' }, 'url', /fragment/],
    [{ events: [] }, 'events', /name an event/],
    [{ events: ['TEST'] }, 'events', /name an event/],
    [{ name: ' ' }, 'name', /empty/],
  ])('cannot be made with %j', async (wrong, path, message) => {
    const input = { name: 'ci', url: receiver.url, ...wrong };
    for (const [field, given] of Object.entries({ createWebhook: input, updateWebhook: { webhookId, ...wrong } })) {
      const { userErrors } = await team.tryMutate(field, given, 'webhook { id }');
      expect(userErrors).toEqual([{ code: 'INVALID_INPUT', message: expect.stringMatching(message), path: [path] }]);
    }
  });

  it('goes with its record when it is deleted, and what waits is not sent', async () => {
    receiver.behaviour = (response) => response.writeHead(500).end();
    await team.mutate('testWebhook', { webhookId }, 'delivery { id }');
    await told();
    await team.mutate('deleteWebhook', { webhookId }, 'webhook { id }');
    expect((await team.query('{ webhooks { id } }')).webhooks).toEqual([]);
    const where = { webhookId: uuidOf('Webhook', webhookId) as string };
    expect(await assay.services.db.webhookDelivery.count({ where })).toBe(0);
  });
});

import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { allowPrivateAddresses } from '../src/platform/outbound/addressGuard.js';
import { uuidOf } from '../src/platform/relay/globalId.js';
import { changeRunStatus } from '../src/runs/runStatus.js';
import { Assay, type Data, type Team } from './support/assay.js';
import { conversations, jsonl } from './support/dataset.js';
import { eventually } from './support/household.js';
import { answers, type Behaviour, Receiver, takes } from './support/receiver.js';
import { WorkerProcesses } from './support/workerProcess.js';

describe('a receiver that', () => {
  let assay: Assay;
  let receiver: Receiver;
  let team: Team;
  let webhookId: string;
  let datasetId: string;

  beforeAll(async () => {
    receiver = await Receiver.start();
    assay = await Assay.start();
  });
  afterAll(async () => {
    await assay.close();
    await receiver.close();
  });
  beforeEach(async () => {
    receiver.messages.length = 0;
    receiver.behaviour = takes;
    team = await assay.team();
    webhookId = await subscribe('ci', receiver.url);
    await team.endpoint('http://127.0.0.1:9/v1');
    datasetId = (await team.dataset(jsonl(conversations(1)))).id;
  });
  afterEach(() => allowPrivateAddresses(true));

  const subscribe = async (name: string, url: string): Promise<string> =>
    (await team.mutate('createWebhook', { name, url }, 'webhook { id }')).webhook.id;
  const deliveries = async (id = webhookId): Promise<Data[]> => {
    const query = `query ($id: ID!) { webhook(id: $id) { deliveries(first: 50) {
      nodes { id messageId event status attempts responseStatus error nextAttemptAt lastAttemptAt } } } }`;
    return (await team.query(query, { id })).webhook.deliveries.nodes;
  };
  /** Cancels a run, of which the webhooks are told. */
  const event = async (): Promise<void> => {
    const runId = await team.start({ datasetId });
    await team.mutate('cancelRun', { runId }, 'run { id }');
  };
  /** Tells the webhook of something and returns the delivery once it is over. */
  const delivered = async (behaviour: Behaviour): Promise<Data> => {
    receiver.behaviour = behaviour;
    const before = (await deliveries()).length;
    await event();
    let found: Data[] = [];
    await eventually(async () => {
      found = await deliveries();
      return found.length > before && found[0]?.status !== 'PENDING';
    });
    return found[0] as Data;
  };

  it('fails for a while is told again, as the same message with a fresh time', async () => {
    const delivery = await delivered((response, nth) => response.writeHead(nth < 3 ? 503 : 200).end('later'));
    expect(delivery).toMatchObject({ status: 'SUCCEEDED', attempts: 3, responseStatus: 200, error: null });
    const ids = receiver.messages.map(({ headers }) => headers['webhook-id']);
    expect(new Set(ids)).toEqual(new Set([delivery.messageId]));
    expect(new Set(receiver.messages.map(({ body }) => body)).size).toBe(1);
  });

  it('fails all the time is given up in the end, with what it said', async () => {
    const delivery = await delivered(answers(500, {}, `no\nspace ${'x'.repeat(5_000)}`));
    expect(delivery).toMatchObject({ status: 'FAILED', attempts: 4, responseStatus: 500, nextAttemptAt: null });
    expect(delivery.error).toMatch(/^The receiver answered \(HTTP 500\): no space x+$/);
    expect(delivery.error.length).toBeLessThan(300);
  });

  it('asks to wait is waited for, though not for ever', async () => {
    await delivered((response, nth) => response.writeHead(nth === 1 ? 429 : 200, { 'retry-after': '1' }).end());
    const [first, second] = receiver.messages.map(({ at }) => at) as [number, number];
    expect(second - first).toBeGreaterThanOrEqual(1_000);
    receiver.messages.length = 0;
    await delivered((response, nth) => response.writeHead(nth === 1 ? 429 : 200, { 'retry-after': '86400' }).end());
    expect(receiver.messages).toHaveLength(2);
  });

  it('is gone for good switches its webhook off, which the audit log tells', async () => {
    const delivery = await delivered(answers(410));
    expect(delivery).toMatchObject({ status: 'FAILED', attempts: 1, responseStatus: 410 });
    const query = `{ webhooks { enabled disabledReason } auditEvents(first: 1) { nodes { action actorKind actorName } } }`;
    const { webhooks, auditEvents } = await team.query(query);
    expect(webhooks).toEqual([{ enabled: false, disabledReason: expect.stringContaining('410') }]);
    expect(auditEvents.nodes).toEqual([{ action: 'updateWebhook', actorKind: 'SYSTEM', actorName: 'webhooks' }]);
    const { userErrors } = await team.tryMutate('redeliverWebhook', { deliveryId: delivery.id }, 'delivery { id }');
    expect(userErrors).toMatchObject([{ code: 'CONFLICT', path: ['deliveryId'] }]);
    await team.mutate('updateWebhook', { webhookId, enabled: true }, 'webhook { id }');
    expect((await team.query(query)).webhooks).toEqual([{ enabled: true, disabledReason: null }]);
  });

  it('redirects is not followed', async () => {
    const delivery = await delivered(answers(307, { location: receiver.url.replace('hook', 'stolen') }));
    expect(delivery).toMatchObject({ status: 'FAILED', responseStatus: 307 });
    expect(delivery.error).toContain('not followed');
    expect(receiver.messages).toHaveLength(4);
  });

  it('does not answer in time is left, and keeps no other waiting', async () => {
    const quick = await Receiver.start();
    const other = await subscribe('quick', quick.url);
    receiver.behaviour = () => {};
    for (let i = 0; i < 6; i += 1) await team.mutate('testWebhook', { webhookId }, 'delivery { id }');
    const asked = Date.now();
    await team.mutate('testWebhook', { webhookId: other }, 'delivery { id }');
    await eventually(async () => quick.messages.length === 1);
    // Six that hang take 500 ms each, two at a time.
    expect(Date.now() - asked).toBeLessThan(1_200);
    await eventually(async () => (await deliveries()).every(({ status }) => status === 'FAILED'));
    expect((await deliveries()).map(({ error }) => error)).toEqual(Array(6).fill('No answer within 0.5 s.'));
    await quick.close();
  });

  it('cannot be reached, or lies where it may not, gets nothing, and the delivery says why', async () => {
    const gone = await Receiver.start();
    const { url } = gone;
    await gone.close();
    await team.mutate('updateWebhook', { webhookId, url }, 'webhook { id }');
    expect((await delivered(takes)).error).toMatch(/ECONNREFUSED/);
    await team.mutate(
      'updateWebhook',
      { webhookId, url: receiver.url.replace('127.0.0.1', 'localhost') },
      'webhook { id }',
    );
    allowPrivateAddresses(false);
    expect((await delivered(takes)).error).toMatch(/private.*ASSAY_ALLOW_PRIVATE_ADDRESSES/);
    expect(receiver.messages).toEqual([]);
  });

  it('is being tried again can be told anew at once', async () => {
    receiver.behaviour = (response, nth) => response.writeHead(nth === 1 ? 503 : 200, { 'retry-after': '1' }).end();
    await event();
    await eventually(async () => (await deliveries())[0]?.attempts === 1);
    const [waiting] = await deliveries();
    expect(waiting).toMatchObject({ status: 'PENDING', nextAttemptAt: expect.any(String) });
    await team.mutate('redeliverWebhook', { deliveryId: waiting?.id }, 'delivery { id }');
    await eventually(async () => (await deliveries())[0]?.status === 'SUCCEEDED');
    expect((await deliveries())[1]).toMatchObject({ status: 'FAILED', error: expect.stringContaining('anew') });
    // The job of the attempt that was due finds that nothing is left to do.
    await new Promise((resolve) => setTimeout(resolve, 1_600));
    expect(receiver.messages).toHaveLength(2);
  });
});

describe('a worker that is killed', () => {
  let assay: Assay;
  let receiver: Receiver;
  let workers: WorkerProcesses;

  beforeAll(async () => {
    receiver = await Receiver.start();
    assay = await Assay.start({ workers: false });
    workers = new WorkerProcesses(assay);
  });
  afterAll(async () => {
    await workers.killAll();
    await assay.close();
    await receiver.close();
  });

  it('loses no event: what happened is written with the change of the run, or not at all', async () => {
    const { db, queue } = assay.services;
    const team = await assay.team();
    await team.endpoint('http://127.0.0.1:9/v1');
    await team.mutate('createWebhook', { name: 'ci', url: receiver.url }, 'webhook { id }');
    const datasetId = (await team.dataset(jsonl(conversations(1)))).id;
    const id = await team.start({ datasetId });
    const { teamId, id: runId } = await db.run.findUniqueOrThrow({ where: { id: uuidOf('Run', id) as string } });
    const undone = db.$transaction(async (tx) => {
      await changeRunStatus(tx, queue, { teamId, runId, to: 'PAUSED' });
      throw new Error('undone');
    });
    await expect(undone).rejects.toThrow('undone');
    expect(await db.runStatusChange.count()).toBe(0);
    // No worker is there; the API may be killed now.
    await team.mutate('cancelRun', { runId: id }, 'run { id }');
    expect(await db.runStatusChange.findMany()).toMatchObject([{ runId, status: 'CANCELLED' }]);
    const worker = workers.start();
    await eventually(async () => receiver.messages.length === 1);
    expect(JSON.parse(receiver.messages[0]?.body ?? '')).toMatchObject({
      type: 'run.cancelled',
      data: { run: { id } },
    });
    expect(await db.runStatusChange.count()).toBe(0);
    await workers.kill(worker);
    receiver.messages.length = 0;
  }, 30_000);

  it('in the middle of a delivery leaves it to another, which sends the same message', async () => {
    const team = await assay.team();
    const input = { name: 'ci', url: receiver.url };
    const { webhook } = await team.mutate('createWebhook', input, 'webhook { id }');
    await team.mutate('testWebhook', { webhookId: webhook.id }, 'delivery { id }');
    // The first attempt gets no answer before the kill.
    receiver.behaviour = (response, nth) => nth > 1 && response.writeHead(200).end();
    const first = workers.start();
    await eventually(async () => receiver.messages.length === 1);
    await workers.kill(first);
    workers.start();
    for (let i = 0; receiver.messages.length < 2 && i < 300; i += 1) await new Promise((done) => setTimeout(done, 100));
    const [one, two] = receiver.messages;
    expect(two?.headers['webhook-id']).toBe(one?.headers['webhook-id']);
    expect(two?.body).toBe(one?.body);
    const query = '{ webhooks { deliveries(first: 1) { nodes { status attempts } } } }';
    await eventually(async () => (await team.query(query)).webhooks[0].deliveries.nodes[0].status === 'SUCCEEDED');
    expect((await team.query(query)).webhooks[0].deliveries.nodes).toEqual([{ status: 'SUCCEEDED', attempts: 1 }]);
  }, 60_000);
});

import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { ConversationSettler } from '../src/grading/settle.js';
import { type OpenDatabase, openDatabase } from '../src/platform/database.js';
import { LeaseLost } from '../src/platform/queue.js';
import { uuidOf } from '../src/platform/relay/globalId.js';
import { changeRunStatus } from '../src/runs/runStatus.js';
import { markReplied } from '../src/runs/settleConversation.js';
import { noUsage } from '../src/runs/usage.js';
import { recordUngraded } from '../src/verdicts/recordUngraded.js';
import { type NewVerdict, recordVerdicts } from '../src/verdicts/recordVerdicts.js';
import { Assay, type Team } from './support/assay.js';
import { expectConsistent, until } from './support/consistency.js';
import { conversations, jsonl } from './support/dataset.js';

const CALL = { ...noUsage, calls: 1 };
/** Three criteria each. */
const list = [conversations(1)[0], { ...conversations(1)[0], promptId: 'second' }] as ReturnType<typeof conversations>;
const criteria = [0, 1, 2];

const verdict = (ordinal: number, criterionNo: number): NewVerdict => ({
  ordinal,
  criterionNo,
  points: 1,
  criteriaMet: true,
  explanation: 'invented',
  latencyMs: 1,
  usage: CALL,
  reported: { promptTokens: null, completionTokens: null, cachedTokens: null, reasoningTokens: null },
});

describe('verdicts that come late', () => {
  let assay: Assay;
  let team: Team;
  let datasetId: string;
  let id: string;
  let key: { teamId: string; runId: string };
  let settler: ConversationSettler;
  /** As the owner, with connections for all that wait for each other. */
  let open: OpenDatabase;
  let owner: ReturnType<OpenDatabase['client']>;

  beforeAll(async () => {
    assay = await Assay.start({ workers: false });
    open = openDatabase(assay.databaseUrl, 6, () => {});
    owner = open.client({ name: 'app.nothing', value: '' });
    team = await assay.team();
    await team.endpoint('http://127.0.0.1:9/v1');
    datasetId = (await team.dataset(jsonl(list))).id;
  });
  beforeEach(async () => {
    id = await team.start({ datasetId });
    const run = await db().run.findUniqueOrThrow({ where: { id: uuidOf('Run', id) as string } });
    key = { teamId: run.teamId, runId: run.id };
    await changeRunStatus(db(), { ...key, to: 'RUNNING' });
    await markReplied(db(), key.runId, [0, 1], CALL);
    await db().reply.createMany({
      data: [0, 1].map((ordinal) => ({ ...key, ordinal, text: 'invented', latencyMs: 1, attempts: 1 })),
    });
    settler = new ConversationSettler({
      db: db(),
      // The job of the second conversation has been taken over by somebody else.
      queue: { assertHeld: async (_tx, lease) => (lease.id === 'lost' ? Promise.reject(new LeaseLost()) : undefined) },
      replanner: { settled: () => {} },
    });
  });
  afterAll(async () => {
    await open.close();
    await assay.close();
  });

  const db = () => owner;
  const ungraded = (ordinal: number, criterionNo: number) => db().$transaction((tx) => note(tx, ordinal, criterionNo));
  const note = (tx: Parameters<typeof recordUngraded>[0], ordinal: number, criterionNo: number) =>
    recordUngraded(tx, key.runId, { ordinal, criterionNo, reason: 'empty', message: 'invented', usage: CALL });
  const settle = (ordinal: number, lease = 'held') =>
    settler.settle({ ...key, ordinal }, 'invented', { queue: '', id: lease, attempt: 0 });
  const calls = async () => (await db().verdictLog.findUniqueOrThrow({ where: { runId: key.runId } })).graderCalls;
  const statuses = async () => {
    const rows = await db().runConversation.findMany({ where: { runId: key.runId }, orderBy: { ordinal: 'asc' } });
    return rows.map(({ status }) => status);
  };
  /** Both kinds of end of each criterion: never the two together. */
  const ends = async () => {
    const { runId } = key;
    const verdicts = await db().criterionVerdict.findMany({ where: { runId } });
    const notes = await db().ungradedCriterion.findMany({ where: { runId } });
    const name = (row: { ordinal: number; criterionNo: number }) => `${row.ordinal}:${row.criterionNo}`;
    expect(verdicts.map(name).filter((one) => notes.map(name).includes(one))).toEqual([]);
    return { verdicts: verdicts.length, notes: notes.length };
  };

  it('change nothing of a conversation that is settled, nor of a run that is over, but are counted as calls', async () => {
    await recordVerdicts(db(), key.runId, [verdict(0, 0), verdict(0, 1)]);
    await ungraded(0, 2);
    await settle(0);
    expect(await recordVerdicts(db(), key.runId, [verdict(0, 2), verdict(1, 0)])).toBe(1);
    for (const no of [1, 2]) await ungraded(1, no);
    await settle(1);
    expect(await statuses()).toEqual(['UNGRADED', 'UNGRADED']);
    await changeRunStatus(db(), { ...key, to: 'FAILED' });
    expect(await recordVerdicts(db(), key.runId, [verdict(0, 2), verdict(1, 1)])).toBe(0);
    expect(await ends()).toEqual({ verdicts: 3, notes: 3 });
    expect(await calls()).toBe(9);
    await expectConsistent(assay, id);
  });

  it('wait for a note that is being written, and then take its place', async () => {
    let recording = Promise.resolve(0);
    await db().$transaction(async (tx) => {
      await note(tx, 0, 0);
      recording = recordVerdicts(db(), key.runId, [verdict(0, 0), verdict(1, 0)]);
      await waitsForLock();
    });
    expect(await recording).toBe(2);
    expect(await ends()).toEqual({ verdicts: 2, notes: 0 });
    await expectConsistent(assay, id);
  });

  it('that come while their conversation is ended without them are none', async () => {
    await recordVerdicts(db(), key.runId, [verdict(0, 0), verdict(0, 1)]);
    await ungraded(0, 2);
    let recording = Promise.resolve(0);
    // The settling waits for this lock after it has taken that of the log.
    await db().$transaction(async (tx) => {
      await tx.$queryRaw`SELECT 1 FROM run_conversation WHERE run_id = ${key.runId}::uuid FOR NO KEY UPDATE`;
      void settle(0);
      await waitsForLock();
      recording = recordVerdicts(db(), key.runId, [verdict(0, 2)]);
      await waitsForLock(2);
    });
    expect(await recording).toBe(0);
    expect((await statuses())[0]).toBe('UNGRADED');
    expect(await ends()).toEqual({ verdicts: 2, notes: 1 });
    await expectConsistent(assay, id);
  });

  it('let a conversation be scored whose settling had begun without them', async () => {
    await recordVerdicts(db(), key.runId, [verdict(0, 0), verdict(0, 1)]);
    await ungraded(0, 2);
    let settling = Promise.resolve();
    await db().$transaction(async (tx) => {
      await tx.$queryRaw`SELECT 1 FROM verdict_log WHERE run_id = ${key.runId}::uuid FOR UPDATE`;
      settling = settle(0);
      await waitsForLock();
      expect(await recordVerdicts(tx as ReturnType<typeof db>, key.runId, [verdict(0, 2)])).toBe(1);
    });
    await settling;
    expect((await statuses())[0]).toBe('SCORED');
    await expectConsistent(assay, id);
  });

  it('and lost leases of one conversation do not keep another from being settled', async () => {
    await recordVerdicts(
      db(),
      key.runId,
      criteria.slice(1).flatMap((no) => [verdict(0, no), verdict(1, no)]),
    );
    await ungraded(0, 0);
    await ungraded(1, 0);
    const [first, , second] = await Promise.allSettled([settle(0), settle(0), settle(1, 'lost')]);
    expect(first).toEqual({ status: 'fulfilled', value: undefined });
    expect(second).toEqual({ status: 'rejected', reason: new LeaseLost() });
    expect(await statuses()).toEqual(['UNGRADED', 'REPLIED']);
    await expectConsistent(assay, id);
  });

  /** Resolves when so many statements wait for a lock in this database. */
  const waitsForLock = (statements = 1) =>
    until(async () => {
      const rows = await db().$queryRaw<unknown[]>`
        SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`;
      return rows.length >= statements;
    }, 10);
});

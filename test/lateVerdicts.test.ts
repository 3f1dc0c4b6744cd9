import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { ConversationSettler } from '../src/grading/settle.js';
import type { Database, Queryable } from '../src/platform/database.js';
import { LeaseLost } from '../src/platform/queue.js';
import { changeRunStatus } from '../src/runs/runStatus.js';
import { countGraderCalls, holdLog, recordUngraded } from '../src/verdicts/recordUngraded.js';
import { recordVerdicts } from '../src/verdicts/recordVerdicts.js';
import { expectConsistent } from './support/consistency.js';
import { ONE_CALL, RepliedRun, Stage } from './support/repliedRun.js';

describe('verdicts that come late', () => {
  let stage: Stage;
  let db: Database;
  let run: RepliedRun;
  let settler: ConversationSettler;

  beforeAll(async () => {
    stage = await Stage.start();
    ({ db } = stage);
  });
  beforeEach(async () => {
    run = await RepliedRun.start(stage);
    settler = new ConversationSettler({
      db,
      // Jobs of this name have been taken over by somebody else.
      queue: {
        assertHeld: async (_tx, lease) => (lease.id === 'lost' ? Promise.reject(new LeaseLost()) : undefined),
        send: async () => {},
      },
      replanner: { settled: () => {} },
    });
  });
  afterAll(() => stage.close());

  const record = (...criteria: [ordinal: number, criterionNo: number][]) =>
    recordVerdicts(
      db,
      run.runId,
      criteria.map(([ordinal, no]) => run.verdict(ordinal, no)),
    );
  const note = async (tx: Queryable, ordinal: number, criterionNo: number) => {
    const calls = { teamId: run.teamId, runId: run.runId, ordinal, criterionNo, usage: ONE_CALL, failedAttempts: [] };
    await countGraderCalls(tx, [calls]);
    await recordUngraded(tx, run.runId, [{ ...calls, reason: 'empty', message: 'invented' }]);
  };
  const ungraded = (ordinal: number, criterionNo: number) => db.$transaction((tx) => note(tx, ordinal, criterionNo));
  const settle = (ordinal: number, lease = 'held') => {
    const { teamId, runId } = run;
    return settler.settle({ teamId, runId, ordinal }, 'invented', { queue: '', id: lease, attempt: 0 });
  };

  it('change nothing of a conversation that is settled, nor of a run that is over, but are counted as calls', async () => {
    await record([0, 0], [0, 1]);
    await ungraded(0, 2);
    await settle(0);
    expect(await record([0, 2], [1, 0])).toBe(1);
    for (const no of [1, 2]) await ungraded(1, no);
    await settle(1);
    expect(await run.statuses()).toEqual(['UNGRADED', 'UNGRADED']);
    await changeRunStatus(db, stage.assay.services.queue, { teamId: run.teamId, runId: run.runId, to: 'FAILED' });
    expect(await record([0, 2], [1, 1])).toBe(0);
    expect(await run.ends()).toEqual({ verdicts: 3, notes: 3 });
    expect(await run.graderCalls()).toBe(9);
    await expectConsistent(stage.assay, run.id);
  });

  it('wait for a note that is being written, and then take its place', async () => {
    let recording = Promise.resolve(0);
    await db.$transaction(async (tx) => {
      await note(tx, 0, 0);
      recording = record([0, 0], [1, 0]);
      await stage.lockWaits();
    });
    expect(await recording).toBe(2);
    expect(await run.ends()).toEqual({ verdicts: 2, notes: 0 });
    await expectConsistent(stage.assay, run.id);
  });

  it('that come while their conversation is ended without them are none', async () => {
    await record([0, 0], [0, 1]);
    await ungraded(0, 2);
    let recording = Promise.resolve(0);
    // The settling waits for this lock when it holds the log already.
    await db.$transaction(async (tx) => {
      await tx.$queryRaw`SELECT 1 FROM run_conversation WHERE run_id = ${run.runId}::uuid FOR NO KEY UPDATE`;
      void settle(0);
      await stage.lockWaits();
      recording = record([0, 2]);
      await stage.lockWaits(2);
    });
    expect(await recording).toBe(0);
    expect((await run.statuses())[0]).toBe('UNGRADED');
    expect(await run.ends()).toEqual({ verdicts: 2, notes: 1 });
    await expectConsistent(stage.assay, run.id);
  });

  it('let a conversation be scored whose settling had begun without them', async () => {
    await record([0, 0], [0, 1]);
    await ungraded(0, 2);
    // The settling waits for this lock when it has looked at the verdicts once.
    let settling = Promise.resolve();
    await db.$transaction(async (tx) => {
      await tx.$queryRaw`SELECT 1 FROM verdict_log WHERE run_id = ${run.runId}::uuid FOR NO KEY UPDATE`;
      settling = settle(0);
      await stage.lockWaits();
      expect(await recordVerdicts(tx as Database, run.runId, [run.verdict(0, 2)])).toBe(1);
    });
    await settling;
    expect((await run.statuses())[0]).toBe('SCORED');
    await expectConsistent(stage.assay, run.id);
  });

  it('and a lost lease of one conversation do not keep another from being settled', async () => {
    for (const ordinal of [0, 1]) {
      await record([ordinal, 1], [ordinal, 2]);
      await ungraded(ordinal, 0);
    }
    const [, first, second] = await Promise.allSettled([settle(0), settle(0), settle(1, 'lost')]);
    expect(first).toEqual({ status: 'fulfilled', value: undefined });
    expect(second).toEqual({ status: 'rejected', reason: new LeaseLost() });
    expect(await run.statuses()).toEqual(['UNGRADED', 'REPLIED']);
    await expectConsistent(stage.assay, run.id);
  });

  it('do not wait for long for a process that fell asleep with the log in its hand', async () => {
    const sleeper = db.$transaction(async (tx) => {
      await holdLog(tx, run.runId);
      await record([0, 0]);
      // Awake again: it has nothing in its hand any more.
      await note(tx, 0, 0);
    });
    await expect(sleeper).rejects.toThrow();
    expect(await run.ends()).toEqual({ verdicts: 1, notes: 0 });
    await expectConsistent(stage.assay, run.id);
  });
});

import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { generateReplyHandler } from '../src/generation/generateReply.job.js';
import { ReplyWriter } from '../src/generation/replyWriter.js';
import { gradeConversationHandler } from '../src/grading/gradeConversation.job.js';
import { ConversationSettler } from '../src/grading/settle.js';
import type { Database, Queryable } from '../src/platform/database.js';
import { LeaseLost } from '../src/platform/queue.js';
import { ActiveRuns } from '../src/scheduling/activeRuns.js';
import { Budgets } from '../src/scheduling/budgets.js';
import type { AttemptRecord } from '../src/scheduling/callModel.js';
import { ConversationLoader } from '../src/scheduling/conversationWork.js';
import { EndpointLimiter } from '../src/scheduling/endpointLimiter.js';
import { Replanner } from '../src/scheduling/replanner.js';
import { RunSlots } from '../src/scheduling/runSlots.js';
import { type SimulatedProvider, startSimulatedProvider } from '../src/simulator/simulatedProvider.js';
import { UngradedWriter } from '../src/verdicts/ungradedWriter.js';
import { VerdictWriter } from '../src/verdicts/verdictWriter.js';
import { ONE_CALL, RepliedRun, Stage } from './support/repliedRun.js';

const FAILED: AttemptRecord = {
  at: new Date(),
  latencyMs: 1,
  errorClass: 'RETRY_LATER',
  reason: 'empty',
  status: 200,
  message: 'invented',
  raw: '',
  usage: { promptTokens: 1, completionTokens: 1, cachedTokens: null, reasoningTokens: null },
};
const TWO_CALLS = { ...ONE_CALL, calls: 2 };

/** The database over a connection that breaks once, after the first write has been committed. */
function losingOneAnswer(db: Database): Database {
  let broken = false;
  const lose = async (answer: Promise<unknown>) => {
    const value = await answer;
    if (broken) return value;
    broken = true;
    throw new Error('Connection terminated unexpectedly');
  };
  const methods: Record<string, unknown> = {
    $queryRaw: (...args: Parameters<Database['$queryRaw']>) => lose(db.$queryRaw(...args)),
    $transaction: (write: (tx: Queryable) => Promise<unknown>) => lose(db.$transaction(write)),
  };
  return new Proxy(db, { get: (target, name) => methods[name as string] ?? Reflect.get(target, name) });
}

describe('calls that were paid for', () => {
  let stage: Stage;
  let provider: SimulatedProvider;
  let run: RepliedRun;

  beforeAll(async () => {
    provider = await startSimulatedProvider();
    stage = await Stage.start(provider.url);
  });
  beforeEach(async () => {
    run = await RepliedRun.start(stage);
  });
  afterAll(async () => {
    await stage.close();
    await provider.close();
  });

  const failedCalls = () => stage.db.failedCall.count({ where: { runId: run.runId } });
  const receipts = () => stage.db.writeReceipt.count({ where: { runId: run.runId } });

  describe('are counted once when the answer of the database is lost', () => {
    it.each([
      ['a verdict', []],
      ['a verdict after a failed attempt', [FAILED]],
    ])('to %s', async (_what, failedAttempts) => {
      const verdicts = new VerdictWriter(losingOneAnswer(stage.db));
      await verdicts.record(run.runId, { ...run.verdict(0, 0), usage: TWO_CALLS, failedAttempts });
      expect(await run.graderCalls()).toBe(2);
      expect(await run.ends()).toEqual({ verdicts: 1, notes: 0 });
      expect(await failedCalls()).toBe(failedAttempts.length);
      expect(await receipts()).toBe(1);
    });

    it('to a verdict that somebody else had recorded', async () => {
      await new VerdictWriter(stage.db).record(run.runId, run.verdict(0, 0));
      await new VerdictWriter(losingOneAnswer(stage.db)).record(run.runId, run.verdict(0, 0));
      expect(await run.graderCalls()).toBe(2);
      expect(await run.ends()).toEqual({ verdicts: 1, notes: 0 });
    });

    it('to a reply, which then is graded once', async () => {
      const { teamId, runId, db } = run;
      await db.reply.deleteMany({ where: { runId } });
      await db.runConversation.updateMany({ where: { runId }, data: { status: 'PENDING' } });
      const replies = new ReplyWriter(losingOneAnswer(db), stage.assay.services.queue);
      const calls = { usage: TWO_CALLS, reported: FAILED.usage, latencyMs: 1, failedAttempts: [FAILED] };
      const before = await run.modelCalls();
      await replies.store(runId, { teamId, ordinal: 1, text: 'invented', finishReason: 'stop', ...calls });
      expect((await run.modelCalls()) - before).toBe(2);
      expect(await failedCalls()).toBe(1);
      expect(await run.statuses()).toEqual(['PENDING', 'REPLIED']);
    });
  });

  describe('are counted with what came back, and decide nothing, when the lease is lost', () => {
    let activeRuns: ActiveRuns;
    const context = () => {
      const never = new AbortController().signal;
      const lease = { queue: 'grade-conversation', id: crypto.randomUUID(), attempt: 0 };
      return { stop: never, abort: never, lease, takeMore() {} };
    };
    const services = () => {
      const { queue, secrets, log, wakeUps } = stage.assay.services;
      const { db } = stage;
      const limiter = new EndpointLimiter();
      activeRuns = new ActiveRuns(stage.assay.serviceDb, wakeUps, log);
      const replanner = new Replanner(queue, db, log);
      return {
        db,
        queue,
        loader: new ConversationLoader(db, secrets),
        activeRuns,
        budgets: new Budgets(log),
        replanner,
        slots: new RunSlots(limiter),
        verdicts: new VerdictWriter(db),
        ungraded: new UngradedWriter(db, queue),
        replies: new ReplyWriter(db, queue),
        settler: new ConversationSettler({ db, queue, replanner }),
        call: { limiter, maxAttempts: 3, backoffBaseMs: 1 },
      };
    };

    beforeEach(() => provider.configure({ failEmpty: 1 }));
    afterAll(() => activeRuns.close());

    it('of the grader', async () => {
      const handler = gradeConversationHandler(services());
      const { teamId, runId } = run;
      await expect(handler.run({ teamId, runId, ordinal: 0 }, context())).rejects.toThrow(LeaseLost);
      expect(await run.ends()).toEqual({ verdicts: 0, notes: 0 });
      expect(await run.graderCalls()).toBe(9);
      expect(await failedCalls()).toBe(9);
      expect(await run.statuses()).toEqual(['REPLIED', 'REPLIED']);
    });

    it('of the model under test', async () => {
      const { teamId, runId, db } = run;
      await db.runConversation.updateMany({ where: { runId }, data: { status: 'PENDING' } });
      const before = await run.modelCalls();
      const handler = generateReplyHandler(services());
      await expect(handler.run({ teamId, runId, ordinal: 0 }, context())).rejects.toThrow(LeaseLost);
      expect((await run.modelCalls()) - before).toBe(3);
      expect(await failedCalls()).toBe(3);
      expect(await run.statuses()).toEqual(['PENDING', 'PENDING']);
    });
  });
});

import { GRADER_SCHEMA, type GraderTemplate, graderTemplate, renderGraderPrompt } from '../healthbench/graderPrompt.js';
import { readGraderReply } from '../healthbench/graderReply.js';
import type { ConversationJob } from '../jobs.js';
import type { Database, RubricCriterion } from '../platform/database.js';
import type { JobContext, JobHandler } from '../platform/jobWorker.js';
import type { JobQueue } from '../platform/queue.js';
import type { ModelSettings } from '../runs/modelSettings.js';
import { noUsage } from '../runs/usage.js';
import { writeOnce } from '../runs/writeOnce.js';
import type { ActiveRuns, RunSignals } from '../scheduling/activeRuns.js';
import { pauseRunsAt } from '../scheduling/breaker.js';
import type { Budgets } from '../scheduling/budgets.js';
import { type Accepted, type CallOptions, callModel, type ModelCall } from '../scheduling/callModel.js';
import { type ConversationLoader, type ConversationWork, sentMessages } from '../scheduling/conversationWork.js';
import type { Replanner } from '../scheduling/replanner.js';
import type { RunSlots } from '../scheduling/runSlots.js';
import { countGraderCalls } from '../verdicts/recordUngraded.js';
import type { UngradedWriter } from '../verdicts/ungradedWriter.js';
import type { VerdictWriter } from '../verdicts/verdictWriter.js';
import type { ConversationSettler } from './settle.js';

export interface GradingServices {
  db: Database;
  queue: Pick<JobQueue, 'send'>;
  loader: ConversationLoader;
  activeRuns: ActiveRuns;
  budgets: Budgets;
  replanner: Replanner;
  slots: RunSlots;
  verdicts: VerdictWriter;
  ungraded: UngradedWriter;
  settler: ConversationSettler;
  call: Partial<CallOptions>;
}

interface Verdict {
  criteriaMet: boolean;
  explanation: string;
}

/** `stopped`: the run is no longer RUNNING, so the criterion waits for it to go on. */
type CriterionOutcome = 'graded' | 'ungraded' | 'stopped';

/** Conversations of a run at once, for so many calls: each makes several at once, and its last one alone. */
export const gradingSlots = (calls: number): number => Math.ceil(calls / 3) + 6;

/**
 * Asks the grader once per criterion that has no verdict yet, all at once within the endpoint's limits.
 * Each verdict is committed as it arrives; when none is missing any more the conversation is settled.
 */
export const gradeConversationHandler = (services: GradingServices): JobHandler<ConversationJob> => ({
  run: (job, context) =>
    services.activeRuns.during(job.runId, async (signals) => {
      const work = await services.loader.load(job, 'grader');
      if (work?.conversation.status !== 'REPLIED' || work.reply === null) return;
      if (services.slots.learn(job.runId, work.target)) context.takeMore();
      const missing = await missingCriteria(services.db, work);
      const grader = new Grader(services, work, work.reply, signals, context);
      const outcomes = await grader.gradeAll(missing);
      if (!outcomes.includes('stopped')) return services.settler.settle(job, work.reply, context.lease);
      services.replanner.settled(job, 0);
      return 'unfinished';
    }),

  giveUp: async (job, error, lease) => {
    const work = await services.loader.load(job, 'grader');
    if (work === null) return;
    for (const { no } of await missingCriteria(services.db, work)) {
      const why = { reason: 'internal', message: error.message, usage: noUsage, failedAttempts: [] };
      await services.ungraded.note({ ...job, criterionNo: no, ...why }, lease);
    }
    await services.settler.settle(job, work.reply, lease);
  },
});

function missingCriteria(db: Database, { run, conversation }: ConversationWork): Promise<RubricCriterion[]> {
  return db.$queryRaw<RubricCriterion[]>`
    SELECT c.no, c.text, c.points, c.points_text AS "pointsText", c.tags FROM rubric_criterion c
    WHERE c.dataset_id = ${run.datasetId}::uuid AND c.conversation_no = ${conversation.conversationNo}
      AND NOT EXISTS (SELECT 1 FROM criterion_verdict v
        WHERE v.run_id = ${run.id}::uuid AND v.ordinal = ${conversation.ordinal} AND v.criterion_no = c.no)
    ORDER BY c.no`;
}

/** Grades the criteria of one reply. */
class Grader {
  readonly #abort: AbortSignal;
  readonly #stop: AbortSignal;
  /** Fires when a criterion has met an error: this job ends, and another attempt at it asks for the rest. */
  readonly #broken = new AbortController();
  readonly #settings: ModelSettings;
  readonly #template: GraderTemplate;

  constructor(
    private readonly services: GradingServices,
    private readonly work: ConversationWork,
    private readonly reply: string,
    signals: RunSignals,
    private readonly context: JobContext,
  ) {
    this.#abort = AbortSignal.any([signals.abort, context.abort]);
    this.#stop = AbortSignal.any([signals.stop, context.stop, this.#broken.signal]);
    this.#settings = work.run.grader as unknown as ModelSettings;
    const { graderPrompt, graderPromptName } = work.run;
    // Postgres checks that only an imported run may lack it, and such a run is never graded.
    if (graderPrompt === null || graderPromptName === null) throw new Error(`run ${work.run.id} has no grader prompt`);
    this.#template = graderTemplate(graderPrompt, graderPromptName);
  }

  /**
   * Throws the first error, but only when every call has ended: none goes on behind a job that is over. Those in
   * flight are finished and kept, since they are paid for; no other begins.
   */
  async gradeAll(criteria: RubricCriterion[]): Promise<CriterionOutcome[]> {
    const grading = criteria.map((criterion) =>
      this.#grade(criterion).catch((error) => {
        this.#broken.abort(error);
        throw error;
      }),
    );
    const outcomes = await Promise.allSettled(grading);
    if (this.#broken.signal.aborted) throw this.#broken.signal.reason;
    return outcomes.flatMap((outcome) => (outcome.status === 'fulfilled' ? [outcome.value] : []));
  }

  async #grade(criterion: RubricCriterion): Promise<CriterionOutcome> {
    const { run, conversation } = this.work;
    const of = { teamId: run.teamId, runId: run.id, ordinal: conversation.ordinal, criterionNo: criterion.no };
    const result = await this.#ask(criterion, ({ value, reply, usage, latencyMs, failedAttempts }) =>
      this.services.verdicts.record(run.id, {
        ...of,
        ...value,
        points: criterion.points,
        usage,
        reported: reply.usage,
        latencyMs,
        failedAttempts,
      }),
    );
    if (result.kind === 'ok') return 'graded';
    const { usage, failedAttempts } = result;
    const calls = { ...of, usage, failedAttempts };
    if (result.kind === 'failed' && !result.stopsRun) {
      const { reason, message } = result;
      await this.services.ungraded.note({ ...calls, reason, message }, this.context.lease);
      return 'ungraded';
    }
    if (usage.calls > 0) await writeOnce(this.services.db, of, (tx) => countGraderCalls(tx, [calls]));
    if (result.kind === 'failed') await this.#stopRuns(result);
    return 'stopped';
  }

  async #stopRuns({ reason, message }: { reason: string; message: string }): Promise<void> {
    const { run, target } = this.work;
    const { teamId, endpointId } = target;
    await pauseRunsAt(this.services, { teamId, runId: run.id, endpointId, model: run.graderModel, reason, message });
  }

  #ask(criterion: RubricCriterion, keep: (result: Accepted<Verdict>) => Promise<void>) {
    const { run, messages } = this.work;
    const model = run.modelUnderTest as unknown as ModelSettings;
    const { temperature, reasoningEffort, maxTokens, systemMessage } = this.#settings;
    const prompt = renderGraderPrompt(this.#template, {
      messages: sentMessages(messages, model.systemMessage),
      reply: this.reply,
      criterion,
    });
    const call: ModelCall<Verdict> = {
      ...this.work.target,
      runId: run.id,
      request: {
        model: this.#settings.model,
        messages: sentMessages([{ role: 'user', content: prompt }], systemMessage),
        jsonSchema: GRADER_SCHEMA,
        ...(temperature === null ? {} : { temperature }),
        ...(reasoningEffort === null ? {} : { reasoningEffort }),
        ...(maxTokens === null ? {} : { maxTokens }),
      },
      signal: this.#abort,
      startSignal: this.#stop,
      purse: this.services.budgets.purseOf(this.services.db, run, this.#settings),
      accept: (reply) => {
        const verdict = readGraderReply(reply);
        if ('error' in verdict) return { unusable: verdict.error, detail: verdict.detail };
        return { value: verdict };
      },
      keep,
    };
    return callModel(call, this.services.call);
  }
}

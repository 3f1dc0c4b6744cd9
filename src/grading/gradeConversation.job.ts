import { pauseReason, pauseUnlessDone } from '../generation/generateReply.job.js';
import { GRADER_SCHEMA, type GraderTemplate, graderTemplate, renderGraderPrompt } from '../healthbench/graderPrompt.js';
import { readGraderReply } from '../healthbench/graderReply.js';
import type { ConversationJob } from '../jobs.js';
import type { Database, RubricCriterion } from '../platform/database.js';
import type { JobHandler } from '../platform/jobWorker.js';
import type { JobQueue } from '../platform/queue.js';
import type { SecretBox } from '../platform/secretBox.js';
import type { ModelSettings } from '../runs/modelSettings.js';
import { noUsage } from '../runs/usage.js';
import type { ActiveRuns, RunSignals } from '../scheduling/activeRuns.js';
import type { Budgets } from '../scheduling/budgets.js';
import { type Accepted, type CallOptions, callModel, type ModelCall } from '../scheduling/callModel.js';
import {
  type CallTarget,
  type ConversationWork,
  loadConversationWork,
  loadTarget,
  sentMessages,
} from '../scheduling/conversationWork.js';
import { storeFailedCalls } from '../scheduling/failedCalls.js';
import { countGraderUsage, recordUngraded } from '../verdicts/recordVerdicts.js';
import type { VerdictWriter } from '../verdicts/verdictWriter.js';
import { settle } from './settle.js';

export interface GradingServices {
  db: Database;
  queue: JobQueue;
  secrets: SecretBox;
  activeRuns: ActiveRuns;
  budgets: Budgets;
  verdicts: VerdictWriter;
  call: Partial<CallOptions>;
}

interface Verdict {
  criteriaMet: boolean;
  explanation: string;
}

/** `stopped`: the run is no longer RUNNING, so the criterion waits for it to go on. */
type CriterionOutcome = 'graded' | 'ungraded' | 'stopped';

/**
 * Asks the grader once per criterion that has no verdict yet, all at once within the endpoint's limits.
 * Each verdict is committed as it arrives; when none is missing any more the conversation is settled.
 */
export const gradeConversationHandler = (services: GradingServices): JobHandler<ConversationJob> => ({
  run: (job, jobSignal) =>
    services.activeRuns.during(job.runId, async (signals) => {
      const work = await loadConversationWork(services.db, job);
      if (work === null || work.conversation.status !== 'REPLIED') return;
      const [reply, missing, target] = await Promise.all([
        services.db.reply.findUniqueOrThrow({ where: { runId_ordinal: { runId: job.runId, ordinal: job.ordinal } } }),
        missingCriteria(services.db, work),
        loadTarget(services.db, services.secrets, work.run.teamId, work.run.graderEndpointId),
      ]);
      const grader = new Grader(services, work, target, reply.text, signals, jobSignal);
      const outcomes = await Promise.all(missing.map((criterion) => grader.grade(criterion)));
      if (!outcomes.includes('stopped')) await settle(services, job);
    }),

  giveUp: async (job, error) => {
    const work = await loadConversationWork(services.db, job);
    if (work === null) return;
    for (const { no } of await missingCriteria(services.db, work)) {
      const ungraded = {
        ordinal: job.ordinal,
        criterionNo: no,
        reason: 'internal',
        message: error.message,
        usage: noUsage,
      };
      await recordUngraded(services.db, job.runId, ungraded);
    }
    await settle(services, job);
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
  readonly #settings: ModelSettings;
  readonly #template: GraderTemplate;

  constructor(
    private readonly services: GradingServices,
    private readonly work: ConversationWork,
    private readonly target: CallTarget,
    private readonly reply: string,
    private readonly signals: RunSignals,
    private readonly jobSignal: AbortSignal,
  ) {
    this.#settings = work.run.grader as unknown as ModelSettings;
    this.#template = graderTemplate(work.run.graderPrompt, work.run.graderPromptName);
  }

  async grade(criterion: RubricCriterion): Promise<CriterionOutcome> {
    const { run, conversation } = this.work;
    const of = { teamId: run.teamId, runId: run.id, ordinal: conversation.ordinal, criterionNo: criterion.no };
    const result = await this.#ask(criterion, async ({ value, reply, usage, latencyMs }) => {
      await this.services.verdicts.record(run.id, {
        ...of,
        ...value,
        points: criterion.points,
        usage,
        reported: reply.usage,
        latencyMs,
      });
    });
    await storeFailedCalls(this.services.db, of, result.failedAttempts);
    if (result.kind === 'ok') return 'graded';
    if (result.kind === 'stopped' || result.stopsRun) await countGraderUsage(this.services.db, run.id, result.usage);
    if (result.kind === 'stopped') return 'stopped';
    if (result.stopsRun) {
      const { teamId, runId, ordinal } = of;
      await pauseUnlessDone(this.services.db, { teamId, runId, ordinal }, pauseReason('Grader', result));
      return 'stopped';
    }
    const { reason, message, usage } = result;
    await recordUngraded(this.services.db, run.id, { ...of, reason, message, usage });
    return 'ungraded';
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
      ...this.target,
      runId: run.id,
      request: {
        model: this.#settings.model,
        messages: sentMessages([{ role: 'user', content: prompt }], systemMessage),
        jsonSchema: GRADER_SCHEMA,
        ...(temperature === null ? {} : { temperature }),
        ...(reasoningEffort === null ? {} : { reasoningEffort }),
        ...(maxTokens === null ? {} : { maxTokens }),
      },
      signal: AbortSignal.any([this.signals.abort, this.jobSignal]),
      startSignal: this.signals.stop,
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

import { Conflict, InvalidInput, NotFound } from '../errors.js';
import type { ModelPart } from '../healthbench/fingerprint.js';
import type { Scoring } from '../healthbench/scoringProfile.js';
import { Prisma, type Queryable, type Run, RunStatus } from '../platform/database.js';
import { globalId, requireUuid } from '../platform/relay/globalId.js';
import { cleanText } from '../platform/relay/wellFormed.js';
import type { SecretBox } from '../platform/secretBox.js';
import { VERSION } from '../version.js';
import { type BudgetInput, budgetLimits } from './budgetLimits.js';
import { regradeScoring, scoringColumn } from './chooseScoring.js';
import { findGraderTemplate, promptColumns } from './graderTemplate.js';
import { type ModelInput, type ModelSettings, modelSettings } from './modelSettings.js';
import { requireDetails } from './requireDetails.js';
import { rubricBounds } from './rubricBounds.js';
import { frozenFingerprint, partOf } from './runFingerprint.js';
import { isFinal } from './runStatus.js';
import type { Sample } from './sample.js';

export type RegradeGrader = ModelInput & { templateId?: string | null };

/**
 * The run whose replies are to be graded anew: of a regrade, the run that generated them, unless that, or its replies,
 * have been deleted and only the copies are left. Throws NotFound.
 */
export async function findRegradeSource(tx: Queryable, teamId: string, id: string): Promise<Run> {
  const given = await tx.run.findFirst({ where: { teamId, id: requireUuid('Run', id, 'runId') } });
  if (given === null) throw new NotFound('Run', ['runId']);
  if (given.regradeOfId === null) return given;
  const first = await tx.run.findUnique({ where: { id: given.regradeOfId, teamId } });
  return first === null || first.detailsDeletedAt !== null ? given : first;
}

/** Replies may still arrive: throws Conflict. */
function requireOver({ status }: Run): void {
  if (isFinal(status)) return;
  throw new Conflict(`The run is ${status}: its replies can be graded anew when it is over.`, ['runId']);
}

/**
 * Freezes a run over the same conversations and model under test, with another grader. Its conversations are
 * REPLIED where the source has a reply and FAILED with the reason where it has none, so that coverage stays
 * honest; the replies themselves are still to be copied. Throws InvalidInput for what the input says and when there
 * is no reply at all, Conflict while replies may still arrive.
 */
export async function freezeRegrade(
  tx: Queryable,
  secrets: SecretBox,
  source: Run,
  input: { name?: string | null; grader?: RegradeGrader | null; budget?: BudgetInput | null },
): Promise<Run> {
  const { teamId } = source;
  const grader = await modelSettings(tx, secrets, teamId, 'grader', graderInput(source, input.grader ?? {}));
  // The model under test is not called: only the grader costs anything.
  const budget = budgetLimits(input.budget ?? null, [grader]);
  const prompt = await graderPrompt(tx, source, input.grader?.templateId);
  requireOver(source);
  requireDetails(source, ['runId'], 'start a new run');
  const name = input.name == null ? regradeName(source.name, grader.model) : cleanText(input.name, ['name']);
  const { format } = await tx.dataset.findUniqueOrThrow({ where: { id: source.datasetId, teamId } });
  const scoring = regradeScoring(source.scoring as unknown as Scoring, format, grader);
  const columns = { ...inherited(source), ...prompt, ...graderColumns(source, grader, prompt, scoring) };
  const run = await tx.run.create({ data: { ...columns, name, budgeted: budget !== null } });
  await tx.verdictLog.create({ data: { teamId, runId: run.id } });
  if (budget !== null) await tx.runBudget.create({ data: { teamId, runId: run.id, ...budget } });
  const { replies, failed } = await freezeConversations(tx, run, source.id);
  if (replies === 0) throw new InvalidInput('The run has no reply that could be graded.', ['runId']);
  await tx.runProgress.create({ data: { teamId, runId: run.id, replies, failed } });
  return run;
}

/** What stays as it was: everything but the grader and what happened to the run. */
function inherited(source: Run) {
  const { id, regradeOfId, status, statusReason, detailsDeletedAt, origin, importKey, ...rest } = source;
  const { createdAt, startedAt, runningSince, finishedAt, ...frozen } = rest;
  return {
    ...frozen,
    sample: source.sample as Prisma.InputJsonValue,
    modelUnderTest: source.modelUnderTest as Prisma.InputJsonValue,
    regradeOfId: regradeOfId ?? id,
    status: RunStatus.QUEUED,
    version: VERSION,
  };
}

type PromptColumns = ReturnType<typeof promptColumns>;

/** Undefined: the source's; null: the built-in one. */
async function graderPrompt(tx: Queryable, source: Run, templateId: string | null | undefined): Promise<PromptColumns> {
  if (templateId === undefined) {
    const { graderPrompt: text, graderPromptName, graderPromptSha256 } = source;
    if (text !== null && graderPromptName !== null && graderPromptSha256 !== null) {
      return { graderPrompt: text, graderPromptName, graderPromptSha256 };
    }
    throw new InvalidInput(
      'The run was imported and the text of its grader prompt is not known: name a template, or null for the built-in one.',
      ['grader', 'templateId'],
    );
  }
  const id = templateId === null ? null : requireUuid('GraderTemplate', templateId, 'grader', 'templateId');
  return promptColumns(await findGraderTemplate(tx, source.teamId, id));
}

function graderColumns(source: Run, grader: ModelSettings, prompt: PromptColumns, scoring: Scoring) {
  return {
    graderEndpointId: grader.endpointId,
    graderModel: grader.model,
    grader: { ...grader },
    scoring: scoringColumn(scoring),
    fingerprint: frozenFingerprint({
      datasetSha256: source.datasetSha256,
      sample: source.sample as unknown as Sample,
      selectionSha256: partOf(source, 'conversations') ?? '',
      repeats: source.repeats,
      modelUnderTest: source.modelUnderTest as unknown as ModelSettings,
      grader,
      graderPromptSha256: prompt.graderPromptSha256,
      scoring,
    }),
  };
}

/** The grader of the source with what the input says otherwise. */
function graderInput(source: Run, input: RegradeGrader): ModelInput {
  const before = source.grader as unknown as ModelSettings;
  // What nobody said of an imported run is left to the standard.
  const kept = <K extends ModelPart>(key: K, value: ModelSettings[K] | undefined) =>
    value === undefined ? (before.unknown?.includes(key) ? undefined : before[key]) : value;
  return {
    endpointId: input.endpointId ?? (before.endpointId && globalId('ModelEndpoint', before.endpointId)),
    model: input.model ?? (input.endpointId == null ? before.model : null),
    temperature: kept('temperature', input.temperature),
    reasoningEffort: kept('reasoningEffort', input.reasoningEffort),
    maxTokens: kept('maxTokens', input.maxTokens),
    systemMessage: kept('systemMessage', input.systemMessage),
  };
}

const regradeName = (name: string, grader: string): string =>
  [...`${name}, graded by ${grader}`].slice(0, 200).join('');

async function freezeConversations(tx: Queryable, run: Run, sourceId: string) {
  const rows = await tx.$queryRaw<{ replies: number; failed: number }[]>`
    WITH frozen AS (
      INSERT INTO run_conversation
        (run_id, team_id, ordinal, conversation_no, repeat, theme, criterion_count, worst_score, best_score, status, reason,
          message, settled_at)
      SELECT ${run.id}::uuid, rc.team_id, rc.ordinal, rc.conversation_no, rc.repeat, rc.theme, rc.criterion_count,
        rubric.worst, rubric.best,
        CASE WHEN r.run_id IS NULL THEN 'FAILED' ELSE 'REPLIED' END::run_conversation_status,
        CASE WHEN r.run_id IS NULL THEN coalesce(rc.reason, 'no_reply') END,
        CASE WHEN r.run_id IS NULL THEN 'The first run has no reply: ' || coalesce(rc.message, 'it ended before.') END,
        CASE WHEN r.run_id IS NULL THEN now() END
      FROM run_conversation rc LEFT JOIN reply r ON r.run_id = rc.run_id AND r.ordinal = rc.ordinal
      ${rubricBounds(run.datasetId, Prisma.sql`rc.conversation_no`)}
      WHERE rc.run_id = ${sourceId}::uuid AND rc.team_id = ${run.teamId}::uuid
      RETURNING status
    )
    SELECT count(*) FILTER (WHERE status = 'REPLIED')::int AS replies,
      count(*) FILTER (WHERE status = 'FAILED')::int AS failed FROM frozen`;
  return rows[0] ?? { replies: 0, failed: 0 };
}

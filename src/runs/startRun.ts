import { Conflict, InvalidInput, NotFound } from '../errors.js';
import { planRun } from '../jobs.js';
import type { Database, Dataset, Queryable, Run } from '../platform/database.js';
import type { JobQueue } from '../platform/queue.js';
import { requireUuid } from '../platform/relay/globalId.js';
import { cleanText } from '../platform/relay/wellFormed.js';
import type { SecretBox } from '../platform/secretBox.js';
import { claimIdempotencyKey, keepIdempotentResult } from '../tenancy/idempotency.js';
import { VERSION } from '../version.js';
import { findGraderTemplate } from './graderTemplate.js';
import { type ModelInput, modelSettings } from './modelSettings.js';
import { chooseConversations, type SampleInput } from './sample.js';

/** Scoring profiles by name. */
export const SCORING_PROFILES = ['healthbench'] as const;
const MAX_REPEATS = 100;
const MAX_CONVERSATIONS = 1_000_000;

export interface StartRunRequest {
  idempotencyKey?: string | null;
  name?: string | null;
  datasetId: string;
  sample?: SampleInput | null;
  repeats?: number | null;
  modelUnderTest?: ModelInput | null;
  grader?: (ModelInput & { templateId?: string | null }) | null;
  scoringProfile?: string | null;
}

/**
 * Checks everything that can be checked without spending money, freezes the run and sends its first
 * job, all in one transaction. Throws InvalidInput, NotFound or Conflict with the path in the input.
 */
export async function startRun(
  services: { db: Database; queue: JobQueue; secrets: SecretBox },
  teamId: string,
  input: StartRunRequest,
): Promise<Run> {
  return services.db.$transaction(async (tx) => {
    const { idempotencyKey, ...rest } = input;
    const idempotent = { teamId, operation: 'startRun', key: idempotencyKey, input: rest };
    const first = await claimIdempotencyKey(tx, idempotent);
    if (first !== null) return tx.run.findUniqueOrThrow({ where: { id: first } });
    const run = await freezeRun(tx, services.secrets, teamId, input);
    await services.queue.send(tx, planRun, [{ payload: { teamId, runId: run.id } }]);
    await keepIdempotentResult(tx, idempotent, run.id);
    return run;
  });
}

async function freezeRun(tx: Queryable, secrets: SecretBox, teamId: string, input: StartRunRequest): Promise<Run> {
  const dataset = await findDataset(tx, teamId, input.datasetId);
  const repeats = input.repeats ?? 1;
  if (repeats < 1 || repeats > MAX_REPEATS)
    throw new InvalidInput(`must be between 1 and ${MAX_REPEATS}.`, ['repeats']);
  const scoringProfile = input.scoringProfile ?? SCORING_PROFILES[0];
  if (!SCORING_PROFILES.some((profile) => profile === scoringProfile)) {
    throw new InvalidInput(`must be one of: ${SCORING_PROFILES.join(', ')}.`, ['scoringProfile']);
  }
  const { sample, numbers } = await chooseConversations(tx, dataset, input.sample ?? {});
  if (numbers.length * repeats > MAX_CONVERSATIONS) {
    throw new InvalidInput(`makes more than ${MAX_CONVERSATIONS} conversations.`, ['repeats']);
  }
  const { templateId, ...graderInput } = input.grader ?? {};
  const modelUnderTest = await modelSettings(tx, secrets, teamId, 'modelUnderTest', input.modelUnderTest ?? {});
  const grader = await modelSettings(tx, secrets, teamId, 'grader', graderInput);
  const template = await findGraderTemplate(
    tx,
    teamId,
    templateId == null ? null : requireUuid('GraderTemplate', templateId, 'grader', 'templateId'),
  );
  const criterionCount = repeats * (await countCriteria(tx, dataset.id, numbers));
  const run = await tx.run.create({
    data: {
      teamId,
      name: input.name == null ? `${modelUnderTest.model} on ${dataset.name}` : cleanText(input.name, ['name']),
      datasetId: dataset.id,
      datasetSha256: dataset.sha256,
      sample: { ...sample },
      repeats,
      modelEndpointId: modelUnderTest.endpointId,
      model: modelUnderTest.model,
      modelUnderTest: { ...modelUnderTest },
      graderEndpointId: grader.endpointId,
      graderModel: grader.model,
      grader: { ...grader },
      graderPrompt: template.text,
      graderPromptName: template.recognised ?? template.name,
      graderPromptSha256: template.sha256,
      scoringProfile,
      version: VERSION,
      conversationCount: numbers.length * repeats,
      criterionCount,
    },
  });
  await tx.runProgress.create({ data: { teamId, runId: run.id } });
  await tx.verdictLog.create({ data: { teamId, runId: run.id } });
  await freezeConversations(tx, run, numbers);
  return run;
}

async function findDataset(tx: Queryable, teamId: string, id: string): Promise<Dataset> {
  const uuid = requireUuid('Dataset', id, 'datasetId');
  // Until the run refers to it, so that it is not deleted meanwhile.
  await tx.$queryRaw`SELECT 1 FROM dataset WHERE id = ${uuid}::uuid FOR KEY SHARE`;
  const dataset = await tx.dataset.findFirst({ where: { teamId, id: uuid } });
  if (dataset === null) throw new NotFound('Dataset', ['datasetId']);
  if (dataset.archivedAt !== null) throw new Conflict('The dataset is archived.', ['datasetId']);
  return dataset;
}

async function countCriteria(tx: Queryable, datasetId: string, numbers: number[]): Promise<number> {
  const rows = await tx.$queryRaw<{ n: number }[]>`
    SELECT count(*)::int AS n FROM rubric_criterion
    WHERE dataset_id = ${datasetId}::uuid AND conversation_no = ANY(${numbers}::int[])`;
  return rows[0]?.n ?? 0;
}

/** The whole list in the order chosen, then again for each further repeat. */
async function freezeConversations(tx: Queryable, run: Run, numbers: number[]): Promise<void> {
  await tx.$executeRaw`
    INSERT INTO run_conversation (run_id, team_id, ordinal, conversation_no, repeat, theme, criterion_count)
    SELECT ${run.id}::uuid, ${run.teamId}::uuid, (repeat - 1) * ${numbers.length}::int + chosen.place - 1,
      chosen.no, repeat, c.theme,
      (SELECT count(*) FROM rubric_criterion r WHERE r.dataset_id = c.dataset_id AND r.conversation_no = c.no)
    FROM generate_series(1, ${run.repeats}::int) AS repeat,
      unnest(${numbers}::int[]) WITH ORDINALITY AS chosen(no, place)
    JOIN conversation c ON c.dataset_id = ${run.datasetId}::uuid AND c.no = chosen.no`;
}

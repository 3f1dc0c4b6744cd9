import { planRun } from '../jobs.js';
import { type Database, Prisma, type Queryable, type Run } from '../platform/database.js';
import type { JobQueue } from '../platform/queue.js';
import type { SecretBox } from '../platform/secretBox.js';
import { claimIdempotencyKey, firstResult, keepIdempotentResult } from '../tenancy/idempotency.js';
import { VERSION } from '../version.js';
import { type CheckedRun, checkRun, type StartRunRequest } from './checkRun.js';
import { scoringColumn } from './chooseScoring.js';
import { promptColumns } from './graderTemplate.js';
import { rubricBounds } from './rubricBounds.js';
import { frozenFingerprint, selectionSha256 } from './runFingerprint.js';

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
    if (first !== null) return firstResult(await tx.run.findFirst({ where: { id: first, teamId } }));
    const run = await freezeRun(tx, teamId, await checkRun(tx, services.secrets, teamId, input));
    await services.queue.send(tx, planRun, [{ payload: { teamId, runId: run.id } }]);
    await keepIdempotentResult(tx, idempotent, run.id);
    return run;
  });
}

/** Writes the run with its frozen list, counters and budget. */
async function freezeRun(tx: Queryable, teamId: string, checked: CheckedRun): Promise<Run> {
  const { name, dataset, sample, numbers, repeats, modelUnderTest, grader, template, profile, scoring, budget } =
    checked;
  const criterionCount = repeats * (await countCriteria(tx, dataset.id, numbers));
  const run = await tx.run.create({
    data: {
      teamId,
      name,
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
      ...promptColumns(template),
      scoringProfile: profile.name,
      scoring: scoringColumn(scoring),
      version: VERSION,
      fingerprint: frozenFingerprint({
        datasetSha256: dataset.sha256,
        sample,
        selectionSha256: selectionSha256(numbers),
        repeats,
        modelUnderTest,
        grader,
        graderPromptSha256: template.sha256,
        scoring,
      }),
      conversationCount: numbers.length * repeats,
      criterionCount,
      budgeted: budget !== null,
    },
  });
  await tx.runProgress.create({ data: { teamId, runId: run.id } });
  await tx.verdictLog.create({ data: { teamId, runId: run.id } });
  if (budget !== null) await tx.runBudget.create({ data: { teamId, runId: run.id, ...budget } });
  await freezeConversations(tx, run, numbers);
  return run;
}

async function countCriteria(tx: Queryable, datasetId: string, numbers: number[]): Promise<number> {
  const rows = await tx.$queryRaw<{ n: number }[]>`
    SELECT count(*)::int AS n FROM rubric_criterion
    WHERE dataset_id = ${datasetId}::uuid AND conversation_no = ANY(${numbers}::int[])`;
  return rows[0]?.n ?? 0;
}

/** The whole list in the order chosen, then again for each further repeat; bounds as without any verdict. */
async function freezeConversations(tx: Queryable, run: Run, numbers: number[]): Promise<void> {
  await tx.$executeRaw`
    INSERT INTO run_conversation
      (run_id, team_id, ordinal, conversation_no, repeat, theme, criterion_count, worst_score, best_score)
    SELECT ${run.id}::uuid, ${run.teamId}::uuid, (repeat - 1) * ${numbers.length}::int + chosen.place - 1,
      chosen.no, repeat, c.theme, rubric.criteria, rubric.worst, rubric.best
    FROM generate_series(1, ${run.repeats}::int) AS repeat,
      unnest(${numbers}::int[]) WITH ORDINALITY AS chosen(no, place)
    JOIN conversation c ON c.dataset_id = ${run.datasetId}::uuid AND c.no = chosen.no
    ${rubricBounds(run.datasetId, Prisma.sql`chosen.no`)}`;
}

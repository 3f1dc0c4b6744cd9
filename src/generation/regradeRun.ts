import { planRun } from '../jobs.js';
import type { Database, Queryable, Run } from '../platform/database.js';
import type { JobQueue } from '../platform/queue.js';
import type { SecretBox } from '../platform/secretBox.js';
import type { BudgetInput } from '../runs/budgetLimits.js';
import { findRegradeSource, freezeRegrade, type RegradeGrader } from '../runs/freezeRegrade.js';
import { claimIdempotencyKey, firstResult, keepIdempotentResult } from '../tenancy/idempotency.js';

export interface RegradeRunRequest {
  idempotencyKey?: string | null;
  /** A global id. */
  runId: string;
  name?: string | null;
  grader?: RegradeGrader | null;
  budget?: BudgetInput | null;
}

/**
 * Grades the replies of a run that is over with another grader, prompt or parameters, in a new run that is linked
 * to it. The model under test is not called. Throws InvalidInput, NotFound or Conflict with the path in the input.
 */
export function regradeRun(
  services: { db: Database; queue: JobQueue; secrets: SecretBox },
  teamId: string,
  input: RegradeRunRequest,
): Promise<Run> {
  return services.db.$transaction(async (tx) => {
    const { idempotencyKey, ...rest } = input;
    const idempotent = { teamId, operation: 'regradeRun', key: idempotencyKey, input: rest };
    const first = await claimIdempotencyKey(tx, idempotent);
    if (first !== null) return firstResult(await tx.run.findFirst({ where: { id: first, teamId } }));
    const source = await findRegradeSource(tx, teamId, input.runId);
    const run = await freezeRegrade(tx, services.secrets, source, input);
    await copyReplies(tx, source, run);
    await services.queue.send(tx, planRun, [{ payload: { teamId, runId: run.id } }]);
    await keepIdempotentResult(tx, idempotent, run.id);
    return run;
  });
}

/** Copied and not referred to, so that each run stands alone: 5,000 replies are 15 MB. */
async function copyReplies(tx: Queryable, source: Run, run: Run): Promise<void> {
  await tx.$executeRaw`
    INSERT INTO reply (run_id, ordinal, team_id, text, finish_reason, prompt_tokens, completion_tokens,
      cached_tokens, reasoning_tokens, latency_ms, attempts, generated_at)
    SELECT ${run.id}::uuid, ordinal, team_id, text, finish_reason, prompt_tokens, completion_tokens,
      cached_tokens, reasoning_tokens, latency_ms, attempts, generated_at
    FROM reply WHERE run_id = ${source.id}::uuid AND team_id = ${run.teamId}::uuid`;
}

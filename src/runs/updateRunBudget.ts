import { toUsd } from '../endpoints/cost.js';
import { Conflict, NotFound } from '../errors.js';
import type { Database, Run } from '../platform/database.js';
import { type BudgetInput, budgetLimits } from './budgetLimits.js';
import type { ModelSettings } from './modelSettings.js';
import { isFinal } from './runStatus.js';

/**
 * Changes the limits that are given (null: takes one away); what is spent stays spent. A paused run stays
 * paused. Throws NotFound, InvalidInput, or Conflict for a run that is over or began without a budget, since
 * its calls so far were not counted against one.
 */
export function updateRunBudget(
  db: Database,
  key: { teamId: string; runId: string },
  changes: BudgetInput,
): Promise<Run> {
  return db.$transaction(async (tx) => {
    const { teamId, runId } = key;
    const run = await tx.run.findFirst({ where: { id: runId, teamId } });
    if (run === null) throw new NotFound('Run', ['runId']);
    if (!run.budgeted)
      throw new Conflict('The run was started without a budget and cannot get one later: start a new run with one.', [
        'runId',
      ]);
    if (isFinal(run.status)) throw new Conflict(`The run is ${run.status}: nothing more is spent.`, ['runId']);
    await tx.$queryRaw`SELECT 1 FROM run_budget WHERE run_id = ${runId}::uuid FOR UPDATE`;
    const { maxCost, maxCalls, maxTokens } = await tx.runBudget.findUniqueOrThrow({ where: { runId } });
    const present: BudgetInput = {
      maxCostUsd: maxCost === null ? null : toUsd(maxCost),
      maxCalls,
      maxTokens: maxTokens === null ? null : Number(maxTokens),
    };
    const given = Object.fromEntries(Object.entries(changes).filter(([, value]) => value !== undefined));
    const models = [run.modelUnderTest, run.grader] as unknown as ModelSettings[];
    const limits = budgetLimits({ ...present, ...given }, models, []);
    await tx.runBudget.update({ where: { runId }, data: limits ?? { maxCost: null, maxCalls: null, maxTokens: null } });
    return run;
  });
}

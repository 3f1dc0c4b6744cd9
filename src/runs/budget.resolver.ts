import { Arg, Ctx, FieldResolver, Mutation, Query, Resolver, Root } from 'type-graphql';
import type { RunBudget } from '../platform/database.js';
import { requireUuid } from '../platform/relay/globalId.js';
import { withUserErrors } from '../platform/relay/userError.type.js';
import { Access } from '../tenancy/access.js';
import type { RequestContext } from '../tenancy/requestContext.js';
import { RunBudgetType, runBudgetType, UpdateRunBudgetInput } from './budget.types.js';
import { RunEstimate } from './estimate.types.js';
import { estimateRun } from './estimateRun.js';
import { RunPayload, StartRunInput } from './run.inputs.js';
import { findRun } from './run.queries.js';
import { RunType, runType } from './run.types.js';
import { updateRunBudget } from './updateRunBudget.js';

/** What a run would cost, and what it may. */
@Resolver(() => RunType)
export class RunBudgetResolver {
  @FieldResolver(() => RunBudgetType, { nullable: true, description: 'Null: the run was started without one.' })
  async budget(@Root() run: RunType, @Ctx() context: RequestContext): Promise<RunBudgetType | null> {
    const { db, teamId } = context;
    const row = await context.load<string, RunBudget>('run budget', run.key, async (runIds) => {
      const rows = await db.runBudget.findMany({ where: { teamId, runId: { in: [...runIds] } } });
      return new Map(rows.map((budget) => [budget.runId, budget]));
    });
    const bounded = run.modelUnderTest.maxTokens !== null && run.grader.maxTokens !== null;
    return row === null ? null : runBudgetType(row, bounded);
  }

  @Access('VIEWER')
  @Query(() => RunEstimate, { description: 'Checks the input as startRun does, spends nothing and stores nothing.' })
  estimateRun(
    @Arg('input', () => StartRunInput) input: StartRunInput,
    @Ctx() context: RequestContext,
  ): Promise<RunEstimate> {
    const { db, teamId, services } = context;
    return estimateRun({ db, secrets: services.secrets }, teamId, input);
  }

  @Access('RUNNER')
  @Mutation(() => RunPayload, {
    description:
      'Changes the limits of a run that has a budget. A run that its budget has paused goes on with resumeRun.',
  })
  updateRunBudget(
    @Arg('input', () => UpdateRunBudgetInput) input: UpdateRunBudgetInput,
    @Ctx() context: RequestContext,
  ): Promise<RunPayload> {
    const { db, teamId } = context;
    return withUserErrors<Omit<RunPayload, 'userErrors'>>({ run: null }, async () => {
      const { runId: id, maxCostUsd, maxCalls, maxTokens } = input;
      const runId = requireUuid('Run', id, 'runId');
      await updateRunBudget(db, { teamId, runId }, { maxCostUsd, maxCalls, maxTokens });
      const row = await findRun(db, teamId, runId);
      return { run: row === null ? null : runType(row) };
    });
  }
}

import { Arg, Ctx, FieldResolver, Mutation, Resolver, Root } from 'type-graphql';
import type { Database } from '../platform/database.js';
import { withUserErrors } from '../platform/relay/userError.type.js';
import { RegradeRunInput, StartRunPayload } from '../runs/run.inputs.js';
import { findRun, loadRuns, type RunRow, runInclude } from '../runs/run.queries.js';
import { RunType, runType } from '../runs/run.types.js';
import { Access } from '../tenancy/access.js';
import type { RequestContext } from '../tenancy/requestContext.js';
import { regradeRun } from './regradeRun.js';

/** Grading the replies of a run anew, and the links between such runs. */
@Resolver(() => RunType)
export class RegradeResolver {
  @Access('RUNNER')
  @Mutation(() => StartRunPayload, {
    description:
      'Grades the same replies with another grader, prompt or parameters in a new run. The model is not called.',
  })
  regradeRun(
    @Arg('input', () => RegradeRunInput) input: RegradeRunInput,
    @Ctx() context: RequestContext,
  ): Promise<StartRunPayload> {
    const { db, teamId, services } = context;
    return withUserErrors<Omit<StartRunPayload, 'userErrors'>>({ run: null }, async () => {
      const started = await findRun(db, teamId, (await regradeRun(services, teamId, input)).id);
      return { run: started === null ? null : runType(started) };
    });
  }

  @FieldResolver(() => RunType, {
    nullable: true,
    description:
      'The run whose replies this one grades anew; null for a run that generated its own, and when that is deleted.',
  })
  async regradeOf(@Root() run: RunType, @Ctx() context: RequestContext): Promise<RunType | null> {
    if (run.regradeOfId === null) return null;
    const found = await context.load<string, RunRow>('run', run.regradeOfId, (ids) =>
      loadRuns(context.db, context.teamId, ids),
    );
    return found === null ? null : runType(found);
  }

  @FieldResolver(() => [RunType], { description: 'The runs that grade its replies anew, oldest first.' })
  async regrades(@Root() run: RunType, @Ctx() context: RequestContext): Promise<RunType[]> {
    const found = await context.load<string, RunRow[]>('regrades', run.key, (ids) =>
      loadRegrades(context.db, context.teamId, ids),
    );
    return (found ?? []).map(runType);
  }
}

/** One statement for all; a run has a handful of regrades. */
async function loadRegrades(db: Database, teamId: string, ids: readonly string[]): Promise<Map<string, RunRow[]>> {
  const where = { teamId, regradeOfId: { in: [...ids] } };
  const rows = await db.run.findMany({ where, include: runInclude, orderBy: { id: 'asc' } });
  return Map.groupBy(rows, (row) => row.regradeOfId as string);
}

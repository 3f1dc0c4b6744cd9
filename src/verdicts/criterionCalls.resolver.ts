import { Ctx, FieldResolver, Resolver, Root } from 'type-graphql';
import { loadRunPrices, type RunPrices } from '../runs/price.queries.js';
import { CallUsageType, callUsageType } from '../runs/usage.types.js';
import { failedCallsOf } from '../scheduling/failedCall.resolver.js';
import { FailedCallType } from '../scheduling/failedCall.types.js';
import type { RequestContext } from '../tenancy/requestContext.js';
import { CriterionResult, CriterionVerdictType } from './verdict.types.js';

/** The grader's calls about one criterion. */
@Resolver(() => CriterionResult)
export class CriterionFailedCallsResolver {
  @FieldResolver(() => [FailedCallType], { description: 'About this criterion, oldest first.' })
  async failedCalls(@Root() result: CriterionResult, @Ctx() context: RequestContext): Promise<FailedCallType[]> {
    const calls = await failedCallsOf(context, result.runKey, result.ordinal);
    return calls.filter(({ criterionNo }) => criterionNo === result.criterion.no);
  }
}

@Resolver(() => CriterionVerdictType)
export class VerdictUsageResolver {
  @FieldResolver(() => CallUsageType, { description: 'Of the call that succeeded.' })
  async usage(@Root() verdict: CriterionVerdictType, @Ctx() context: RequestContext): Promise<CallUsageType> {
    const { db, teamId } = context;
    const prices = await context.load<string, RunPrices>('run prices', verdict.runKey, (ids) =>
      loadRunPrices(db, teamId, ids),
    );
    return callUsageType(prices?.grader ?? null, verdict.tokens);
  }
}

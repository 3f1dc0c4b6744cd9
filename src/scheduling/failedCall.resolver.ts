import { Args, Ctx, FieldResolver, Resolver, Root } from 'type-graphql';
import type { FailedCall } from '../platform/database.js';
import { type Connection, mapConnection, Page } from '../platform/relay/page.js';
import { loadRunPrices, type RunPrices } from '../runs/price.queries.js';
import { RunConversationType, RunType } from '../runs/run.types.js';
import { runConversationKey } from '../runs/runConversation.queries.js';
import { CallUsageType, callUsageType } from '../runs/usage.types.js';
import type { RequestContext } from '../tenancy/requestContext.js';
import { listFailedCalls, loadFailedCalls } from './failedCall.queries.js';
import {
  AskedModel,
  FailedCallConnection,
  FailedCallsArgs,
  FailedCallType,
  failedCallType,
} from './failedCall.types.js';

/** The failed calls of a conversation of a run, both models, oldest first; batched. */
export async function failedCallsOf(
  context: RequestContext,
  runKey: string,
  ordinal: number,
): Promise<FailedCallType[]> {
  const { db, teamId } = context;
  const key = runConversationKey(runKey, ordinal);
  const rows = await context.load<string, FailedCall[]>('failed calls', key, (keys) =>
    loadFailedCalls(db, teamId, keys),
  );
  return (rows ?? []).map(failedCallType);
}

@Resolver(() => FailedCallType)
export class FailedCallResolver {
  @FieldResolver(() => CallUsageType, { description: 'A rejected reply has been paid for like any other.' })
  async usage(@Root() call: FailedCallType, @Ctx() context: RequestContext): Promise<CallUsageType> {
    const { db, teamId } = context;
    const prices = await context.load<string, RunPrices>('run prices', call.runKey, (ids) =>
      loadRunPrices(db, teamId, ids),
    );
    const price = call.asked === AskedModel.GRADER ? prices?.grader : prices?.model;
    return callUsageType(price ?? null, call.tokens);
  }

  @FieldResolver(() => String, {
    nullable: true,
    description: 'What arrived, cut to 20,000 characters and without key material. Null for the role VIEWER.',
  })
  raw(@Root() call: FailedCallType, @Ctx() context: RequestContext): string | null {
    return context.actor?.role === 'VIEWER' ? null : call.rawText;
  }
}

@Resolver(() => RunType)
export class RunFailedCallsResolver {
  @FieldResolver(() => FailedCallConnection, { description: 'Every call without a usable reply, oldest first.' })
  async failedCalls(
    @Root() run: RunType,
    @Args(() => FailedCallsArgs) args: FailedCallsArgs,
    @Ctx() context: RequestContext,
  ): Promise<Connection<FailedCallType>> {
    const filter = args.filter ?? {};
    const page = new Page(args, ['failed calls', run.key, filter]);
    return mapConnection(await listFailedCalls(context.db, context.teamId, run.key, page, filter), failedCallType);
  }
}

@Resolver(() => RunConversationType)
export class RunConversationFailedCallsResolver {
  @FieldResolver(() => [FailedCallType], { description: 'Of both models, oldest first; the newest 500 at most.' })
  failedCalls(@Root() row: RunConversationType, @Ctx() context: RequestContext): Promise<FailedCallType[]> {
    return failedCallsOf(context, row.runKey, row.ordinal);
  }
}

import { Arg, Args, Ctx, FieldResolver, ID, Mutation, Query, Resolver, Root } from 'type-graphql';
import { conversationKey, loadConversations } from '../datasets/dataset.queries.js';
import { ConversationType, conversationType, DatasetType, datasetType } from '../datasets/dataset.types.js';
import { NotFound } from '../errors.js';
import type { Conversation } from '../platform/database.js';
import { PageArgs } from '../platform/relay/connection.js';
import { globalId, requireUuid, uuidOf } from '../platform/relay/globalId.js';
import { type Connection, mapConnection, Page } from '../platform/relay/page.js';
import { withUserErrors } from '../platform/relay/userError.type.js';
import { Access } from '../tenancy/access.js';
import type { RequestContext } from '../tenancy/requestContext.js';
import { cancelRun, pauseRun, resumeRun, retryRun } from './controlRun.js';
import {
  RetryRunInput,
  RunConversationOrder,
  RunConversationsArgs,
  RunIdInput,
  RunOrder,
  RunPayload,
  RunsArgs,
  StartRunInput,
  StartRunPayload,
} from './run.inputs.js';
import { findRun, listRuns, type RunRow } from './run.queries.js';
import {
  RunConnection,
  RunConversationConnection,
  RunConversationType,
  RunType,
  runConversationType,
  runType,
} from './run.types.js';
import { listRunConversations } from './runConversation.queries.js';
import { startRun } from './startRun.js';

const shown = (row: RunRow | null): RunType | null => (row === null ? null : runType(row));

/** Does `change` and answers with the run as it is then. */
const runPayload = (context: RequestContext, change: () => Promise<{ id: string }>): Promise<RunPayload> =>
  withUserErrors<Omit<RunPayload, 'userErrors'>>({ run: null }, async () => ({
    run: shown(await findRun(context.db, context.teamId, (await change()).id)),
  }));

@Resolver(() => RunType)
export class RunResolver {
  @Access('VIEWER')
  @Query(() => RunConnection, { description: 'The runs of the team, newest first.' })
  async runs(@Args(() => RunsArgs) args: RunsArgs, @Ctx() context: RequestContext): Promise<Connection<RunType>> {
    const filter = args.filter ?? {};
    const order = args.orderBy ?? RunOrder.CREATED_AT_DESC;
    const page = new Page(args, ['runs', filter, order]);
    return mapConnection(await listRuns(context.db, context.teamId, page, filter, order), runType);
  }

  @Access('VIEWER')
  @Query(() => RunType, { nullable: true })
  async run(@Arg('id', () => ID) id: string, @Ctx() context: RequestContext): Promise<RunType | null> {
    return shown(await findRun(context.db, context.teamId, uuidOf('Run', id)));
  }

  @FieldResolver(() => DatasetType)
  async dataset(@Root() run: RunType, @Ctx() context: RequestContext): Promise<DatasetType> {
    const found = await context.load<string, DatasetType>('dataset', run.datasetKey, async (ids) => {
      const rows = await context.db.dataset.findMany({ where: { id: { in: [...ids] }, teamId: context.teamId } });
      return new Map(rows.map((row) => [row.id, datasetType(row)]));
    });
    // Deleted since the run was read.
    if (found === null) throw new NotFound('Dataset');
    return found;
  }

  @FieldResolver(() => RunConversationConnection, { description: 'In the order of the run by default.' })
  async conversations(
    @Root() run: RunType,
    @Args(() => RunConversationsArgs) args: RunConversationsArgs,
    @Ctx() context: RequestContext,
  ): Promise<Connection<RunConversationType>> {
    const filter = args.filter ?? {};
    const order = args.orderBy ?? RunConversationOrder.ORDINAL_ASC;
    const page = new Page(args, ['run conversations', run.key, filter, order]);
    const rows = await listRunConversations(context.db, context.teamId, run.key, page, filter, order);
    return mapConnection(rows, runConversationType);
  }

  @Access('RUNNER')
  @Mutation(() => StartRunPayload, {
    description: 'Checks everything that costs nothing, freezes the run and returns.',
  })
  startRun(
    @Arg('input', () => StartRunInput) input: StartRunInput,
    @Ctx() context: RequestContext,
  ): Promise<StartRunPayload> {
    return runPayload(context, () => startRun(context.services, context.teamId, input));
  }

  @Access('RUNNER')
  @Mutation(() => RunPayload, { description: 'Starts no new call; what is in flight is finished and kept.' })
  pauseRun(@Arg('input', () => RunIdInput) input: RunIdInput, @Ctx() context: RequestContext): Promise<RunPayload> {
    return runPayload(context, () => pauseRun(context.db, context.services.queue, keyOf(input, context)));
  }

  @Access('RUNNER')
  @Mutation(() => RunPayload, { description: 'Goes on with what is missing.' })
  resumeRun(@Arg('input', () => RunIdInput) input: RunIdInput, @Ctx() context: RequestContext): Promise<RunPayload> {
    return runPayload(context, () => resumeRun(context.db, context.services.queue, keyOf(input, context)));
  }

  @Access('RUNNER')
  @Mutation(() => RunPayload, { description: 'Final. Calls in flight are aborted; what has arrived is kept.' })
  cancelRun(@Arg('input', () => RunIdInput) input: RunIdInput, @Ctx() context: RequestContext): Promise<RunPayload> {
    return runPayload(context, () => cancelRun(context.db, context.services.queue, keyOf(input, context)));
  }

  @Access('RUNNER')
  @Mutation(() => RunPayload, { description: 'Tries again only what is ungraded or failed, in the same run.' })
  retryRun(
    @Arg('input', () => RetryRunInput) input: RetryRunInput,
    @Ctx() context: RequestContext,
  ): Promise<RunPayload> {
    return runPayload(context, () => {
      const key = { ...keyOf(input, context), idempotencyKey: input.idempotencyKey ?? null };
      return retryRun(context.db, context.services.queue, key);
    });
  }
}

const keyOf = (input: RunIdInput, context: RequestContext) => ({
  teamId: context.teamId,
  runId: requireUuid('Run', input.runId, 'runId'),
});

@Resolver(() => RunConversationType)
export class RunConversationResolver {
  @FieldResolver(() => ConversationType)
  async conversation(@Root() row: RunConversationType, @Ctx() context: RequestContext): Promise<ConversationType> {
    return conversationType(await loadOne(row, context));
  }

  @FieldResolver(() => String)
  async promptId(@Root() row: RunConversationType, @Ctx() context: RequestContext): Promise<string> {
    return (await loadOne(row, context)).promptId;
  }

  @FieldResolver(() => [String], { description: "The conversation's tags." })
  async tags(@Root() row: RunConversationType, @Ctx() context: RequestContext): Promise<string[]> {
    return (await loadOne(row, context)).tags;
  }
}

async function loadOne(row: RunConversationType, context: RequestContext): Promise<Conversation> {
  const key = conversationKey(row.datasetKey, row.conversationNo);
  const found = await context.load<string, Conversation>('conversation', key, (keys) =>
    loadConversations(context.db, context.teamId, keys),
  );
  // Deleted since the run was read.
  if (found === null) throw new NotFound('Conversation');
  return found;
}

/** `Dataset.runs`: declared here, because a later feature adds the field to an earlier type. */
@Resolver(() => DatasetType)
export class DatasetRunsResolver {
  @FieldResolver(() => RunConnection, { description: 'The runs over this dataset, newest first.' })
  async runs(
    @Root() dataset: DatasetType,
    @Args(() => PageArgs) args: PageArgs,
    @Ctx() context: RequestContext,
  ): Promise<Connection<RunType>> {
    const filter = { datasetId: globalId('Dataset', dataset.key) };
    const order = RunOrder.CREATED_AT_DESC;
    const page = new Page(args, ['dataset runs', dataset.key]);
    return mapConnection(await listRuns(context.db, context.teamId, page, filter, order), runType);
  }
}

import { createHash } from 'node:crypto';
import { Arg, Args, Ctx, FieldResolver, ID, Mutation, Query, Resolver, Root } from 'type-graphql';
import { InvalidInput } from '../errors.js';
import type { DatasetSource, RubricCriterion } from '../platform/database.js';
import { PageArgs } from '../platform/relay/connection.js';
import { uuidOf } from '../platform/relay/globalId.js';
import { type Connection, mapConnection, Page } from '../platform/relay/page.js';
import { withUserErrors } from '../platform/relay/userError.type.js';
import { Access } from '../tenancy/access.js';
import type { RequestContext } from '../tenancy/requestContext.js';
import { conversationKey, listConversations, listDatasets, loadCriteria } from './dataset.queries.js';
import {
  ConversationConnection,
  ConversationType,
  conversationType,
  criterionType,
  DatasetConnection,
  DatasetsArgs,
  DatasetType,
  datasetType,
  ImportDatasetInput,
  ImportDatasetPayload,
  RubricCriterionType,
} from './dataset.types.js';
import { datasetDownloadType } from './download.types.js';
import { importDataset } from './importDataset.js';
import { startDownload } from './startDownload.js';

@Resolver(() => DatasetType)
export class DatasetResolver {
  @Access('VIEWER')
  @Query(() => DatasetConnection, {
    description: 'The datasets of the team, newest first; archived ones only when asked for.',
  })
  async datasets(
    @Args(() => DatasetsArgs) args: DatasetsArgs,
    @Ctx() context: RequestContext,
  ): Promise<Connection<DatasetType>> {
    const filter = { archived: args.archived ?? false, name: args.name ?? null };
    const page = new Page(args, ['datasets', filter]);
    return mapConnection(await listDatasets(context.db, context.teamId, page, filter), datasetType);
  }

  @Access('VIEWER')
  @Query(() => DatasetType, { nullable: true })
  async dataset(@Arg('id', () => ID) id: string, @Ctx() context: RequestContext): Promise<DatasetType | null> {
    const uuid = uuidOf('Dataset', id);
    const row = uuid && (await context.db.dataset.findFirst({ where: { id: uuid, teamId: context.teamId } }));
    return row ? datasetType(row) : null;
  }

  @FieldResolver(() => ConversationConnection, { description: "In the file's order." })
  async conversations(
    @Root() dataset: DatasetType,
    @Args(() => PageArgs) args: PageArgs,
    @Ctx() context: RequestContext,
  ): Promise<Connection<ConversationType>> {
    const page = new Page(args, ['conversations', dataset.key]);
    return mapConnection(await listConversations(context.db, context.teamId, dataset.key, page), conversationType);
  }

  @Access('RUNNER')
  @Mutation(() => ImportDatasetPayload, {
    description:
      'All or nothing; a rejection names the line. A source is fetched after the answer: follow it by `datasetDownload`.',
  })
  importDataset(
    @Arg('input', () => ImportDatasetInput) input: ImportDatasetInput,
    @Ctx() context: RequestContext,
  ): Promise<ImportDatasetPayload> {
    const empty = { dataset: null, created: false, download: null };
    return withUserErrors<Omit<ImportDatasetPayload, 'userErrors'>>(empty, async () => {
      const { source, jsonl } = input;
      if ((source == null) === (jsonl == null)) {
        throw new InvalidInput('Give either the file as jsonl or the source to fetch it from.', ['source']);
      }
      return source == null ? importText(context, input, jsonl as string) : importSource(context, input, source);
    });
  }
}

async function importText({ db, teamId }: RequestContext, { name, idempotencyKey }: ImportDatasetInput, jsonl: string) {
  if (name == null) throw new InvalidInput('is needed with jsonl.', ['name']);
  const bytes = Buffer.from(jsonl, 'utf8');
  const result = await importDataset(db, {
    teamId,
    name,
    chunks: chunksOf(bytes),
    maxBytes: Number.POSITIVE_INFINITY, // The request's body is limited already.
    idempotencyKey: idempotencyKey ?? null,
    idempotentInput: [name, createHash('sha256').update(bytes).digest('hex')],
  });
  return { dataset: datasetType(result.dataset), created: result.created, download: null };
}

async function importSource(
  { services, teamId }: RequestContext,
  { name, idempotencyKey }: ImportDatasetInput,
  source: DatasetSource,
) {
  const request = { teamId, source, name: name ?? null, idempotencyKey: idempotencyKey ?? null };
  const { dataset, download } = await startDownload(services, request);
  return {
    dataset: dataset && datasetType(dataset),
    created: false,
    download: download && datasetDownloadType(download),
  };
}

@Resolver(() => ConversationType)
export class ConversationResolver {
  @FieldResolver(() => [RubricCriterionType])
  async criteria(
    @Root() conversation: ConversationType,
    @Ctx() context: RequestContext,
  ): Promise<RubricCriterionType[]> {
    const key = conversationKey(conversation.datasetKey, conversation.no);
    const rows = await context.load<string, RubricCriterion[]>('criteria', key, (keys) =>
      loadCriteria(context.db, context.teamId, keys),
    );
    return (rows ?? []).map(criterionType);
  }
}

async function* chunksOf(bytes: Buffer): AsyncGenerator<Uint8Array> {
  yield bytes;
}

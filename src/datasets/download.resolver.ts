import { Arg, Ctx, FieldResolver, ID, Query, Resolver, Root } from 'type-graphql';
import type { Dataset } from '../platform/database.js';
import { uuidOf } from '../platform/relay/globalId.js';
import { Access } from '../tenancy/access.js';
import type { RequestContext } from '../tenancy/requestContext.js';
import { findDownload, listDownloads, loadDatasetsBySha256 } from './dataset.queries.js';
import { DatasetType, datasetType } from './dataset.types.js';
import { DatasetDownloadType, datasetDownloadType } from './download.types.js';

@Resolver(() => DatasetDownloadType)
export class DatasetDownloadResolver {
  @Access('VIEWER')
  @Query(() => [DatasetDownloadType], {
    description: 'What the team has fetched or is fetching: at most one for each source, the newest first.',
  })
  async datasetDownloads(@Ctx() { db, teamId }: RequestContext): Promise<DatasetDownloadType[]> {
    return (await listDownloads(db, teamId)).map(datasetDownloadType);
  }

  @Access('VIEWER')
  @Query(() => DatasetDownloadType, { nullable: true })
  async datasetDownload(
    @Arg('id', () => ID) id: string,
    @Ctx() { db, teamId }: RequestContext,
  ): Promise<DatasetDownloadType | null> {
    const row = await findDownload(db, teamId, uuidOf('DatasetDownload', id));
    return row && datasetDownloadType(row);
  }

  @FieldResolver(() => DatasetType, {
    nullable: true,
    description: 'Null until it is imported, and again when it was deleted.',
  })
  async dataset(@Root() download: DatasetDownloadType, @Ctx() context: RequestContext): Promise<DatasetType | null> {
    const { sha256 } = context.services.official.files[download.source];
    const row = await context.load<string, Dataset>('datasetBySha256', sha256, (keys) =>
      loadDatasetsBySha256(context.db, context.teamId, keys),
    );
    return row && datasetType(row);
  }
}

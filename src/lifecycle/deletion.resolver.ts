import { Arg, Ctx, Mutation, Resolver } from 'type-graphql';
import { OwnTransactions } from '../audit/auditMutations.js';
import { datasetType } from '../datasets/dataset.types.js';
import { requireUuid } from '../platform/relay/globalId.js';
import { withUserErrors } from '../platform/relay/userError.type.js';
import { Access } from '../tenancy/access.js';
import type { RequestContext } from '../tenancy/requestContext.js';
import { archiveDataset, deleteDataset } from './deleteDataset.js';
import { deleteRun } from './deleteRun.js';
import {
  ArchiveDatasetInput,
  ArchiveDatasetPayload,
  DeleteDatasetInput,
  DeleteDatasetPayload,
  DeleteRunInput,
  DeletionPayload,
  deletedRows,
} from './lifecycle.types.js';

@Resolver()
export class DeletionResolver {
  @Access('ADMIN')
  @OwnTransactions()
  @Mutation(() => DeletionPayload, {
    description: 'With its replies, verdicts and scores. One that goes on is cancelled first. Not to be undone.',
  })
  deleteRun(
    @Arg('input', () => DeleteRunInput) input: DeleteRunInput,
    @Ctx() context: RequestContext,
  ): Promise<DeletionPayload> {
    return withUserErrors<Omit<DeletionPayload, 'userErrors'>>({ deleted: [] }, async () => {
      const { teamId, services } = context;
      const runId = requireUuid('Run', input.runId, 'runId');
      const deleted = await deleteRun(services, { teamId, runId }, (tx, run, details) =>
        context.recordChange(tx, teamId, { subject: { type: 'Run', key: runId, name: run.name }, details }),
      );
      return { deleted: deletedRows(deleted) };
    });
  }

  @Access('ADMIN')
  @Mutation(() => DeleteDatasetPayload, {
    description: 'Refused with their names while runs refer to it; archive: true only takes it out of the list.',
  })
  deleteDataset(
    @Arg('input', () => DeleteDatasetInput) input: DeleteDatasetInput,
    @Ctx() context: RequestContext,
  ): Promise<DeleteDatasetPayload> {
    const empty = { deleted: [], dataset: null };
    return withUserErrors<Omit<DeleteDatasetPayload, 'userErrors'>>(empty, async () => {
      const key = datasetKey(input, context);
      if (input.archive === true) {
        return { deleted: [], dataset: datasetType(await archiveDataset(context.db, key, true)) };
      }
      return { deleted: deletedRows(await deleteDataset(context.db, key)), dataset: null };
    });
  }

  @Access('ADMIN')
  @Mutation(() => ArchiveDatasetPayload, { description: 'Takes it out of the list, or puts it back; runs keep it.' })
  archiveDataset(
    @Arg('input', () => ArchiveDatasetInput) input: ArchiveDatasetInput,
    @Ctx() context: RequestContext,
  ): Promise<ArchiveDatasetPayload> {
    return withUserErrors<Omit<ArchiveDatasetPayload, 'userErrors'>>({ dataset: null }, async () => {
      const row = await archiveDataset(context.db, datasetKey(input, context), input.archived ?? true);
      return { dataset: datasetType(row) };
    });
  }
}

const datasetKey = (input: { datasetId: string }, context: RequestContext) => ({
  teamId: context.teamId,
  datasetId: requireUuid('Dataset', input.datasetId, 'datasetId'),
});

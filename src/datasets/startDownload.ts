import { downloadDataset } from '../jobs.js';
import type { Database, Dataset, DatasetDownload, DatasetSource, Queryable } from '../platform/database.js';
import type { JobQueue } from '../platform/queue.js';
import { cleanText } from '../platform/relay/wellFormed.js';
import { claimIdempotencyKey, keepIdempotentResult } from '../tenancy/idempotency.js';
import type { OfficialData } from '../tenancy/requestContext.js';

/** A download that nobody has written to for so long has lost its job. A broken connection is noted sooner. */
const ABANDONED_MS = 10 * 60_000;

export interface DownloadRequest {
  teamId: string;
  source: DatasetSource;
  /** Of the dataset; null: as the source is called. */
  name: string | null;
  idempotencyKey: string | null;
}

/** The dataset if the team has it already, else the download that will bring it. */
export type DownloadAnswer = { dataset: Dataset; download: null } | { dataset: null; download: DatasetDownload };

/**
 * Makes a team fetch an official file, unless it has it or is fetching it already. One that failed goes on with the
 * bytes that are there.
 */
export function startDownload(
  services: { db: Database; queue: JobQueue; official: OfficialData },
  request: DownloadRequest,
): Promise<DownloadAnswer> {
  const { teamId, source } = request;
  const name = cleanText(request.name ?? source.toLowerCase().replace('_', '-'), ['name']);
  const file = services.official.files[source];
  const idempotent = {
    teamId,
    operation: 'importDataset',
    key: request.idempotencyKey,
    input: ['source', source, request.name],
  };
  return services.db.$transaction(async (tx) => {
    const first = await claimIdempotencyKey(tx, idempotent);
    const known = { teamId_sha256: { teamId, sha256: file.sha256 } };
    if ((await tx.dataset.findUnique({ where: known })) !== null) {
      // Known and archived: whoever imports it wants it back.
      const dataset = await tx.dataset.update({ where: known, data: { archivedAt: null } });
      await keepIdempotentResult(tx, idempotent, dataset.id);
      return { dataset, download: null };
    }
    const data = { teamId, source, name, bytesTotal: file.bytes };
    const { count } = await tx.datasetDownload.createMany({ data, skipDuplicates: true });
    // Whoever asks at the same time waits here, and then sees what we have made of it.
    await tx.$queryRaw`SELECT 1 FROM dataset_download WHERE team_id = ${teamId}::uuid AND source = ${source}::dataset_source FOR UPDATE`;
    const found = await tx.datasetDownload.findUniqueOrThrow({ where: { teamId_source: { teamId, source } } });
    const download = await begin(tx, found, name, { isNew: count > 0, isRepetition: first !== null });
    if (download !== found || count > 0) {
      await services.queue.send(tx, downloadDataset, [{ payload: { teamId, downloadId: download.id } }]);
    }
    await keepIdempotentResult(tx, idempotent, download.id);
    return { dataset: null, download };
  });
}

/** The download as it is to go on: `found` itself when there is nothing to do. */
async function begin(
  tx: Queryable,
  found: DatasetDownload,
  name: string,
  { isNew, isRepetition }: { isNew: boolean; isRepetition: boolean },
): Promise<DatasetDownload> {
  const { status, id, teamId } = found;
  const where = { teamId_id: { teamId, id } };
  if (isNew) return found;
  // It was imported, and the dataset was deleted afterwards.
  if (status === 'COMPLETED' && isRepetition) return found;
  if (status !== 'COMPLETED' && status !== 'FAILED') {
    if (Date.now() - found.updatedAt.getTime() < ABANDONED_MS) return found;
    return tx.datasetDownload.update({ where, data: { status: 'QUEUED' } });
  }
  const fromTheBeginning = status === 'COMPLETED' ? { bytesDone: 0, etag: null } : {};
  const asNew = { status: 'QUEUED' as const, name, reason: null, message: null, finishedAt: null };
  return tx.datasetDownload.update({ where, data: { ...asNew, ...fromTheBeginning } });
}

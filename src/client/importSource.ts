import { setTimeout as sleep } from 'node:timers/promises';
import { ApiError, ClientError } from './errors.js';
import {
  DatasetDownloadDocument,
  type DatasetSource,
  type DownloadFragment,
  ImportSourceDocument,
} from './generated/operations.js';
import { type Connection, checkUserErrors, type ImportAnswer, request } from './request.js';

const POLL_MS = 500;

/**
 * Makes the service fetch an official file and waits until it is imported; asked for again after a break, it goes on.
 * Throws ApiError with the download's reason as its code when it has failed.
 *
 * @param onProgress told about twice a second how far it is
 */
export async function importSource(
  connection: Connection,
  input: { source: DatasetSource; name?: string; idempotencyKey?: string },
  onProgress: (download: DownloadFragment) => void = () => {},
): Promise<ImportAnswer> {
  const { importDataset } = await request(connection, ImportSourceDocument, { input });
  checkUserErrors(importDataset);
  if (importDataset.dataset) return { dataset: importDataset.dataset, created: false };
  const { id } = importDataset.download as DownloadFragment;
  for (;;) {
    const { datasetDownload: download } = await request(connection, DatasetDownloadDocument, { id });
    if (download === null) throw new ClientError('The download is gone.');
    onProgress(download);
    if (download.status === 'FAILED') throw new ApiError(download.message ?? '', download.reason ?? 'FAILED');
    if (download.status === 'COMPLETED') {
      if (download.dataset === null) throw new ClientError('The dataset was deleted as soon as it was there.');
      return { dataset: download.dataset, created: true };
    }
    await sleep(POLL_MS);
  }
}

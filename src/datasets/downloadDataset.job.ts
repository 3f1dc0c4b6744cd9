import { createHash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { serviceOrigin, writeAuditEvent } from '../audit/auditEvent.js';
import { InvalidInput } from '../errors.js';
import type { SourceFile } from '../healthbench/officialFiles.js';
import type { DownloadJob } from '../jobs.js';
import type { Database, DatasetDownload, Queryable } from '../platform/database.js';
import type { JobContext, JobHandler } from '../platform/jobWorker.js';
import type { JobQueue } from '../platform/queue.js';
import { openRemoteFile, RemoteFailure } from '../platform/remoteFile.js';
import type { OfficialData } from '../tenancy/requestContext.js';
import { DownloadParts } from './downloadParts.js';
import { importDataset } from './importDataset.js';

/** How patient a download is. */
export interface DownloadOptions {
  /** Tries in a row that bring no new byte, before it has failed. */
  maxAttempts: number;
  /** Between two tries; doubled each time, up to 30 times as long. */
  backoffMs: number;
  /** Silence after which a connection counts as broken. */
  stallMs: number;
}

const PATIENT: DownloadOptions = { maxAttempts: 8, backoffMs: 1_000, stallMs: 30_000 };

interface DownloadServices {
  db: Database;
  queue: JobQueue;
  official: OfficialData;
}

/**
 * Fetches an official file, checks that it is the one, and imports it. What has come is stored as it comes, so another
 * try, or another process after a crash, asks for the rest only.
 */
export const downloadDatasetHandler = (
  services: DownloadServices,
  options: Partial<DownloadOptions> = {},
): JobHandler<DownloadJob> => ({
  async run({ teamId, downloadId }, context) {
    const download = await services.db.datasetDownload.findFirst({ where: { id: downloadId, teamId } });
    if (download === null || download.status === 'COMPLETED' || download.status === 'FAILED') return;
    return new Download(services, download, context, { ...PATIENT, ...options }).run();
  },
  async giveUp({ teamId, downloadId }, error) {
    await services.db.datasetDownload.updateMany({
      where: { id: downloadId, teamId, finishedAt: null },
      data: failed('internal', `It could not be brought to an end: ${error.message}`),
    });
  },
});

const failed = (reason: string, message: string) => ({
  status: 'FAILED' as const,
  reason,
  message,
  finishedAt: new Date(),
});

class Download {
  readonly #file: SourceFile;
  readonly #parts: DownloadParts;

  constructor(
    private readonly services: DownloadServices,
    private readonly download: DatasetDownload,
    private readonly context: JobContext,
    private readonly options: DownloadOptions,
  ) {
    this.#file = services.official.files[download.source];
    this.#parts = new DownloadParts(services, download, context.lease);
  }

  async run(): Promise<'unfinished' | undefined> {
    try {
      // Uploaded meanwhile, or imported by a worker that ended before it could say so.
      if (!(await this.#isImported())) {
        if (!(await this.#fetchAll())) return 'unfinished';
        await this.#verify();
        await this.#parts.update({ status: 'IMPORTING' });
        await this.#import();
      }
      await this.#complete();
    } catch (error) {
      if (!(error instanceof RemoteFailure)) throw error;
      if (error.reason === 'wrong_size') await this.#parts.clear();
      const advice = error.reason === 'http_status' && !error.again ? ' Is ASSAY_HEALTHBENCH_URL right?' : '';
      await this.#parts.update(failed(error.reason, error.message + advice));
    }
  }

  async #isImported(): Promise<boolean> {
    const where = { teamId: this.download.teamId, sha256: this.#file.sha256 };
    return (await this.services.db.dataset.findFirst({ where, select: { id: true } })) !== null;
  }

  /** False when the process is stopping. */
  async #fetchAll(): Promise<boolean> {
    const { stop } = this.context;
    for (let failures = 0; this.#parts.done < this.#file.bytes; ) {
      if (stop.aborted) return false;
      const before = this.#parts.done;
      try {
        await this.#fetchRest();
      } catch (error) {
        if (stop.aborted) return false;
        if (!(error instanceof RemoteFailure) || !error.again) throw error;
        failures = this.#parts.done > before ? 1 : failures + 1;
        if (failures >= this.options.maxAttempts) throw gaveUp(error, failures);
        await this.#parts.update({ reason: error.reason, message: `Trying again: ${error.message}` });
        const pause = this.options.backoffMs * Math.min(30, 2 ** (failures - 1));
        await sleep(pause, undefined, { signal: stop }).catch(() => {});
      }
    }
    return true;
  }

  async #fetchRest(): Promise<void> {
    const parts = this.#parts;
    // Nobody could say whether the rest is of the same file.
    if (parts.done > 0 && parts.etag === null) await parts.clear();
    const { bytes, name } = this.#file;
    const { stallMs } = this.options;
    const url = new URL(encodeURIComponent(name), this.services.official.url);
    const request = { url, bytes, start: parts.done, etag: parts.etag, stallMs, signal: this.context.stop };
    const file = await openRemoteFile(request).catch(async (error) => {
      if (error instanceof RemoteFailure && error.reason === 'wrong_range') await parts.clear();
      throw error;
    });
    // Without ranges, or when the file has changed, it comes from its beginning.
    if (file.start === 0 && parts.done > 0) await parts.clear();
    await parts.append(file.chunks, file.etag);
  }

  /** Before anything is imported, so that the error speaks of the file and not of some line in it. */
  async #verify(): Promise<void> {
    const hash = createHash('sha256');
    for await (const chunk of this.#parts.read()) hash.update(chunk);
    const sha256 = hash.digest('hex');
    if (sha256 === this.#file.sha256) return;
    await this.#parts.clear();
    const message = `What came has the sha256 ${sha256}, the official file ${this.#file.sha256}: it is not that file, and nothing of it was imported.`;
    throw new RemoteFailure('wrong_sha256', message, false);
  }

  async #import(): Promise<void> {
    const { teamId, name, source } = this.download;
    try {
      await importDataset(this.services.db, {
        teamId,
        name,
        chunks: this.#parts.read(),
        maxBytes: this.#file.bytes,
        alsoWrite: async (tx, dataset) => {
          await this.services.queue.assertHeld(tx, this.context.lease);
          if (dataset.sha256 !== this.#file.sha256) throw new Error('the parts have changed since they were checked');
          const subject = { type: 'Dataset', key: dataset.id, name };
          const event = { action: 'importDataset', outcome: 'DONE' as const, subject, details: { source } };
          await writeAuditEvent(tx, teamId, serviceOrigin('download'), event);
          await this.#finish(tx);
        },
      });
    } catch (error) {
      if (error instanceof InvalidInput) throw new RemoteFailure('invalid_dataset', error.message, false);
      throw error;
    }
  }

  /** When the dataset was there without us. */
  async #complete(): Promise<void> {
    await this.services.db.$transaction((tx) => this.#finish(tx));
  }

  async #finish(tx: Queryable): Promise<void> {
    const { id, teamId } = this.download;
    await tx.datasetDownloadPart.deleteMany({ where: { downloadId: id, teamId } });
    await tx.datasetDownload.updateMany({
      where: { id, teamId, finishedAt: null },
      data: {
        status: 'COMPLETED',
        bytesDone: this.#file.bytes,
        etag: null,
        reason: null,
        message: null,
        finishedAt: new Date(),
      },
    });
  }
}

const gaveUp = (error: RemoteFailure, attempts: number): RemoteFailure =>
  new RemoteFailure(
    error.reason,
    `${error.message} ${attempts} tries in a row brought nothing; ask for it again, and it goes on from where it is.`,
    true,
  );

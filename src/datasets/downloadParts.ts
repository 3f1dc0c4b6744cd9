import type { Database, DatasetDownload, Prisma } from '../platform/database.js';
import { type JobLease, type JobQueue, LeaseLost } from '../platform/queue.js';

/** Bytes a row. Prisma remembers the arguments of its last hundred calls, so larger ones would stay in memory. */
const PART_BYTES = 256 * 1024;

/** The bytes of one download that are here: written as they come, by the holder of its job alone. */
export class DownloadParts {
  #done: number;
  #etag: string | null;

  constructor(
    private readonly services: { db: Database; queue: JobQueue },
    private readonly download: Pick<DatasetDownload, 'id' | 'teamId' | 'bytesDone' | 'etag'>,
    private readonly lease: JobLease,
  ) {
    this.#done = download.bytesDone;
    this.#etag = download.etag;
  }

  /** How many bytes from the beginning are here. */
  get done(): number {
    return this.#done;
  }

  /** Of the file that they are from; null: nobody knows. */
  get etag(): string | null {
    return this.#etag;
  }

  /** Changes the download's row. Throws LeaseLost when another worker has taken over. */
  async update(data: Prisma.DatasetDownloadUpdateInput): Promise<void> {
    await this.#write(data, async () => {});
  }

  /** Forgets what is here: it cannot be gone on with, or it is not the file. */
  async clear(): Promise<void> {
    await this.#write({ bytesDone: 0, etag: null }, async (tx) => {
      await tx.datasetDownloadPart.deleteMany({
        where: { downloadId: this.download.id, teamId: this.download.teamId },
      });
    });
    this.#done = 0;
    this.#etag = null;
  }

  /** Adds what comes, behind what is here. What came before the stream broke is kept. */
  async append(chunks: AsyncIterable<Uint8Array>, etag: string | null): Promise<void> {
    this.#etag = etag;
    let pending: Uint8Array[] = [];
    let size = 0;
    const flush = async () => {
      const content = Buffer.concat(pending, size);
      pending = [];
      size = 0;
      if (content.length > 0) await this.#add(content);
    };
    try {
      for await (const chunk of chunks) {
        pending.push(chunk);
        size += chunk.length;
        if (size >= PART_BYTES) await flush();
      }
    } finally {
      await flush();
    }
  }

  async #add(content: Buffer): Promise<void> {
    const { id: downloadId, teamId } = this.download;
    const start = this.#done;
    const end = start + content.length;
    await this.#write({ status: 'DOWNLOADING', bytesDone: end, etag: this.#etag, reason: null, message: null }, (tx) =>
      tx.datasetDownloadPart.create({ data: { downloadId, teamId, start, content: new Uint8Array(content) } }),
    );
    this.#done = end;
  }

  async #write(
    data: Prisma.DatasetDownloadUpdateInput,
    also: (tx: Prisma.TransactionClient) => Promise<unknown>,
  ): Promise<void> {
    const { id, teamId } = this.download;
    await this.services.db.$transaction(async (tx) => {
      await this.services.queue.assertHeld(tx, this.lease);
      await also(tx);
      const { count } = await tx.datasetDownload.updateMany({
        where: { id, teamId, bytesDone: this.#done },
        data: data as Prisma.DatasetDownloadUpdateManyMutationInput,
      });
      // The team is gone, or somebody else has added to it.
      if (count === 0) throw new LeaseLost();
    });
  }

  /** All that is here, in order, one part in memory at a time. */
  async *read(): AsyncGenerator<Uint8Array> {
    const { id: downloadId, teamId } = this.download;
    for (let at = 0; at < this.#done; ) {
      const part = await this.services.db.datasetDownloadPart.findFirst({ where: { downloadId, teamId, start: at } });
      if (part === null) throw new Error(`the part from byte ${at} on is missing`);
      yield part.content;
      at += part.content.length;
    }
  }
}

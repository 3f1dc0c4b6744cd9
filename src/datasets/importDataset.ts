import { createHash, randomUUID } from 'node:crypto';
import { Conflict, InvalidInput } from '../errors.js';
import { DatasetError, readDataset } from '../healthbench/datasetReader.js';
import { officialFile } from '../healthbench/officialFiles.js';
import { allowIdle, type Database, type Dataset, isUniqueViolation, type Queryable } from '../platform/database.js';
import { cleanText } from '../platform/relay/wellFormed.js';
import { claimIdempotencyKey, firstResult, keepIdempotentResult } from '../tenancy/idempotency.js';
import { DatasetWriter } from './datasetWriter.js';
import { measure } from './measureFile.js';

export interface ImportRequest {
  teamId: string;
  name: string;
  /** The file's bytes: HealthBench's JSONL (main, hard, consensus or professional). */
  chunks: AsyncIterable<Uint8Array>;
  /** In bytes; one more is refused. */
  maxBytes: number;
  idempotencyKey?: string | null;
  /** What an idempotency key stands for. */
  idempotentInput?: unknown;
  /** Called at the end of the transaction that makes a dataset; what it throws takes the import back. */
  alsoWrite?: (tx: Queryable, dataset: Dataset) => Promise<void>;
}

export interface ImportResult {
  dataset: Dataset;
  /** False: the team had this content already, under this or another name. */
  created: boolean;
}

/** An upload may stall for so long. */
const STALL_SECONDS = 300;

/** Thrown to roll back when the content turns out to be known. */
class AlreadyImported extends Error {}

/**
 * Imports a file in constant memory, all or nothing: one transaction, in batches. A record that cannot
 * be used throws InvalidInput that names its 1-based line. The same bytes twice are the same dataset.
 */
export async function importDataset(db: Database, request: ImportRequest): Promise<ImportResult> {
  const name = cleanText(request.name, ['name']);
  const hash = createHash('sha256');
  try {
    return await db.$transaction((tx) => importInto(tx, { ...request, name }, hash));
  } catch (error) {
    if (error instanceof DatasetError) throw new InvalidInput(error.message, ['jsonl']);
    if (!(error instanceof AlreadyImported) && !isUniqueViolation(error)) throw error;
    return db.$transaction((tx) => knownDataset(tx, request, hash.copy().digest('hex')));
  }
}

const idempotentImport = ({ teamId, idempotencyKey, idempotentInput }: ImportRequest) => ({
  teamId,
  operation: 'importDataset',
  key: idempotencyKey,
  input: idempotentInput,
});

/** Known and archived: whoever imports it wants it back. */
async function knownDataset(tx: Queryable, request: ImportRequest, sha256: string): Promise<ImportResult> {
  const { teamId } = request;
  // The transaction that found it known has taken the key back.
  await claimIdempotencyKey(tx, idempotentImport(request));
  const [dataset] = await tx.dataset.updateManyAndReturn({ where: { teamId, sha256 }, data: { archivedAt: null } });
  if (dataset === undefined) throw new Conflict('The same dataset was being deleted: import it again.', ['jsonl']);
  await keepIdempotentResult(tx, idempotentImport(request), dataset.id);
  return { dataset, created: false };
}

async function importInto(
  tx: Queryable,
  request: ImportRequest,
  hash: ReturnType<typeof createHash>,
): Promise<ImportResult> {
  const { teamId, name } = request;
  await allowIdle(tx, STALL_SECONDS);
  const first = await claimIdempotencyKey(tx, idempotentImport(request));
  if (first !== null) {
    return { dataset: firstResult(await tx.dataset.findFirst({ where: { id: first, teamId } })), created: false };
  }

  // The row stands first because the conversations refer to it; what only the last byte tells follows.
  const { id } = await tx.dataset.create({
    data: { teamId, name, sha256: randomUUID(), format: '', byteSize: 0, conversationCount: 1, criterionCount: 1 },
  });
  const writer = new DatasetWriter(tx, teamId, id);
  const measured = measure(request.chunks, hash, request.maxBytes, ['jsonl']);
  for await (const { index, record, line } of readDataset(measured.chunks)) await writer.add(index, line, record);
  await writer.flush();

  const sha256 = hash.copy().digest('hex');
  const known = await tx.dataset.findUnique({ where: { teamId_sha256: { teamId, sha256 } } });
  if (known !== null) throw new AlreadyImported();
  const dataset = await tx.dataset.update({
    where: { id },
    data: {
      sha256,
      officialName: officialFile(sha256)?.name ?? null,
      format: writer.format,
      byteSize: measured.bytes(),
      conversationCount: writer.conversations,
      criterionCount: writer.criteria,
      warnings: writer.warnings,
    },
  });
  await keepIdempotentResult(tx, idempotentImport(request), dataset.id);
  await request.alsoWrite?.(tx, dataset);
  return { dataset, created: true };
}

import { createHash, type Hash } from 'node:crypto';
import { measure } from '../datasets/measureFile.js';
import { InvalidInput } from '../errors.js';
import { allowIdle, type Database, isUniqueViolation, type Queryable } from '../platform/database.js';
import type { JobQueue } from '../platform/queue.js';
import { findDataset } from '../runs/checkRun.js';
import { requireProfile, type ScoringInput } from '../runs/chooseScoring.js';
import type { SampleInput } from '../runs/sample.js';
import { aggregatesOf, endRun } from '../scoring/scoreRun.job.js';
import { claimIdempotencyKey, keepIdempotentResult } from '../tenancy/idempotency.js';
import { draftImport, importConditions, importOrigin, type ReadFile } from './freezeImport.js';
import type { DeclaredModel } from './importConditions.js';
import { type DeclaredPrompt, importedPrompt } from './importedPrompt.js';
import { ImportError, type ImportFormat } from './importedRun.js';
import { ImportWriter } from './importWriter.js';
import { readRun } from './readRun.js';
import { RunOrder } from './runOrder.js';

/** What is said of a file by whoever imports it. */
export interface ImportDeclaration {
  /** A global id. */
  datasetId: string;
  /** Null: found out from the file. */
  format?: ImportFormat | null;
  /** Of the source harness, the text of its `description.md`. */
  description?: string | null;
  repeats?: number | null;
  sample?: SampleInput | null;
  modelUnderTest?: DeclaredModel | null;
  grader?: (DeclaredModel & DeclaredPrompt) | null;
  scoringProfile?: string | null;
  scoring?: ScoringInput | null;
}

export interface ImportRunRequest extends ImportDeclaration {
  idempotencyKey?: string | null;
  name?: string | null;
  fileName?: string | null;
  chunks: AsyncIterable<Uint8Array>;
  /** In bytes; one more is refused. */
  maxBytes: number;
  /** Name of the key or person. */
  importedBy: string | null;
}

export interface ImportRunResult {
  runId: string;
  /** False: the same file was imported before with the same declaration. */
  created: boolean;
}

/** An upload may stall for so long. */
const STALL_SECONDS = 300;

/** Thrown to roll back when the file turns out to be known. */
class AlreadyImported extends Error {
  constructor(readonly runId: string) {
    super();
  }
}

/**
 * Brings a finished run of another harness in, all or nothing: read as a stream, checked against the dataset, written
 * through the same log and scored by the same functions as every run. No model is ever called for it. Throws
 * InvalidInput with the line or place in the file, NotFound or Conflict.
 */
export async function importRun(
  { db, queue }: { db: Database; queue: JobQueue },
  teamId: string,
  request: ImportRunRequest,
): Promise<ImportRunResult> {
  const hash = createHash('sha256');
  try {
    return { runId: await db.$transaction((tx) => importInto(tx, queue, teamId, request, hash)), created: true };
  } catch (error) {
    if (error instanceof ImportError) throw new InvalidInput(error.message, ['file']);
    if (error instanceof AlreadyImported) return { runId: error.runId, created: false };
    if (!isUniqueViolation(error)) throw error;
    // Somebody else has imported it meanwhile.
    const importKey = importKeyOf(hash.copy().digest('hex'), request);
    const first = await db.run.findUniqueOrThrow({ where: { teamId_importKey: { teamId, importKey } } });
    return { runId: first.id, created: false };
  }
}

async function importInto(
  tx: Queryable,
  queue: JobQueue,
  teamId: string,
  request: ImportRunRequest,
  hash: Hash,
): Promise<string> {
  await allowIdle(tx, STALL_SECONDS);
  const dataset = await findDataset(tx, teamId, request.datasetId);
  // Before the file is read: what is wrong with it is known at once.
  requireProfile(request.scoringProfile ?? null);
  const prompt = await importedPrompt(tx, teamId, request.grader ?? {});
  const draft = await draftImport(tx, teamId, dataset);
  const { chunks } = measure(request.chunks, hash, request.maxBytes, ['file']);
  const read = readRun(chunks, request.format ?? null, request.description ?? null);
  const written = new ImportWriter(tx, draft);
  const order = new RunOrder();
  for await (const conversation of read.conversations) {
    const most = request.repeats ?? (read.format === 'SIMPLE_EVALS' ? Number.POSITIVE_INFINITY : 1);
    await written.add(conversation, order.add(conversation.promptId, conversation.place, most));
  }
  await written.flush();
  const repeats = order.end();
  if (request.repeats != null && request.repeats !== repeats) {
    throw new InvalidInput(`The file has every conversation ${repeats} times.`, ['repeats']);
  }
  const file: ReadFile = { dataset, prompt, read, written, repeats, sha256: hash.copy().digest('hex') };
  const { frozen, aggregates } = await finish(tx, teamId, request, file, draft.id);
  await endRun(tx, queue, frozen, aggregates);
  return draft.id;
}

/** Freezes and scores the run whose conversations are written. */
async function finish(tx: Queryable, teamId: string, request: ImportRunRequest, file: ReadFile, id: string) {
  const importKey = importKeyOf(file.sha256, request);
  const { idempotencyKey: key } = request;
  const idempotent = { teamId, operation: 'importRun', key, input: [importKey, request.name ?? null] };
  const first = await claimIdempotencyKey(tx, idempotent);
  if (first !== null) throw new AlreadyImported(first);
  const known = await tx.run.findUnique({ where: { teamId_importKey: { teamId, importKey } } });
  if (known !== null) throw new AlreadyImported(known.id);
  const { columns, parts } = await importConditions(tx, request, file);
  const { written } = file;
  const progress = { replies: written.replies, failed: written.failed };
  await tx.runProgress.update({ where: { runId: id }, data: progress });
  const frozen = await tx.run.update({ where: { id }, data: { ...columns, importKey } });
  const aggregates = await aggregatesOf(tx, frozen);
  const origin = importOrigin(request, file, parts, aggregates?.score.value ?? null);
  await tx.run.update({
    where: { id },
    data: { origin: { ...origin, parts: origin.parts.map((part) => ({ ...part })) } },
  });
  await keepIdempotentResult(tx, idempotent, id);
  return { frozen, aggregates };
}

/** Identity of an import within its team: the file's bytes and everything that was declared of them. */
function importKeyOf(sha256: string, request: ImportRunRequest): string {
  const { datasetId, description, repeats, sample, modelUnderTest, grader, scoringProfile, scoring } = request;
  const declared = { datasetId, description, repeats, sample, modelUnderTest, grader, scoringProfile, scoring };
  return createHash('sha256')
    .update(JSON.stringify([sha256, sorted(declared)]))
    .digest('hex');
}

/** With the keys of every object in order, so that the order in which they came says nothing. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).filter(([, inner]) => inner !== undefined);
  return Object.fromEntries(entries.sort(([a], [b]) => (a < b ? -1 : 1)).map(([key, inner]) => [key, sorted(inner)]));
}

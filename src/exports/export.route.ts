import { createHash } from 'node:crypto';
import { pipeline, Readable } from 'node:stream';
import { createGzip } from 'node:zlib';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { recordExport } from '../audit/audited.js';
import { Conflict, InvalidInput, NotFound, Unauthenticated } from '../errors.js';
import { globalId, uuidOf } from '../platform/relay/globalId.js';
import type { SecretBox } from '../platform/secretBox.js';
import { requireDetails } from '../runs/requireDetails.js';
import { findRun, type RunRow } from '../runs/run.queries.js';
import { requireRole } from '../tenancy/access.js';
import type { RequestContext } from '../tenancy/requestContext.js';
import { compatibleFiles } from './compatibility.js';
import { type ExportTable, isValidLink } from './exportUrl.js';
import { type ExportFormat, formats } from './formats.js';
import { conversationTable, runTable, verdictTable } from './runTables.js';
import type { ExportNotes, Table } from './table.js';

interface Query {
  table?: string;
  format?: string;
  team?: string;
  expires?: string;
  signature?: string;
}

/** How a request is authenticated: by its key, or as a link of a team. */
export interface ExportAuthentication {
  byKey(request: FastifyRequest): Promise<RequestContext>;
  /** Only for a link whose signature is good: before that, the team in it is anybody's word. */
  byLink(request: FastifyRequest, teamId: string): RequestContext;
  secrets: SecretBox;
}

/**
 * `GET /runs/{id}/export?table=verdicts|conversations|runs&format=jsonl|csv|parquet`: a whole run, streamed in
 * constant memory, pinned to where the log was when it began. `GET /runs/export` is the team's history.
 * Other harnesses' shapes: `format=simple-evals|harness-results|harness-description`.
 * The header `x-assay-rows` says how many rows come, `x-assay-columns` their names in order, the trailer `x-assay-sha256` the hash of the bytes; a
 * download that breaks off ends with an error and never as a short file.
 */
export function registerExport(app: FastifyInstance, authentication: ExportAuthentication): void {
  app.get<{ Querystring: Query }>('/runs/export', async (request, reply) => {
    const context = await authentication.byKey(request);
    requireRole(context, 'VIEWER');
    const format = choose(request.query.format ?? 'jsonl', formats, 'format');
    await recordExport(context, 'exportRuns', { details: { format } });
    return send(request, reply, await runTable(context.db, context.teamId, null), format, {}, 'runs');
  });
  app.get<{ Params: { id: string }; Querystring: Query }>('/runs/:id/export', async (request, reply) => {
    const runId = uuidOf('Run', request.params.id);
    const table = choose(request.query.table ?? 'verdicts', { verdicts: 1, conversations: 1, runs: 1 }, 'table');
    const shape = request.query.format ?? '';
    if (Object.hasOwn(compatibleFiles, shape)) {
      return sendCompatible(authentication, request, reply, runId, shape as keyof typeof compatibleFiles);
    }
    const format = choose(request.query.format ?? 'jsonl', formats, 'format');
    const context = await authenticate(authentication, request, runId, table, format);
    const run = await findRun(context.db, context.teamId, runId);
    if (run === null) throw new NotFound('Run', ['id']);
    if (table === 'verdicts') requireDetails(run, ['id'], 'take table=conversations or table=runs');
    await recordExport(context, 'exportRun', { subject: subjectOf(run), details: { table, format } });
    return send(request, reply, await tableOf(context, run, table), format, notesOf(run), `${run.name}-${table}`);
  });
}

async function sendCompatible(
  authentication: ExportAuthentication,
  request: FastifyRequest,
  reply: FastifyReply,
  runId: string | null,
  shape: keyof typeof compatibleFiles,
): Promise<FastifyReply> {
  const context = await authentication.byKey(request);
  requireRole(context, 'VIEWER');
  const { db, teamId } = context;
  const run = await findRun(db, teamId, runId);
  if (run === null) throw new NotFound('Run', ['id']);
  const scores = await db.runScore.findFirst({ where: { runId: run.id, teamId }, include: { tags: true } });
  if (scores === null || run.status !== 'COMPLETED') {
    throw new Conflict('Only a completed run can be written in this shape.', ['id']);
  }
  requireDetails(run, ['id'], 'take table=conversations or table=runs');
  await recordExport(context, 'exportRun', { subject: subjectOf(run), details: { format: shape } });
  const { fileName: file, contentType, write } = compatibleFiles[shape];
  return stream(request, reply, write(db, run, scores), { file, contentType, compress: true });
}

const subjectOf = (run: RunRow) => ({ type: 'Run', key: run.id, name: run.name });

async function authenticate(
  authentication: ExportAuthentication,
  request: FastifyRequest<{ Querystring: Query }>,
  runId: string | null,
  table: ExportTable,
  format: ExportFormat,
): Promise<RequestContext> {
  const { team, expires, signature } = request.query;
  if (signature === undefined) {
    const context = await authentication.byKey(request);
    requireRole(context, 'VIEWER');
    return context;
  }
  const link = { teamId: team ?? '', runId: runId ?? '', table, format, expires: Number(expires) };
  if (!isValidLink(authentication.secrets, link, signature, Date.now())) throw new Unauthenticated();
  return authentication.byLink(request, link.teamId);
}

async function tableOf(context: RequestContext, run: RunRow, table: ExportTable): Promise<Table<never>> {
  const { db, teamId } = context;
  if (table === 'runs') return (await runTable(db, teamId, run.id)) as unknown as Table<never>;
  return (table === 'verdicts' ? verdictTable(db, run) : conversationTable(db, run)) as unknown as Table<never>;
}

/** What a Parquet file carries in its metadata. */
function notesOf(run: RunRow): ExportNotes {
  return {
    'assay.run': globalId('Run', run.id),
    'assay.status': run.status,
    ...(run.graderPrompt === null ? {} : { 'assay.grader_prompt': run.graderPrompt }),
    ...(run.graderPromptSha256 === null ? {} : { 'assay.grader_prompt_sha256': run.graderPromptSha256 }),
    'assay.dataset_sha256': run.datasetSha256,
    'assay.exported_at': new Date().toISOString(),
  };
}

function send<R>(
  request: FastifyRequest,
  reply: FastifyReply,
  table: Table<R>,
  format: ExportFormat,
  notes: ExportNotes,
  name: string,
): Promise<FastifyReply> {
  const { contentType, write } = formats[format];
  const file = `${name.replaceAll(/[^\w.-]+/g, '_').slice(0, 80)}.${format}`;
  reply.header('x-assay-rows', String(table.rowCount));
  // A table without rows has columns, too, and JSONL would not tell.
  reply.header('x-assay-columns', table.columns.map((column) => column.name).join(','));
  return stream(request, reply, write(table, notes), { file, contentType, compress: format !== 'parquet' });
}

/**
 * Sends bytes as they come. What fails before the first of them is an error like any other; when they break off
 * later, so does the connection.
 */
async function stream(
  request: FastifyRequest,
  reply: FastifyReply,
  chunks: AsyncIterable<Uint8Array>,
  { file, contentType, compress }: { file: string; contentType: string; compress: boolean },
): Promise<FastifyReply> {
  const hash = createHash('sha256');
  const iterator = chunks[Symbol.asyncIterator]();
  const first = await iterator.next();
  async function* hashed() {
    try {
      for (let next = first; !next.done; next = await iterator.next()) {
        hash.update(next.value);
        yield next.value;
      }
    } finally {
      await iterator.return?.();
    }
  }
  reply
    .header('content-type', contentType)
    .header('content-disposition', `attachment; filename="${file}"`)
    .header('cache-control', 'no-store')
    .trailer('x-assay-sha256', async () => hash.digest('hex'));
  const body = Readable.from(hashed(), { objectMode: false });
  // Perhaps nothing is sent yet; but headers that promise a file do not go with an error's body.
  body.on('error', () => reply.raw.destroy());
  if (!compress) return reply.send(body);
  reply.header('vary', 'accept-encoding');
  if (!acceptsGzip(request.headers['accept-encoding'])) return reply.send(body);
  // Whichever of the two ends early ends the other, and Fastify sees it.
  const gzip = pipeline(body, createGzip(), () => {});
  return reply.header('content-encoding', 'gzip').send(gzip);
}

/** Whether a list such as `br, gzip;q=0.5` names gzip, and not with a weight of 0. */
export function acceptsGzip(header: string | string[] | undefined): boolean {
  const weights = new Map(
    String(header ?? '')
      .toLowerCase()
      .split(',')
      .map((item) => {
        const [coding = '', ...parameters] = item.split(';').map((part) => part.trim());
        const weight = parameters.find((parameter) => parameter.startsWith('q='))?.slice(2) ?? '1';
        return [coding, Number(weight)];
      }),
  );
  return (weights.get('gzip') ?? weights.get('x-gzip') ?? 0) > 0;
}

function choose<K extends string>(value: string, choices: Record<K, unknown>, name: string): K {
  if (Object.hasOwn(choices, value)) return value as K;
  throw new InvalidInput(`${name} must be one of: ${Object.keys(choices).join(', ')}.`, [name]);
}

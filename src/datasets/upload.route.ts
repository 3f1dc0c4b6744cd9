import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { shownName } from '../audit/auditDetails.js';
import { audited } from '../audit/audited.js';
import { type ExpectedError, InvalidInput } from '../errors.js';
import { requireRole } from '../tenancy/access.js';
import type { RequestContext } from '../tenancy/requestContext.js';
import { datasetType } from './dataset.types.js';
import { importDataset } from './importDataset.js';

/**
 * `POST /datasets?name=…` with the file as the body: streamed, so a file of any size up to the limit
 * takes constant memory. Answers 201 (new) or 200 (known content) with the dataset.
 *
 * @param contextOf authenticates a request
 * @param admit throws unless the caller may import now
 * @param maxBytes of the body
 */
export function registerUpload(
  app: FastifyInstance,
  contextOf: (request: FastifyRequest) => Promise<RequestContext>,
  admit: (context: RequestContext, reply: FastifyReply) => Promise<void>,
  maxBytes: number,
): void {
  app.register(async (scope) => {
    scope.removeAllContentTypeParsers();
    // The body is handed over as a stream, whatever its type says.
    scope.addContentTypeParser('*', (_request, payload, done) => done(null, payload));
    // The rest of a refused body is not read: the connection ends with the answer.
    scope.addHook('onError', async (_request, reply) => {
      reply.header('connection', 'close');
    });
    scope.post<{ Querystring: { name?: string; idempotencyKey?: string } }>('/datasets', async (request, reply) => {
      const context = await contextOf(request);
      // Outside the transaction of the import, which would hold what is taken locked, and give it back on failure.
      await admit(context, reply);
      const name = request.query.name ?? '';
      const action = { name: 'importDataset', oneTransaction: true, details: { name: shownName(name) } };
      const { dataset, created } = await audited(context, action, async (inner) => {
        requireRole(inner, 'RUNNER');
        if (name.trim() === '') throw new InvalidInput('Name the dataset: POST /datasets?name=…');
        if (request.headers['content-encoding'] !== undefined) {
          throw new InvalidInput('Send the file uncompressed.');
        }
        const chunks = request.body as AsyncIterable<Uint8Array>;
        const result = await importDataset(inner.db, { teamId: inner.teamId, name, chunks, maxBytes });
        return { ...result, dataset: datasetType(result.dataset) };
      });
      const { key, teamId, byteSize, ...shown } = dataset as ReturnType<typeof datasetType> & {
        teamId: string;
      };
      return reply.code(created ? 201 : 200).send({ dataset: { ...shown, byteSize: Number(byteSize) }, created });
    });
  });
}

/** The HTTP status of an expected error. */
export function statusOf(error: ExpectedError): number {
  const known: Record<string, number> = {
    UNAUTHENTICATED: 401,
    FORBIDDEN: 403,
    NOT_FOUND: 404,
    CONFLICT: 409,
    RATE_LIMITED: 429,
    TOO_MANY_SUBSCRIPTIONS: 429,
    TOO_MANY_UPLOADS: 429,
    UNAVAILABLE: 503,
  };
  return known[error.code] ?? 400;
}

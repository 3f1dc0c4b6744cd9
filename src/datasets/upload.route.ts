import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { type ExpectedError, InvalidInput } from '../errors.js';
import type { RequestContext } from '../tenancy/requestContext.js';
import { datasetType } from './dataset.types.js';
import { importDataset } from './importDataset.js';

/**
 * `POST /datasets?name=…` with the file as the body: streamed, so a file of any size up to the limit
 * takes constant memory. Answers 201 (new) or 200 (known content) with the dataset.
 *
 * @param admit authenticates a request and says whether it may import now
 * @param maxBytes of the body
 */
export function registerUpload(
  app: FastifyInstance,
  admit: (request: FastifyRequest, reply: FastifyReply) => Promise<RequestContext>,
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
      const context = await admit(request, reply);
      if (request.headers['content-encoding'] !== undefined) {
        throw new InvalidInput('Send the file uncompressed.');
      }
      const { dataset, created } = await importDataset(context.db, {
        teamId: context.teamId,
        name: request.query.name ?? '',
        chunks: request.body as AsyncIterable<Uint8Array>,
        maxBytes,
      });
      const { key, teamId, byteSize, ...shown } = datasetType(dataset) as ReturnType<typeof datasetType> & {
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
    TOO_MANY_UPLOADS: 429,
    UNAVAILABLE: 503,
  };
  return known[error.code] ?? 400;
}

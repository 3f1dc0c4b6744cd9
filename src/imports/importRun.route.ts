import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { coerceInputValue, type GraphQLSchema, isInputObjectType } from 'graphql';
import { auditDetails } from '../audit/auditDetails.js';
import { audited } from '../audit/audited.js';
import { InvalidInput, Unauthenticated } from '../errors.js';
import { requireRole } from '../tenancy/access.js';
import type { RequestContext } from '../tenancy/requestContext.js';
import { importedRun } from './importRun.resolver.js';
import type { ImportRunInput } from './importRun.types.js';

export interface ImportRoute {
  schema: GraphQLSchema;
  /** Authenticates a request. */
  contextOf(request: FastifyRequest): Promise<RequestContext>;
  /** Throws unless the caller may import now. */
  admit(context: RequestContext, reply: FastifyReply): Promise<void>;
  /** Of the body. */
  maxBytes: number;
}

/**
 * `POST /runs/import?input=…` with the file as the body and the rest of an ImportRunInput as JSON in the address:
 * streamed, so a file of any size up to the limit takes constant memory. Answers 201 (new) or 200 (known) with the run.
 */
export function registerRunImport(app: FastifyInstance, { schema, contextOf, admit, maxBytes }: ImportRoute): void {
  app.register(async (scope) => {
    scope.removeAllContentTypeParsers();
    // The body is handed over as a stream, whatever its type says.
    scope.addContentTypeParser('*', (_request, payload, done) => done(null, payload));
    // The rest of a refused body is not read: the connection ends with the answer.
    scope.addHook('onError', async (_request, reply) => {
      reply.header('connection', 'close');
    });
    scope.post<{ Querystring: { input?: string } }>('/runs/import', async (request, reply) => {
      const context = await contextOf(request);
      // Outside the transaction of the import, which would hold what is taken locked, and give it back on failure.
      await admit(context, reply);
      if (context.actor === null) throw new Unauthenticated();
      const input = inputOf(schema, request.query.input);
      const details = auditDetails(inputType(schema), input);
      const action = { name: 'importRun', oneTransaction: true, details };
      const { run, created } = await audited(context, action, (inner) => {
        requireRole(inner, 'RUNNER');
        if (request.headers['content-encoding'] !== undefined) throw new InvalidInput('Send the file uncompressed.');
        return importedRun(inner, input, request.body as AsyncIterable<Uint8Array>, maxBytes);
      });
      if (run === null) throw new Error('an imported run is not there');
      const { id, name, status, progress, origin } = run;
      return reply.code(created ? 201 : 200).send({ run: { id, name, status, progress, origin }, created });
    });
  });
}

/** What the address declares, checked as GraphQL checks it. Throws InvalidInput. */
function inputOf(schema: GraphQLSchema, text: string | undefined): Omit<ImportRunInput, 'file'> {
  const { file, ...input } = coerced(schema, parsed(text ?? ''));
  if (file != null) throw new InvalidInput('The file is the body of the request.', ['file']);
  return input;
}

function coerced(schema: GraphQLSchema, value: unknown): ImportRunInput {
  return coerceInputValue(value, inputType(schema), (path, _value, error) => {
    throw new InvalidInput(`input: ${error.message}`, path.map(String));
  }) as ImportRunInput;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new InvalidInput('input must be an ImportRunInput as JSON, such as {"datasetId": "…"}.', ['input']);
  }
}

function inputType(schema: GraphQLSchema) {
  const type = schema.getType('ImportRunInput');
  if (!isInputObjectType(type)) throw new Error('the schema has no ImportRunInput');
  return type;
}

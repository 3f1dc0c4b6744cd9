import { type ApolloServer, HeaderMap } from '@apollo/server';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { type DocumentNode, GraphQLError, getOperationAST, OperationTypeNode } from 'graphql';
import { statusOf } from '../datasets/upload.route.js';
import { ExpectedError, InvalidInput, RateLimited, Unauthenticated } from '../errors.js';
import type { RequestContext } from '../tenancy/requestContext.js';
import type { Admission, Operation } from './admission.js';
import type { ErrorMask } from './errorMask.js';

export interface GraphqlRoute {
  path: string;
  apollo: ApolloServer<RequestContext>;
  admission: Admission;
  mask: ErrorMask;
  contextOf(request: FastifyRequest): Promise<RequestContext>;
}

/**
 * GraphQL over HTTP. Without a valid credential nothing is read: not the body, and not whether a document would be
 * valid, which would tell the schema to a stranger.
 */
export function registerGraphql(app: FastifyInstance, route: GraphqlRoute): void {
  const contexts = new WeakMap<FastifyRequest, RequestContext>();
  app.route({
    method: ['GET', 'POST'],
    url: route.path,
    async onRequest(request, reply) {
      try {
        const context = await route.contextOf(request);
        if (context.actor === null) throw new Unauthenticated();
        contexts.set(request, context);
      } catch (error) {
        return refuse(route.mask, request, reply, error as Error);
      }
    },
    async handler(request, reply) {
      const context = contexts.get(request) as RequestContext;
      const operation = operationOf(request);
      try {
        if (operation !== null) refuseSubscription(await route.admission.admit(operation, context), operation);
      } catch (error) {
        // What the parser says, Apollo says too.
        if (!(error instanceof GraphQLError)) return refuse(route.mask, request, reply, error as Error);
      }
      return execute(route, request, reply, context);
    },
  });
}

/** Apollo would fail over the stream that the field gives. */
function refuseSubscription(document: DocumentNode, { operationName }: Operation): void {
  if (getOperationAST(document, operationName)?.operation !== OperationTypeNode.SUBSCRIPTION) return;
  throw new InvalidInput(
    'A subscription goes over a WebSocket (graphql-transport-ws) to this address. Over plain HTTP there are ' +
      'GET /runs/{id}/events and the query runEvents.',
  );
}

/** Answers with an error alone: nothing was executed. */
function refuse(mask: ErrorMask, request: FastifyRequest, reply: FastifyReply, error: Error): FastifyReply {
  if (error instanceof Unauthenticated) reply.header('www-authenticate', 'Bearer');
  if (error instanceof RateLimited) reply.header('retry-after', String(error.retryAfterSeconds));
  reply.code(error instanceof ExpectedError ? statusOf(error) : 500).type('application/json; charset=utf-8');
  return reply.send(JSON.stringify({ errors: [mask.show(error, request.id)] }));
}

/** What Apollo will find in the request; null where it will refuse the request itself. */
function operationOf(request: FastifyRequest): Operation | null {
  if (request.method === 'POST') return asOperation(request.body);
  const search = new URL(request.url, 'http://localhost').searchParams;
  const variables = search.get('variables');
  try {
    const parsed = variables === null ? null : JSON.parse(variables);
    return asOperation({ query: search.get('query'), operationName: search.get('operationName'), variables: parsed });
  } catch {
    return null;
  }
}

function asOperation(given: unknown): Operation | null {
  if (typeof given !== 'object' || given === null) return null;
  const { query, operationName, variables } = given as Record<string, unknown>;
  if (typeof query !== 'string') return null;
  return {
    query,
    operationName: typeof operationName === 'string' ? operationName : null,
    variables: typeof variables === 'object' ? (variables as Operation['variables']) : null,
  };
}

async function execute(
  { apollo }: GraphqlRoute,
  request: FastifyRequest,
  reply: FastifyReply,
  context: RequestContext,
): Promise<FastifyReply> {
  const headers = new HeaderMap();
  for (const [name, value] of Object.entries(request.headers)) {
    if (value !== undefined) headers.set(name, Array.isArray(value) ? value.join(', ') : value);
  }
  const { search } = new URL(request.url, 'http://localhost');
  const answer = await apollo.executeHTTPGraphQLRequest({
    httpGraphQLRequest: { method: request.method, headers, search, body: request.body },
    context: async () => context,
  });
  for (const [name, value] of answer.headers) reply.header(name, value);
  reply.code(answer.status ?? 200);
  // No incremental delivery: graphql 16 has none.
  const text = answer.body.kind === 'complete' ? answer.body.string : '';
  return reply.send((answer.status ?? 200) < 400 ? text : withRequestId(text, request.id));
}

/** Requests that never became an operation (a batch, a form) did not pass the mask. */
function withRequestId(text: string, requestId: string): string {
  const { errors, ...rest } = JSON.parse(text) as { errors?: { message: string; extensions?: object }[] };
  const named = errors?.map((error) => ({ ...error, extensions: { ...error.extensions, requestId } }));
  return JSON.stringify({ ...rest, ...(named === undefined ? {} : { errors: named }) });
}

/** Replaces the errors of a response by what the caller may see. */
export function masking(mask: ErrorMask) {
  return {
    async requestDidStart() {
      return {
        // biome-ignore lint/suspicious/noExplicitAny: the plugin's types differ between success and early failure
        async willSendResponse({ response, contextValue, errors }: any) {
          if (response.body.kind !== 'single' || errors === undefined) return;
          const { requestId } = contextValue as RequestContext;
          response.body.singleResult.errors = errors.map((error: unknown) => mask.show(error, requestId));
        },
      };
    },
  };
}

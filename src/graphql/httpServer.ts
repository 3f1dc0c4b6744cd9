// type-graphql insists that this polyfill is there before any decorated class.
import 'reflect-metadata';
import type { AddressInfo } from 'node:net';
import { ApolloServer, HeaderMap } from '@apollo/server';
import {
  ApolloServerPluginCacheControlDisabled,
  ApolloServerPluginLandingPageDisabled,
} from '@apollo/server/plugin/disabled';
import Fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import { v7 as uuidv7 } from 'uuid';
import { registerUpload, statusOf } from '../datasets/upload.route.js';
import { ExpectedError } from '../errors.js';
import { registerExport } from '../exports/export.route.js';
import { Authenticator } from '../tenancy/authenticator.js';
import { CredentialWatch } from '../tenancy/credentialWatch.js';
import { RequestContext, type Services } from '../tenancy/requestContext.js';
import { SignIn, type SignInConfig } from '../tenancy/signIn.js';
import { registerEvents } from '../verdicts/events.route.js';
import { VERSION } from '../version.js';
import { maskError } from './errorMask.js';
import { assaySchema } from './schema.js';
import { attachSocket } from './socket.js';

const PATH = '/graphql';
/** Of a GraphQL request; small datasets are imported by it. */
const MAX_BODY_BYTES = 16 * 1024 * 1024;

/** How long running requests may take to finish when the server closes. */
const CLOSE_MS = 5_000;

export interface HttpServerOptions {
  host: string;
  port: number;
  operatorToken: string | null;
  /** Null: keys only. */
  signIn?: SignInConfig | null;
  maxImportBytes: number;
}

export interface HttpServer {
  /** For example http://127.0.0.1:4000 */
  url: string;
  /** Every plain route, as `METHOD /path`. */
  routes: readonly string[];
  /** Takes no new connection, tells subscribers (1001), finishes running requests. */
  close(): Promise<void>;
}

/** Starts the API: `/graphql` over HTTP and WebSocket, `POST /datasets`, `GET /health`. */
export async function startHttpServer(services: Services, options: HttpServerOptions): Promise<HttpServer> {
  const app = Fastify({ bodyLimit: MAX_BODY_BYTES, genReqId: () => uuidv7(), forceCloseConnections: 'idle' });
  const routes: string[] = [];
  app.addHook('onRoute', ({ method, url }) => {
    routes.push(...[method].flat().map((name) => `${name} ${url}`));
  });
  const apollo = new ApolloServer<RequestContext>({
    schema: assaySchema(),
    csrfPrevention: true,
    allowBatchedHttpRequests: false,
    includeStacktraceInErrorResponses: false,
    stopOnTerminationSignals: false,
    // Cache-control hooks every field: 240 requests/s with it, 440 without.
    plugins: [ApolloServerPluginCacheControlDisabled(), ApolloServerPluginLandingPageDisabled(), masking(services)],
    // The plugin masks, with the request's id; this only keeps Apollo from adding anything of its own.
    formatError: (formatted) => formatted,
  });
  await apollo.start();
  const signIn = options.signIn == null ? null : new SignIn(options.signIn, services.db, services.log);
  const authenticator = new Authenticator(services.db, options.operatorToken, signIn);
  const contextOf = async (request: FastifyRequest) =>
    new RequestContext(services, await authenticator.actorOf(request.headers.authorization), request.id);
  app.setErrorHandler((error, request, reply) =>
    sendError(error as Error & { statusCode?: number }, request, reply, services),
  );
  app.setNotFoundHandler((request, reply) => {
    const message = `There is no ${request.method} ${request.url.split('?')[0]} here; the API is at ${PATH}.`;
    return reply.code(404).send({ error: { code: 'NOT_FOUND', message, requestId: request.id } });
  });
  registerGraphql(app, apollo, contextOf);
  registerUpload(app, contextOf, options.maxImportBytes);
  const watch = new CredentialWatch(authenticator, services.wakeUps, services.log);
  registerEvents(app, contextOf, watch);
  registerExport(app, {
    byKey: contextOf,
    secrets: services.secrets,
    byLink: (request, teamId) =>
      new RequestContext(
        services,
        { role: 'VIEWER', teamId, keyId: null, keyName: 'link', expiresAt: null },
        request.id,
      ),
  });
  app.get('/health', async () => {
    await services.db.$queryRaw`SELECT 1`;
    return { status: 'ok', version: VERSION };
  });
  const socket = attachSocket(app.server, PATH, services, authenticator, watch);
  await app.listen({ host: options.host, port: options.port });
  const { port } = app.server.address() as AddressInfo;
  const host = options.host.includes(':') ? `[${options.host}]` : options.host;
  return {
    url: `http://${host}:${port}`,
    routes,
    async close() {
      watch.close();
      await socket.close();
      // A client that neither reads nor ends must not hold the process.
      const impatient = setTimeout(() => app.server.closeAllConnections(), CLOSE_MS);
      await app.close();
      clearTimeout(impatient);
      await apollo.stop();
    },
  };
}

function registerGraphql(
  app: FastifyInstance,
  apollo: ApolloServer<RequestContext>,
  contextOf: (request: FastifyRequest) => Promise<RequestContext>,
): void {
  app.route({
    method: ['GET', 'POST'],
    url: PATH,
    async handler(request, reply) {
      const headers = new HeaderMap();
      for (const [name, value] of Object.entries(request.headers)) {
        if (value !== undefined) headers.set(name, Array.isArray(value) ? value.join(', ') : value);
      }
      const answer = await apollo.executeHTTPGraphQLRequest({
        httpGraphQLRequest: {
          method: request.method,
          headers,
          search: new URL(request.url, 'http://localhost').search,
          body: request.body,
        },
        context: () => contextOf(request),
      });
      for (const [name, value] of answer.headers) reply.header(name, value);
      reply.code(answer.status ?? 200);
      // No incremental delivery: graphql 16 has none.
      return reply.send(answer.body.kind === 'complete' ? answer.body.string : '');
    },
  });
}

/** Replaces the errors of a response by what the caller may see. */
function masking(services: Services) {
  return {
    async requestDidStart() {
      return {
        // biome-ignore lint/suspicious/noExplicitAny: the plugin's types differ between success and early failure
        async willSendResponse({ response, contextValue, errors }: any) {
          if (response.body.kind !== 'single' || errors === undefined) return;
          const { requestId } = contextValue as RequestContext;
          response.body.singleResult.errors = errors.map((error: unknown) => maskError(error, requestId, services.log));
        },
      };
    },
  };
}

function sendError(
  error: Error & { statusCode?: number },
  request: FastifyRequest,
  reply: FastifyReply,
  services: Services,
): FastifyReply {
  if (error instanceof ExpectedError) {
    const { code, message } = error;
    return reply.code(statusOf(error)).send({ error: { code, message, requestId: request.id } });
  }
  const status = error.statusCode ?? 500;
  if (status < 500) {
    const message = status === 413 ? `The body is larger than ${MAX_BODY_BYTES} bytes.` : error.message;
    return reply.code(status).send({ error: { code: 'BAD_REQUEST', message, requestId: request.id } });
  }
  services.log.error({ err: error, requestId: request.id }, 'unexpected error');
  const message = `Something went wrong here. The log has it under request id ${request.id}.`;
  return reply.code(500).send({ error: { code: 'INTERNAL_SERVER_ERROR', message, requestId: request.id } });
}

// type-graphql insists that this polyfill is there before any decorated class.
import 'reflect-metadata';
import type { AddressInfo } from 'node:net';
import { ApolloServer } from '@apollo/server';
import {
  ApolloServerPluginCacheControlDisabled,
  ApolloServerPluginLandingPageDisabled,
} from '@apollo/server/plugin/disabled';
import Fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import type { GraphQLSchema } from 'graphql';
import { v7 as uuidv7, validate } from 'uuid';
import { registerAuditExport } from '../audit/export.route.js';
import { registerUpload, statusOf } from '../datasets/upload.route.js';
import { ExpectedError, RateLimited, Unauthenticated } from '../errors.js';
import { registerExport } from '../exports/export.route.js';
import { registerRunImport } from '../imports/importRun.route.js';
import { registerTeamExport } from '../lifecycle/teamExport.route.js';
import { Authenticator } from '../tenancy/authenticator.js';
import { CredentialWatch } from '../tenancy/credentialWatch.js';
import { RateLimit, type RateLimits } from '../tenancy/rateLimit.js';
import { RequestContext, type Services } from '../tenancy/requestContext.js';
import { SignIn, type SignInConfig } from '../tenancy/signIn.js';
import { registerEvents } from '../verdicts/events.route.js';
import { VERSION } from '../version.js';
import { Admission } from './admission.js';
import { ErrorMask } from './errorMask.js';
import { masking, registerGraphql } from './graphqlRoute.js';
import { type QueryLimits, standardLimits } from './queryLimits.js';
import { assaySchema } from './schema.js';
import { attachSocket } from './socket.js';
import { type SocketLimits, SocketPlaces, standardSocketLimits } from './socketPlaces.js';
import { UploadSlots } from './uploadSlots.js';
import { registerWebSecurity } from './webSecurity.js';

const PATH = '/graphql';
/** Of a GraphQL request; small datasets are imported by it. */
const MAX_BODY_BYTES = 16 * 1024 * 1024;

/** How long running requests may take to finish when the server closes. */
const CLOSE_MS = 5_000;

/** An export reads a whole run: it counts as this many reads. */
const READS_PER_EXPORT = 10;
/** For a request to arrive completely, the largest upload over a slow line included. */
const REQUEST_TIMEOUT_MS = 30 * 60_000;

export interface HttpServerOptions {
  host: string;
  port: number;
  operatorToken: string | null;
  /** Null: keys only. */
  signIn?: SignInConfig | null;
  maxImportBytes: number;
  /** Origins whose pages may call from a browser; none by default. */
  corsOrigins?: readonly string[];
  /** Whether those with a credential may read the schema; true by default. */
  introspection?: boolean;
  /** Whether errors say which name of the schema was perhaps meant; true by default. */
  hints?: boolean;
  queryLimits?: Partial<QueryLimits>;
  socketLimits?: Partial<SocketLimits>;
  /** None by default. */
  rateLimits?: RateLimits;
}

export interface HttpServer {
  /** For example http://127.0.0.1:4000 */
  url: string;
  /** Every plain route, as `METHOD /path`. */
  routes: readonly string[];
  /** Takes no new connection, tells subscribers (1001), finishes running requests. */
  close(): Promise<void>;
}

/** Starts the API: `/graphql` over HTTP and WebSocket, `POST /datasets`, exports, `GET /health`. */
export async function startHttpServer(services: Services, options: HttpServerOptions): Promise<HttpServer> {
  const schema = assaySchema();
  const { introspection = true, hints = true } = options;
  const mask = new ErrorMask(services.log, hints);
  const rateLimit = new RateLimit(options.rateLimits ?? { reads: 0, starts: 0 }, services.log);
  const admission = new Admission(schema, { ...standardLimits, ...options.queryLimits }, rateLimit, introspection);
  const signIn = options.signIn == null ? null : new SignIn(options.signIn, services.db, services.log);
  const authenticator = new Authenticator(services.db, options.operatorToken, signIn);
  const contextOf = async (request: FastifyRequest) =>
    new RequestContext(services, await authenticator.actorOf(request.headers.authorization), request.id, request.ip);

  const { app, routes } = createApp(options.corsOrigins ?? []);
  const apollo = await startApollo(schema, mask, introspection);
  registerErrors(app, mask);
  registerGraphql(app, { path: PATH, apollo, admission, mask, contextOf });
  const watch = new CredentialWatch(authenticator, services.wakeUps, services.log);
  const places = new SocketPlaces({ ...standardSocketLimits, ...options.socketLimits });
  const { maxImportBytes } = options;
  registerPlainRoutes(app, { services, rateLimit, contextOf, watch, places, maxImportBytes });
  const socket = attachSocket(app.server, { path: PATH, services, authenticator, watch, admission, mask, places });
  await app.listen({ host: options.host, port: options.port });
  const { port } = app.server.address() as AddressInfo;
  const host = options.host.includes(':') ? `[${options.host}]` : options.host;
  return {
    url: `http://${host}:${port}`,
    routes,
    async close() {
      await socket.close();
      // A client that neither reads nor ends must not hold the process.
      const impatient = setTimeout(() => app.server.closeAllConnections(), CLOSE_MS);
      await app.close();
      clearTimeout(impatient);
      await apollo.stop();
      watch.close();
    },
  };
}

function createApp(corsOrigins: readonly string[]): { app: FastifyInstance; routes: readonly string[] } {
  const app = Fastify({
    bodyLimit: MAX_BODY_BYTES,
    genReqId: () => uuidv7(),
    forceCloseConnections: 'idle',
    requestTimeout: REQUEST_TIMEOUT_MS,
  });
  const routes: string[] = [];
  app.addHook('onRoute', ({ method, url }) => {
    routes.push(...[method].flat().map((name) => `${name} ${url}`));
  });
  registerWebSecurity(app, corsOrigins);
  return { app, routes };
}

async function startApollo(
  schema: GraphQLSchema,
  mask: ErrorMask,
  introspection: boolean,
): Promise<ApolloServer<RequestContext>> {
  const apollo = new ApolloServer<RequestContext>({
    schema,
    introspection,
    csrfPrevention: true,
    allowBatchedHttpRequests: false,
    // A persisted query comes without its text, and so would pass the limits with other variables.
    persistedQueries: false,
    includeStacktraceInErrorResponses: false,
    stopOnTerminationSignals: false,
    // Cache-control hooks every field: 240 requests/s with it, 440 without.
    plugins: [ApolloServerPluginCacheControlDisabled(), ApolloServerPluginLandingPageDisabled(), masking(mask)],
    // The plugin masks, with the request's id; this only keeps Apollo from adding anything of its own.
    formatError: (formatted) => formatted,
  });
  await apollo.start();
  return apollo;
}

interface PlainRoutes {
  services: Services;
  rateLimit: RateLimit;
  contextOf(request: FastifyRequest): Promise<RequestContext>;
  watch: CredentialWatch;
  places: SocketPlaces;
  maxImportBytes: number;
}

function registerPlainRoutes(app: FastifyInstance, plain: PlainRoutes): void {
  const { services, rateLimit, contextOf, maxImportBytes } = plain;
  const uploads = new UploadSlots();
  const admit = async (context: RequestContext, reply: FastifyReply) => {
    if (context.actor === null) return;
    await rateLimit.takeStarts(context, 1);
    uploads.take(context, reply);
  };
  registerUpload(app, contextOf, admit, maxImportBytes);
  registerRunImport(app, { schema: assaySchema(), contextOf, admit, maxBytes: maxImportBytes });
  const reading = (reads: number) => async (request: FastifyRequest) => {
    const context = await contextOf(request);
    await rateLimit.takeReads(context, reads);
    return context;
  };
  const exporting = reading(READS_PER_EXPORT);
  const streaming = async (request: FastifyRequest, reply: FastifyReply) => {
    const context = await reading(1)(request);
    if (context.actor !== null) plain.places.stream(context.actor, reply.raw);
    return context;
  };
  registerAuditExport(app, exporting);
  registerTeamExport(app, exporting);
  registerEvents(app, streaming, plain.watch);
  registerExport(app, {
    byKey: exporting,
    secrets: services.secrets,
    byLink(request, teamId) {
      if (!validate(teamId)) throw new Unauthenticated();
      const actor = { role: 'VIEWER', teamId, keyId: null, keyName: 'link', expiresAt: null, viaLink: true } as const;
      return new RequestContext(services, actor, request.id, request.ip);
    },
  });
  app.get('/health', async () => {
    await services.db.$queryRaw`SELECT 1`;
    return { status: 'ok', version: VERSION };
  });
}

/** Errors of everything but GraphQL, through the same mask. */
function registerErrors(app: FastifyInstance, mask: ErrorMask): void {
  app.setNotFoundHandler((request, reply) => {
    const message = `There is no ${request.method} ${request.url.split('?')[0]} here; the API is at ${PATH}.`;
    return reply.code(404).send({ error: { code: 'NOT_FOUND', message, requestId: request.id } });
  });
  app.setErrorHandler((given, request, reply) => {
    const error = given as Error & { statusCode?: number };
    const status = error instanceof ExpectedError ? statusOf(error) : (error.statusCode ?? 500);
    if (error instanceof RateLimited) reply.header('retry-after', String(error.retryAfterSeconds));
    if (!(error instanceof ExpectedError) && status < 500) {
      const message = status === 413 ? `The body is larger than ${MAX_BODY_BYTES} bytes.` : error.message;
      return reply.code(status).send({ error: { code: 'BAD_REQUEST', message, requestId: request.id } });
    }
    const { message, extensions } = mask.show(error, request.id);
    // Where in the input, as a user error of a mutation says it; these two are the body itself.
    const path = (error as { inputPath?: readonly string[] }).inputPath ?? [];
    const place = path.length === 0 || path[0] === 'jsonl' || path[0] === 'file' ? {} : { path };
    return reply.code(status).send({ error: { code: extensions?.code, message, ...place, requestId: request.id } });
  });
}

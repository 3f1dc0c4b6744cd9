import type { Server } from 'node:http';
import { execute, GraphQLError, subscribe } from 'graphql';
import { useServer } from 'graphql-ws/use/ws';
import { v7 as uuidv7 } from 'uuid';
import { WebSocketServer } from 'ws';
import { Unauthenticated } from '../errors.js';
import type { Authenticator } from '../tenancy/authenticator.js';
import type { CredentialWatch } from '../tenancy/credentialWatch.js';
import { type Actor, RequestContext, type Services } from '../tenancy/requestContext.js';
import { maskError } from './errorMask.js';
import { assaySchema } from './schema.js';

const MAX_MESSAGE_BYTES = 1024 * 1024;
const INIT_TIMEOUT_MS = 10_000;

/** What a socket came with. */
type Extra = { actor?: Actor; authorization?: string };

/**
 * GraphQL over WebSocket (protocol graphql-transport-ws) at `path`. The credential comes in
 * `connection_init` as `{ authorization: "Bearer assay_…" }`; without a valid one the socket is closed
 * with 4403. When it is revoked or expires later, the socket is closed with 4401; when its role changes, with 4410.
 * Queries and mutations work here too, under the same rules as over HTTP.
 */
export function attachSocket(
  server: Server,
  path: string,
  services: Services,
  authenticator: Authenticator,
  watch: CredentialWatch,
): { close(): Promise<void> } {
  // Compression would cost a subscriber more CPU than its events.
  const sockets = new WebSocketServer({ server, path, maxPayload: MAX_MESSAGE_BYTES, perMessageDeflate: false });
  const contexts = new WeakMap<object, RequestContext>();
  const handle = useServer<{ authorization?: unknown; Authorization?: unknown }, Extra>(
    {
      schema: assaySchema(),
      execute,
      subscribe,
      connectionInitWaitTimeout: INIT_TIMEOUT_MS,
      async onConnect({ connectionParams, extra }) {
        const given = connectionParams?.authorization ?? connectionParams?.Authorization;
        const header = typeof given === 'string' ? given : undefined;
        const actor = await authenticator.actorOf(header);
        if (actor === null || header === undefined) return false;
        extra.actor = actor;
        extra.authorization = header;
        watch.join(header, actor, extra.socket);
        return true;
      },
      async onSubscribe({ extra }, _id, payload) {
        if (await watch.check(extra.authorization ?? '')) return;
        const ended = new GraphQLError('ended', { originalError: new Unauthenticated() });
        return [masked(ended, payload) as GraphQLError];
      },
      onClose: ({ extra }) => watch.leave(extra.authorization ?? '', extra.socket),
      context({ extra }, _id, payload) {
        const context = new RequestContext(services, extra.actor ?? null, uuidv7());
        contexts.set(payload, context);
        return context as unknown as Record<string, unknown>;
      },
      onNext(_context, _id, payload, _args, result) {
        if (result.errors === undefined) return;
        return { ...result, errors: result.errors.map((error) => masked(error, payload)) };
      },
      onError: (_context, _id, payload, errors) => errors.map((error) => masked(error, payload)),
    },
    sockets,
  );
  const masked = (error: unknown, payload: object) =>
    maskError(
      error instanceof GraphQLError ? error : new GraphQLError('failed', { originalError: error as Error }),
      contexts.get(payload)?.requestId ?? uuidv7(),
      services.log,
    );
  return { close: async () => handle.dispose() };
}

import { type Client, createClient } from 'graphql-ws';
import { WebSocket } from 'ws';
import { ApiError, ClientError, ConnectionLost, type GraphqlFailure, graphqlError } from './errors.js';
import type { TypedDocumentString } from './generated/operations.js';
import type { Connection } from './request.js';

/** Silence after which the connection counts as dead (a laptop that slept, a router that forgot), in ms. */
const PONG_TIMEOUT_MS = 10_000;

/**
 * One subscription over graphql-transport-ws, until the service completes it or the signal aborts. A broken
 * socket is not mended here, since only the caller knows the last cursor; but `variables` are read again where
 * graphql-ws itself reconnects (after a normal closure by the service), so the caller keeps them up to date.
 * Throws ConnectionLost when the socket breaks, an ApiError when the service refuses.
 */
export async function* subscribe<R, V extends Record<string, unknown>>(
  connection: Connection,
  document: TypedDocumentString<R, V>,
  variables: V,
  signal: AbortSignal,
): AsyncGenerator<R> {
  const client = openClient(connection);
  const events = client.iterate<R>({ query: document.toString(), variables });
  const stop = () => void events.return?.();
  signal.addEventListener('abort', stop, { once: true });
  try {
    for await (const event of events) {
      if (event.errors?.length) throw graphqlError(event.errors as readonly GraphqlFailure[]);
      if (event.data) yield event.data;
    }
  } catch (error) {
    throw socketError(error, connection.url);
  } finally {
    signal.removeEventListener('abort', stop);
    await client.dispose();
  }
}

function openClient(connection: Connection): Client {
  let silence: NodeJS.Timeout | undefined;
  const client: Client = createClient({
    url: `${connection.url.replace(/^http/, 'ws')}/graphql`,
    webSocketImpl: WebSocket,
    connectionParams: { authorization: `Bearer ${connection.apiKey}` },
    connectionAckWaitTimeout: PONG_TIMEOUT_MS,
    keepAlive: PONG_TIMEOUT_MS,
    retryAttempts: 0,
    on: {
      ping: (received) => {
        if (!received) silence = setTimeout(() => client.terminate(), PONG_TIMEOUT_MS).unref();
      },
      pong: (received) => {
        if (received) clearTimeout(silence);
      },
      closed: () => clearTimeout(silence),
    },
  });
  return client;
}

/** Close codes of graphql-transport-ws with which trying again is pointless. */
const REFUSED = new Set([4400, 4401, 4403, 4406, 4429]);

function socketError(error: unknown, url: string): Error {
  if (error instanceof ClientError) return error;
  // An error message of the protocol arrives as the list of GraphQL errors.
  if (Array.isArray(error)) return graphqlError(error as GraphqlFailure[]);
  const { code, reason, message } = error as { code?: number | string; reason?: string; message?: string };
  if (code === 4401 || code === 4403)
    return new ApiError(reason || 'The credential is not accepted.', 'UNAUTHENTICATED');
  if (typeof code === 'number' && REFUSED.has(code)) return new ApiError(reason ?? '', String(code));
  const cause = message || reason || (code ? `code ${code}` : 'connection closed');
  return new ConnectionLost(url, String(cause));
}

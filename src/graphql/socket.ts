import type { IncomingMessage, Server } from 'node:http';
import { type ExecutionArgs, type ExecutionResult, execute, GraphQLError } from 'graphql';
import { CloseCode, type Context, handleProtocols, makeServer } from 'graphql-ws';
import { v7 as uuidv7 } from 'uuid';
import { type WebSocket, WebSocketServer } from 'ws';
import { Unauthenticated, Unavailable } from '../errors.js';
import type { Authenticator } from '../tenancy/authenticator.js';
import type { CredentialWatch } from '../tenancy/credentialWatch.js';
import { type Actor, RequestContext, type Services } from '../tenancy/requestContext.js';
import type { Admission, Operation } from './admission.js';
import type { ErrorMask } from './errorMask.js';
import { sharedSubscribe } from './sharedSubscribe.js';
import { SlowReader } from './slowReader.js';
import type { SocketPlaces, SocketSeat } from './socketPlaces.js';

const MAX_MESSAGE_BYTES = 1024 * 1024;
const INIT_TIMEOUT_MS = 10_000;
/** The key has too many sockets open here. */
export const TOO_MANY_SOCKETS = 4411;
/** Too many sockets here have not shown a credential yet, or it cannot be checked now; “try again later”. */
const BUSY = 1013;
const GOING_AWAY = 1001;

export interface SocketOptions {
  path: string;
  services: Services;
  authenticator: Authenticator;
  watch: CredentialWatch;
  admission: Admission;
  mask: ErrorMask;
  places: SocketPlaces;
}

/** What belongs to one socket. */
interface Extra {
  socket: WebSocket;
  seat: SocketSeat;
  reader: SlowReader;
  /** Where it comes from. */
  address: string | null;
  /** From `connection_init`. */
  authorization?: string;
}
type Params = { authorization?: unknown; Authorization?: unknown };
type SocketContext = Context<Params, Extra>;

const addressOf = (request: IncomingMessage): string | null => request.socket.remoteAddress ?? null;

/**
 * GraphQL over WebSocket (protocol graphql-transport-ws). The credential comes in `connection_init` as
 * `{ authorization: "Bearer assay_…" }`; without a valid one the socket is closed with 4403. When it is revoked or
 * expires later, the socket is closed with 4401; when its role changes, with 4410; when its key has too many open,
 * with 4411; when nothing of what is sent is taken, with 4413.
 * Queries and mutations work here too, under the same rules as over HTTP.
 */
export function attachSocket(server: Server, options: SocketOptions): { close(): Promise<void> } {
  const { path, services, places } = options;
  // Compression would cost a subscriber more CPU than its events.
  const limits = { maxPayload: MAX_MESSAGE_BYTES, perMessageDeflate: false };
  const sockets = new WebSocketServer({ server, path, handleProtocols, ...limits });
  const protocol = makeServer<Params, Extra>(new SocketHandlers(options).handlers());
  sockets.on('connection', (socket, request) => {
    // Whatever a peer does wrong on the wire; ws has closed the socket.
    socket.on('error', (error) => services.log.debug({ err: error }, 'a socket failed'));
    const seat = places.arrive();
    if (seat === null) {
      socket.close(BUSY, 'Try again later');
      return;
    }
    const reader = new SlowReader(socket, request.socket);
    const closed = protocol.opened(
      {
        protocol: socket.protocol,
        send: (text) => reader.send(text),
        close: (code, reason) => socket.close(code, reason),
        onMessage: (handle) => socket.on('message', (data) => void handle(String(data)).catch(failed)),
      },
      { socket, seat, reader, address: addressOf(request) },
    );
    const failed = (error: unknown) => {
      services.log.error({ err: error }, 'a message over a socket failed');
      socket.close(CloseCode.InternalServerError, 'Internal server error');
    };
    socket.once('close', (code, reason) => {
      seat.close();
      closed(code, String(reason)).catch(failed);
    });
  });
  return {
    async close() {
      for (const socket of sockets.clients) socket.close(GOING_AWAY, 'Going away');
      await new Promise((resolve) => sockets.close(resolve));
    },
  };
}

/** What happens at each step of the protocol. */
class SocketHandlers {
  readonly #contexts = new WeakMap<object, RequestContext>();

  constructor(private readonly options: SocketOptions) {}

  handlers(): Parameters<typeof makeServer<Params, Extra>>[0] {
    return {
      execute,
      subscribe: sharedSubscribe,
      connectionInitWaitTimeout: INIT_TIMEOUT_MS,
      onConnect: (context) => this.#connect(context),
      onSubscribe: ({ extra }, _id, payload) => this.#prepare(extra, payload as Operation),
      onNext: (_context, _id, payload, _args, result) => this.#shown(payload, result),
      onError: (_context, _id, payload, errors) => errors.map((error) => this.#masked(error, payload)),
      onComplete: ({ extra }, _id, payload) => extra.seat.leave(payload),
      onClose: ({ extra }) => this.options.watch.leave(extra.authorization ?? '', extra.socket),
    };
  }

  async #connect({ connectionParams, extra }: SocketContext): Promise<boolean> {
    const given = connectionParams?.authorization ?? connectionParams?.Authorization;
    const header = typeof given === 'string' ? given : undefined;
    const actor = await this.#actorOf(header, extra.socket);
    if (actor === null || header === undefined) return false;
    if (!extra.seat.sit(actor)) {
      extra.socket.close(TOO_MANY_SOCKETS, 'Too many sockets of this key');
      return false;
    }
    extra.authorization = header;
    this.options.watch.join(header, actor, extra.socket);
    return true;
  }

  async #actorOf(header: string | undefined, socket: WebSocket): Promise<Actor | null> {
    try {
      return await this.options.authenticator.actorOf(header);
    } catch (error) {
      if (!(error instanceof Unavailable)) throw error;
      socket.close(BUSY, 'Try again later');
      return null;
    }
  }

  /** What to execute, or why not. */
  async #prepare(
    { seat, address, authorization }: Extra,
    payload: Operation,
  ): Promise<ExecutionArgs | readonly GraphQLError[]> {
    let refused: readonly GraphQLError[];
    try {
      // Before anything that takes time: this is what a flood meets.
      seat.enter(payload);
      const context = new RequestContext(this.options.services, seat.actor, uuidv7(), address);
      this.#contexts.set(payload, context);
      if (!(await this.options.watch.check(authorization ?? ''))) throw new Unauthenticated();
      const prepared = await this.options.admission.prepare(payload, context);
      if ('document' in prepared) return prepared;
      refused = prepared;
    } catch (error) {
      refused = [asGraphQLError(error)];
    }
    seat.leave(payload);
    return refused;
  }

  #shown(payload: object, result: ExecutionResult): ExecutionResult {
    if (result.errors === undefined) return result;
    return { ...result, errors: result.errors.map((error) => this.#masked(error, payload)) };
  }

  #masked(error: unknown, payload: object): GraphQLError {
    const requestId = this.#contexts.get(payload)?.requestId ?? uuidv7();
    return this.options.mask.show(asGraphQLError(error), requestId) as GraphQLError;
  }
}

const asGraphQLError = (error: unknown): GraphQLError =>
  error instanceof GraphQLError ? error : new GraphQLError('failed', { originalError: error as Error });

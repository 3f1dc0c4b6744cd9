import WebSocket from 'ws';
import type { Assay, Data } from './assay.js';

interface Message {
  type: string;
  id?: string;
  // biome-ignore lint/suspicious/noExplicitAny: what it holds depends on the type
  payload?: any;
}

/** A socket without a client library: for what a well-behaved client would never do. */
export class RawSocket {
  readonly messages: Message[] = [];
  readonly closed: Promise<number>;
  #changed = () => {};

  private constructor(readonly socket: WebSocket) {
    this.closed = new Promise((resolve) => socket.on('close', resolve));
    socket.on('error', () => {});
    socket.on('close', () => this.#changed());
    socket.on('message', (data) => {
      this.messages.push(JSON.parse(String(data)));
      this.#changed();
    });
  }

  static async open(assay: Pick<Assay, 'server'>, headers: Record<string, string> = {}): Promise<RawSocket> {
    const url = `${assay.server.url.replace('http', 'ws')}/graphql`;
    const raw = new RawSocket(new WebSocket(url, 'graphql-transport-ws', { headers }));
    await new Promise((resolve, reject) => raw.socket.once('open', resolve).once('error', reject));
    return raw;
  }

  /** Open and acknowledged. */
  static async authenticated(assay: Pick<Assay, 'server'>, key: string): Promise<RawSocket> {
    const raw = await RawSocket.open(assay);
    raw.init(key);
    await raw.until(() => raw.messages.some(({ type }) => type === 'connection_ack'));
    return raw;
  }

  init(key: string): void {
    this.send({ type: 'connection_init', payload: { authorization: `Bearer ${key}` } });
  }

  send(message: Message): void {
    this.socket.send(JSON.stringify(message));
  }

  subscribe(id: string, query: string, variables: Data = {}): void {
    this.send({ type: 'subscribe', id, payload: { query, variables } });
  }

  /** Resolves when `fact` holds, looked at after each message; throws when the socket is closed before. */
  async until(fact: () => boolean): Promise<void> {
    while (!fact()) {
      if (this.socket.readyState === WebSocket.CLOSED) throw new Error('the socket is closed');
      await new Promise<void>((resolve) => {
        this.#changed = resolve;
      });
    }
  }

  /** The errors of one operation, its own and those of what was executed; none when it went well. */
  async errorsOf(query: string, variables: Data = {}): Promise<Data[]> {
    const id = crypto.randomUUID();
    this.subscribe(id, query, variables);
    const answer = () => this.messages.find((message) => message.id === id && message.type !== 'complete');
    await this.until(() => answer() !== undefined);
    const { type, payload } = answer() as Message;
    return type === 'error' ? payload : (payload.errors ?? []);
  }

  close(): void {
    this.socket.terminate();
  }
}

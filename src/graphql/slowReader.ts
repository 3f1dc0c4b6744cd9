import type { Socket } from 'node:net';
import type { WebSocket } from 'ws';

/** The reader takes nothing: subscribe again with `after` when it can. */
export const TOO_SLOW = 4413;

/** With this much waiting to be sent, a socket gets nothing more and is not listened to. */
const HIGH_BYTES = 1024 * 1024;
const PING_MS = 12_000;
/** Without a sign of life for this long a socket is over. */
const SILENCE_MS = 36_000;
const LOOK_MS = 50;

/**
 * Keeps what a socket makes the process remember small. A reader that is slow is neither answered nor listened to
 * until it has taken what was sent; what it misses meanwhile waits in the log of verdicts and not in memory. One that
 * takes nothing at all for a while is closed.
 */
export class SlowReader {
  readonly #timer: NodeJS.Timeout;
  #taken = 0;
  #alive = performance.now();
  #drained: Promise<void> | null = null;

  /** @param connection under the socket */
  constructor(
    private readonly socket: WebSocket,
    private readonly connection: Socket,
  ) {
    const heard = () => {
      this.#alive = performance.now();
      if (socket.bufferedAmount > HIGH_BYTES) void this.#pause();
    };
    socket.on('message', heard).on('ping', heard).on('pong', heard);
    this.#timer = setInterval(() => this.#look(), PING_MS);
    this.#timer.unref();
    socket.once('close', () => clearInterval(this.#timer));
  }

  /** Sends when what was sent before has been taken; resolves when this has, too, or the socket is over. */
  async send(text: string): Promise<void> {
    await this.#room();
    const { socket } = this;
    if (socket.readyState !== socket.OPEN) return;
    // That it failed, the closing of the socket says as well.
    await new Promise<void>((resolve) => socket.send(text, () => resolve()));
  }

  #room(): Promise<void> {
    if (this.socket.bufferedAmount <= HIGH_BYTES) return Promise.resolve();
    this.#drained ??= this.#untilDrained();
    return this.#drained;
  }

  async #untilDrained(): Promise<void> {
    const { socket } = this;
    while (socket.readyState === socket.OPEN && socket.bufferedAmount > HIGH_BYTES / 2) {
      await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
    }
    this.#drained = null;
  }

  /** A socket that asks without reading the answers is not asked what it wants next. */
  async #pause(): Promise<void> {
    if (this.socket.isPaused) return;
    this.socket.pause();
    await this.#room();
    this.socket.resume();
  }

  #look(): void {
    const { socket, connection } = this;
    // A pong queues behind all that was sent before, so taking some of that is a sign of life as well.
    const taken = connection.bytesWritten - connection.writableLength;
    if (taken > this.#taken) this.#alive = performance.now();
    if (performance.now() - this.#alive > SILENCE_MS) this.#end();
    else if (socket.readyState === socket.OPEN && connection.writableLength === 0) socket.ping();
    // The ping just sent is no sign of life when the system has taken it.
    this.#taken = connection.bytesWritten - connection.writableLength;
  }

  #end(): void {
    // ws breaks the connection itself when the closing is not answered.
    if (this.connection.writableLength > 0) this.socket.close(TOO_SLOW, 'Too slow: subscribe again with after');
    else this.socket.terminate();
  }
}

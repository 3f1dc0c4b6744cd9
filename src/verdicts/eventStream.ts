import { once } from 'node:events';
import type { ServerResponse } from 'node:http';

/** Proxies cut connections that say nothing for a minute. */
const PULSE_MS = 12_000;
/** A reader that has taken nothing for so many pulses is over. */
const SILENT_PULSES = 3;

/**
 * Server-sent events to one reader. A slow one is waited for, and one that takes nothing any more is left; an idle one
 * gets a comment now and then, which readers ignore.
 */
export class EventStream {
  #taken = 0;
  #silent = 0;

  constructor(
    private readonly response: ServerResponse,
    pulseMs = PULSE_MS,
  ) {
    const timer = setInterval(() => this.#pulse(), pulseMs);
    response.once('close', () => clearInterval(timer));
  }

  get isOpen(): boolean {
    return !this.response.writableEnded && !this.response.destroyed;
  }

  /** Resolves when the reader has room for more, or is gone. */
  async send(event: string, data: string, id?: number): Promise<void> {
    if (!this.isOpen) return;
    const name = id === undefined ? '' : `id: ${id}\n`;
    if (this.response.write(`${name}event: ${event}\ndata: ${data}\n\n`)) return;
    await Promise.race([once(this.response, 'drain'), once(this.response, 'close')]);
  }

  /** The last event. */
  end(event: string, data: string): void {
    if (this.isOpen) this.response.end(`event: ${event}\ndata: ${data}\n\n`);
  }

  #pulse(): void {
    const { response } = this;
    const taken = (response.socket?.bytesWritten ?? 0) - response.writableLength;
    this.#silent = response.writableNeedDrain && taken === this.#taken ? this.#silent + 1 : 0;
    this.#taken = taken;
    if (this.#silent >= SILENT_PULSES) response.destroy();
    else if (this.isOpen && !response.writableNeedDrain) response.write(':\n\n');
  }
}

import { EventEmitter } from 'node:events';
import type { Socket } from 'node:net';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import type { WebSocket } from 'ws';
import { SlowReader, TOO_SLOW } from './slowReader.js';

/** As much of a socket as is looked at. What is sent stays until `take`. */
class FakeSocket extends EventEmitter {
  readonly OPEN = 1;
  readyState = 1;
  bufferedAmount = 0;
  bytesWritten = 0;
  isPaused = false;
  sent: string[] = [];
  ended: string[] = [];

  get writableLength(): number {
    return this.bufferedAmount;
  }
  send(text: string, done: () => void): void {
    this.sent.push(text);
    this.bufferedAmount += text.length;
    this.bytesWritten += text.length;
    this.once('taken', done);
  }
  take(bytes: number): void {
    this.bufferedAmount = Math.max(0, this.bufferedAmount - bytes);
    this.emit('taken');
  }
  ping(): void {}
  pause(): void {
    this.isPaused = true;
  }
  resume(): void {
    this.isPaused = false;
  }
  close(code: number): void {
    this.ended.push(String(code));
  }
  terminate(): void {
    this.ended.push('terminated');
  }
}

describe('a reader', () => {
  let socket: FakeSocket;
  let reader: SlowReader;
  const megabyte = 'x'.repeat(1024 * 1024 + 1);

  beforeEach(() => {
    jest.useFakeTimers();
    socket = new FakeSocket();
    reader = new SlowReader(socket as unknown as WebSocket, socket as unknown as Socket);
  });
  afterEach(() => {
    socket.emit('close');
    jest.useRealTimers();
  });

  it('that is slow gets nothing more until it has taken half a megabyte', async () => {
    void reader.send(megabyte);
    await jest.advanceTimersByTimeAsync(100);
    void reader.send('second');
    await jest.advanceTimersByTimeAsync(5_000);
    expect(socket.sent).toHaveLength(1);
    socket.take(600 * 1024);
    await jest.advanceTimersByTimeAsync(100);
    expect(socket.sent).toHaveLength(2);
  });

  it('that asks without reading the answers is not listened to meanwhile', async () => {
    void reader.send(megabyte);
    await jest.advanceTimersByTimeAsync(0);
    socket.emit('message', '{}');
    expect(socket.isPaused).toBe(true);
    socket.take(megabyte.length);
    await jest.advanceTimersByTimeAsync(100);
    expect(socket.isPaused).toBe(false);
  });

  it('that takes nothing is closed with a code that asks to resume', async () => {
    void reader.send(megabyte);
    await jest.advanceTimersByTimeAsync(60_000);
    expect(socket.ended[0]).toBe(String(TOO_SLOW));
  });

  it('that takes a little now and then is not, though its pongs are late', async () => {
    void reader.send(megabyte);
    for (let at = 0; at < 20; at += 1) {
      await jest.advanceTimersByTimeAsync(10_000);
      socket.take(1_000);
    }
    expect(socket.ended).toEqual([]);
  });

  it('that is gone is given up, and one that answers pings is not', async () => {
    for (let at = 0; at < 6; at += 1) {
      await jest.advanceTimersByTimeAsync(12_000);
      socket.emit('pong');
    }
    expect(socket.ended).toEqual([]);
    await jest.advanceTimersByTimeAsync(60_000);
    expect(socket.ended[0]).toBe('terminated');
  });
});

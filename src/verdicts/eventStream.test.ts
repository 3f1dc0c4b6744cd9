import { once } from 'node:events';
import { createServer, get, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from '@jest/globals';
import { EventStream } from './eventStream.js';

describe('a stream of server-sent events', () => {
  const server = createServer();
  afterEach(async () => {
    server.closeAllConnections();
    server.close();
    await once(server, 'close');
  });

  /** A reader, and the response that it reads. */
  async function connect(): Promise<{ reader: IncomingMessage; response: ServerResponse }> {
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const asked = get({ port: (server.address() as AddressInfo).port, host: '127.0.0.1' });
    const [, response] = (await once(server, 'request')) as [unknown, ServerResponse];
    response.flushHeaders();
    const [reader] = (await once(asked, 'response')) as [IncomingMessage];
    reader.on('error', () => undefined);
    return { reader, response };
  }

  it('says something to an idle reader, which is no event, and ends with the last one', async () => {
    const { reader, response } = await connect();
    const stream = new EventStream(response, 20);
    await stream.send('verdicts', '{"cursor":3}', 3);
    let text = '';
    reader.setEncoding('utf8').on('data', (chunk) => {
      text += chunk;
    });
    while (!text.endsWith(':\n\n:\n\n')) await once(reader, 'data');
    stream.end('end', '{}');
    await once(reader, 'end');
    expect(text).toMatch(/^id: 3\nevent: verdicts\ndata: \{"cursor":3\}\n\n(:\n\n){2,}event: end\ndata: \{\}\n\n$/);
    expect(stream.isOpen).toBe(false);
  });

  it('waits for a reader that takes nothing, and then leaves it', async () => {
    const { reader, response } = await connect();
    reader.pause();
    const stream = new EventStream(response, 50);
    const closed = once(response, 'close');
    let sent = 0;
    for (; stream.isOpen; sent += 1) await stream.send('verdicts', 'x'.repeat(1_000_000));
    await closed;
    expect(sent).toBeLessThan(30);
  });

  it('does not leave a reader that takes a little at a time', async () => {
    const { reader, response } = await connect();
    const stream = new EventStream(response, 20);
    let sent = false;
    const sending = stream.send('verdicts', 'x'.repeat(20_000_000)).then(() => {
      sent = true;
    });
    for await (const _chunk of reader) {
      if (sent) break;
      await new Promise((resolve) => setTimeout(resolve, 2));
    }
    await sending;
    expect(sent).toBe(true);
  });
});

import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface MirrorRequest {
  path: string;
  range: string | null;
}

type Answer = (request: IncomingMessage, response: ServerResponse) => void;

/** A web server with one made-up file: as a blob store serves it, or as a test wants. */
export interface Mirror {
  /** Ends with a slash. */
  url: string;
  /** Since the last call of `answering`. */
  requests: MirrorRequest[];
  /** What the next requests get, one after the other; the last one stays. */
  answering(...answers: Answer[]): void;
  close(): Promise<void>;
}

export async function startMirror(): Promise<Mirror> {
  let answers: Answer[] = [];
  const mirror: Mirror = {
    url: '',
    requests: [],
    answering(...next) {
      answers = next;
      mirror.requests = [];
    },
    async close() {
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
  const server = createServer((request, response) => {
    response.on('error', () => undefined);
    mirror.requests.push({ path: request.url ?? '', range: request.headers.range ?? null });
    const answer = answers.length > 1 ? answers.shift() : answers[0];
    if (answer === undefined) response.writeHead(500).end();
    else answer(request, response);
  });
  server.listen(0);
  await once(server, 'listening');
  mirror.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/files/`;
  return mirror;
}

interface Serving {
  etag?: string;
  /** False: the file comes whole, whatever was asked for. */
  ranges?: boolean;
  /** Bytes after which the connection breaks. */
  cutAfter?: number;
  /** Bytes after which nothing comes any more. */
  stallAfter?: number;
}

/** Serves a file with ranges and If-Range, unless told to fail. */
export function serving(
  content: Buffer,
  { etag = '"one"', ranges = true, cutAfter, stallAfter }: Serving = {},
): Answer {
  return (request, response) => {
    const asked = /^bytes=(\d+)-$/.exec(request.headers.range ?? '');
    const same = request.headers['if-range'] === etag;
    const start = ranges && asked !== null && same ? Number(asked[1]) : 0;
    const body = content.subarray(start);
    const range = `bytes ${start}-${content.length - 1}/${content.length}`;
    response.writeHead(start > 0 ? 206 : 200, {
      'content-length': body.length,
      ...(etag === '' ? {} : { etag }),
      ...(start > 0 ? { 'content-range': range } : {}),
    });
    const part = body.subarray(0, cutAfter ?? stallAfter ?? body.length);
    if (part.length === body.length) response.end(body);
    // What the reader has not stored when the connection breaks, it asks for again; it gets the time to store all.
    else response.write(part, () => cutAfter !== undefined && setTimeout(() => response.destroy(), 250));
  };
}

/** One answer without a file. */
export const saying =
  (status: number, headers: Record<string, string> = {}, body = ''): Answer =>
  (_request, response) =>
    response.writeHead(status, headers).end(body);

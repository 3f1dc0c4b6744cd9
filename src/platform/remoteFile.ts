import { classifyTransport } from './chatModel/classifyTransport.js';
import { guardedFetch } from './outbound/guardedFetch.js';
import { transportOf } from './outbound/transportOf.js';

const MAX_REDIRECTS = 5;
const RANGE = /^bytes (\d+)-(\d+)\/(\d+)$/;

/** What is being fetched, and how far one has come with it. */
export interface RemoteRequest {
  url: URL;
  /** Of the whole file. */
  bytes: number;
  /** The first byte that is missing; with `etag`, which says of which file those before it are. */
  start: number;
  etag: string | null;
  /** Silence after which the connection counts as broken, in ms. */
  stallMs: number;
  signal: AbortSignal;
}

export interface RemoteFile {
  /** Of the first byte that comes: what was asked for, or 0 when the file must be had from its beginning. */
  start: number;
  /** Null: it cannot be gone on with later. */
  etag: string | null;
  chunks: AsyncIterable<Uint8Array>;
}

/**
 * Why a file cannot be had. `again`: another try may help; after `wrong_range` only one from the beginning. `message`
 * names the place.
 */
export class RemoteFailure extends Error {
  constructor(
    readonly reason: string,
    message: string,
    readonly again: boolean,
  ) {
    super(message);
  }
}

/**
 * Asks for a file from byte `start` on. Redirects are followed, up to five, to other hosts as well, since what comes
 * is known by its hash; but never from https to http, and only to addresses that may be called. Throws RemoteFailure,
 * also while the chunks are read.
 */
export async function openRemoteFile(request: RemoteRequest): Promise<RemoteFile> {
  const stall = new StallClock(request.stallMs, request.signal);
  try {
    const response = await follow(request, stall);
    const { start, etag } = await placeOf(response, request);
    return { start, etag, chunks: read(response, request, start, stall) };
  } catch (error) {
    stall.stop();
    throw failureOf(error, request, stall);
  }
}

/** The first answer that is no redirect. */
async function follow(request: RemoteRequest, stall: StallClock): Promise<Response> {
  let url = request.url;
  // Compressed, the bytes would be others than those whose number and hash are known.
  const headers: Record<string, string> = { 'accept-encoding': 'identity' };
  if (request.start > 0 && request.etag !== null) {
    headers.range = `bytes=${request.start}-`;
    headers['if-range'] = request.etag;
  }
  for (let hop = 0; hop <= MAX_REDIRECTS; hop += 1) {
    const response = await guardedFetch(url, { headers, signal: stall.signal });
    const location = response.headers.get('location');
    if (![301, 302, 303, 307, 308].includes(response.status) || location === null) return response;
    await response.body?.cancel();
    url = redirected(url, location);
    stall.tick();
  }
  throw new RemoteFailure('redirect', `More than ${MAX_REDIRECTS} redirects from ${request.url.host}.`, false);
}

/** Where an answer from `from` leads. Throws RemoteFailure where nobody should follow. */
export function redirected(from: URL, location: string): URL {
  const to = URL.parse(location, from.href);
  if (to === null || !/^https?:$/.test(to.protocol) || to.username !== '') {
    throw new RemoteFailure('redirect', `${from.host} redirects to something that is no address of a file.`, false);
  }
  if (from.protocol === 'https:' && to.protocol !== 'https:') {
    throw new RemoteFailure('redirect', `${from.host} redirects from https to http (${to.host}): not followed.`, false);
  }
  return to;
}

/** Which part of the file an answer holds. Throws unless it can be a part of the file that is expected. */
async function placeOf(response: Response, request: RemoteRequest): Promise<{ start: number; etag: string | null }> {
  const fail = async (reason: string, message: string, again = false): Promise<never> => {
    await response.body?.cancel();
    throw new RemoteFailure(reason, message, again);
  };
  const { status, headers } = response;
  const file = `${request.url.host}${request.url.pathname}`;
  if (status !== 200 && status !== 206) {
    const again = status >= 500 || [408, 416, 429].includes(status);
    return fail(status === 416 ? 'wrong_range' : 'http_status', `${file} answers with HTTP status ${status}.`, again);
  }
  if ((headers.get('content-encoding') ?? 'identity') !== 'identity') {
    return fail('encoding', `${file} is sent compressed, though it was asked for as it is.`);
  }
  const tag = headers.get('etag');
  // A weak one says that two files mean the same, not that their bytes are.
  const etag = tag?.startsWith('"') ? tag : null;
  const length = headers.get('content-length');
  if (status === 200) {
    if (length === null || Number(length) === request.bytes) return { start: 0, etag };
    return fail('wrong_size', wrongSize(file, length, request.bytes));
  }
  const [, start, , total] = RANGE.exec(headers.get('content-range') ?? '') ?? [];
  if (total !== undefined && Number(total) !== request.bytes) {
    return fail('wrong_size', wrongSize(file, total, request.bytes));
  }
  if (total === undefined || Number(start) !== request.start || (tag !== null && tag !== request.etag)) {
    return fail('wrong_range', `${file} answers with another part of the file than was asked for.`, true);
  }
  return { start: request.start, etag: request.etag };
}

const wrongSize = (file: string, found: string, wanted: number): string =>
  `${file} has ${found} bytes and not the ${wanted} expected: it is another file, or an error page.`;

/** Exactly `bytes` bytes; fewer are a broken connection, more another file. */
async function* read(
  response: Response,
  request: RemoteRequest,
  start: number,
  stall: StallClock,
): AsyncGenerator<Uint8Array> {
  const bytes = request.bytes - start;
  let seen = 0;
  try {
    for await (const chunk of response.body ?? []) {
      seen += chunk.byteLength;
      if (seen > bytes)
        throw new RemoteFailure('wrong_size', `More than the ${request.bytes} bytes expected came.`, false);
      stall.pause();
      yield chunk;
      stall.tick();
    }
    if (seen < bytes) throw endedEarly(response, seen, bytes);
  } catch (error) {
    throw failureOf(error, request, stall);
  } finally {
    stall.stop();
  }
}

/** In order, for else the connection would have broken. A part may be shorter than what was asked for. */
function endedEarly({ status }: Response, seen: number, bytes: number): RemoteFailure {
  if (status === 206) return new RemoteFailure('connection', 'Only a part of the rest came.', true);
  return new RemoteFailure('wrong_size', `Only ${seen} bytes came of the ${bytes} expected.`, false);
}

function failureOf(error: unknown, { url, stallMs }: RemoteRequest, stall: StallClock): Error {
  if (error instanceof RemoteFailure) return error;
  if (stall.stalled) {
    return new RemoteFailure('timeout', `Nothing came from ${url.host} for ${stallMs / 1000} s.`, true);
  }
  const transport = transportOf(error);
  const outcome = classifyTransport(transport, transport);
  const reason = 'reason' in outcome ? outcome.reason : 'connection';
  return new RemoteFailure(reason, `The connection to ${url.host} failed: ${transport}.`, outcome.kind === 'retry');
}

/** Aborts when nothing has happened for `ms`, or when `outer` does. */
class StallClock {
  stalled = false;
  readonly #abort = new AbortController();
  readonly signal: AbortSignal;
  #timer: NodeJS.Timeout | undefined;

  constructor(
    private readonly ms: number,
    outer: AbortSignal,
  ) {
    this.signal = AbortSignal.any([this.#abort.signal, outer]);
    this.tick();
  }

  tick(): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => {
      this.stalled = true;
      this.#abort.abort(new Error('timeout'));
    }, this.ms);
  }

  /** While the reader is busy with what has come. */
  pause(): void {
    clearTimeout(this.#timer);
  }

  stop(): void {
    clearTimeout(this.#timer);
  }
}

import { foreignEncoding, withoutByteOrderMark } from '../healthbench/datasetFormat.js';
import { ImportError } from './importedRun.js';

/** A value out of a large JSON document. */
export interface JsonPart {
  /** Of the place in general, such as `metadata.example_level_metadata[]`. */
  path: string;
  /** This one's place, such as `metadata.example_level_metadata[17]`. */
  place: string;
  value: unknown;
}

/** Longest value that is taken out; the longest official record is far below 1 MiB. */
const MAX_PART_BYTES = 16 * 1024 * 1024;
const MAX_KEY_BYTES = 1_024;

/**
 * Takes the wanted values out of a JSON document of any size, one after the other, in memory for one of them. What
 * stands between is skipped over without being parsed. The streaming parsers on npm are not meant for files from
 * others (their authors say so), and they build every value that is skipped here.
 *
 * @param wanted the paths, such as `score` or `example_results[]`
 * @throws ImportError for what is no JSON object, is cut off, or has too long a value
 */
export async function* jsonParts(
  chunks: AsyncIterable<Uint8Array>,
  wanted: readonly string[],
): AsyncGenerator<JsonPart> {
  const walker = new JsonWalker(new Set(wanted));
  let first = true;
  for await (const chunk of chunks) {
    if (chunk.length === 0) continue;
    const foreign = first ? foreignEncoding(chunk) : null;
    if (foreign !== null) throw new ImportError(null, foreign);
    yield* walker.take(first ? withoutByteOrderMark(chunk) : chunk);
    first = false;
  }
  walker.end();
}

interface Frame {
  array: boolean;
  path: string;
  place: string;
  /** Of the next element. */
  index: number;
  key: string;
  expects: 'key' | 'colon' | 'value' | 'comma';
}

const [QUOTE, BACKSLASH, COMMA, COLON] = [0x22, 0x5c, 0x2c, 0x3a];
const [OPEN_LIST, CLOSE_LIST, OPEN, CLOSE, LINE_FEED] = [0x5b, 0x5d, 0x7b, 0x7d, 0x0a];
const isSpace = (byte: number): boolean => byte === 0x20 || (byte >= 0x09 && byte <= 0x0d);

class JsonWalker {
  readonly #wanted: ReadonlySet<string>;
  /** Paths on the way to a wanted one. */
  readonly #above: ReadonlySet<string>;
  readonly #frames: Frame[] = [];
  #line = 1;
  #ended = false;
  /** Within a value that is taken or skipped. */
  #inside: { take: boolean; depth: number; scalar: boolean } | null = null;
  #inString = false;
  #escaped = false;
  /** Bytes of a wanted value or of a key. */
  #kept: Uint8Array[] | null = null;
  #keptBytes = 0;
  #mostBytes = 0;

  constructor(wanted: ReadonlySet<string>) {
    this.#wanted = wanted;
    this.#above = new Set([...wanted].flatMap(ancestors));
  }

  *take(chunk: Uint8Array): Generator<JsonPart> {
    let from = 0;
    for (let at = 0; at < chunk.length; at += 1) {
      const byte = chunk[at] as number;
      if (byte === LINE_FEED) this.#line += 1;
      if (this.#inString) {
        if (!this.#endsString(byte)) continue;
        if (this.#inside === null) this.#endKey(chunk.subarray(from, at + 1));
        else if (this.#inside.depth === 0) yield* this.#endValue(chunk.subarray(from, at + 1));
      } else if (this.#inside !== null) {
        if (byte === QUOTE) this.#inString = true;
        else if (byte === OPEN || byte === OPEN_LIST) this.#inside.depth += 1;
        else if (byte === CLOSE || byte === CLOSE_LIST) {
          this.#inside.depth -= 1;
          // The bracket after a number or a word belongs to what holds it.
          if (this.#inside.scalar) yield* this.#endScalar(chunk.subarray(from, at), byte);
          else if (this.#inside.depth === 0) yield* this.#endValue(chunk.subarray(from, at + 1));
        } else if (this.#inside.scalar && (byte === COMMA || isSpace(byte))) {
          yield* this.#endScalar(chunk.subarray(from, at), byte);
        }
      } else if (this.#structure(byte)) from = at;
    }
    if (this.#kept !== null) this.#keep(chunk.slice(from));
  }

  end(): void {
    if (this.#ended) return;
    throw new ImportError(`Line ${this.#line}`, 'The file ends within its JSON. Is it cut off, or empty?');
  }

  #endsString(byte: number): boolean {
    if (this.#escaped) this.#escaped = false;
    else if (byte === BACKSLASH) this.#escaped = true;
    else if (byte === QUOTE) this.#inString = false;
    return !this.#inString;
  }

  /** A byte between values; true where a value or a key begins that is kept. */
  #structure(byte: number): boolean {
    if (isSpace(byte)) return false;
    const frame = this.#frames.at(-1);
    if (frame === undefined) {
      if (byte !== OPEN || this.#ended) throw this.#broken('The file must hold one JSON object and nothing else.');
      this.#push(false, '', '');
      return false;
    }
    const mayClose = frame.expects === 'comma' || frame.expects === (frame.array ? 'value' : 'key');
    if (mayClose && byte === (frame.array ? CLOSE_LIST : CLOSE)) return this.#pop();
    if (frame.expects === 'value') return this.#beginValue(frame, byte);
    if (frame.expects === 'key' && byte === QUOTE) {
      this.#inString = true;
      this.#begin(MAX_KEY_BYTES);
      return true;
    }
    if (frame.expects === 'colon' && byte === COLON) frame.expects = 'value';
    else if (frame.expects === 'comma' && byte === COMMA) frame.expects = frame.array ? 'value' : 'key';
    else throw this.#broken('The JSON is broken here.');
    return false;
  }

  #beginValue(frame: Frame, byte: number): boolean {
    if (byte === COMMA || byte === COLON || byte === CLOSE || byte === CLOSE_LIST) {
      throw this.#broken('The JSON is broken here.');
    }
    const path = frame.array ? `${frame.path}[]` : joined(frame.path, frame.key);
    const container = byte === OPEN || byte === OPEN_LIST;
    if (container && this.#above.has(path) && !this.#wanted.has(path)) {
      this.#push(byte === OPEN_LIST, path, this.#placeIn(frame));
      return false;
    }
    const take = this.#wanted.has(path);
    this.#inside = { take, depth: container ? 1 : 0, scalar: !container && byte !== QUOTE };
    this.#inString = byte === QUOTE;
    if (take) this.#begin(MAX_PART_BYTES);
    return take;
  }

  #placeIn = (frame: Frame): string =>
    frame.array ? `${frame.place}[${frame.index}]` : joined(frame.place, frame.key);

  *#endScalar(last: Uint8Array, byte: number): Generator<JsonPart> {
    yield* this.#endValue(last);
    this.#structure(byte);
  }

  *#endValue(last: Uint8Array): Generator<JsonPart> {
    const frame = this.#frames.at(-1) as Frame;
    const take = this.#inside?.take;
    this.#inside = null;
    if (take) {
      const place = this.#placeIn(frame);
      const path = frame.array ? `${frame.path}[]` : joined(frame.path, frame.key);
      yield { path, place, value: this.#parse(this.#takeKept(last), place) };
    }
    frame.expects = 'comma';
    frame.index += 1;
  }

  #endKey(last: Uint8Array): void {
    const frame = this.#frames.at(-1) as Frame;
    frame.key = String(this.#parse(this.#takeKept(last), `Line ${this.#line}`));
    frame.expects = 'colon';
  }

  #parse(bytes: Uint8Array, place: string): unknown {
    try {
      return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
    } catch (error) {
      const reason = error instanceof TypeError ? 'is not valid UTF-8' : 'is not valid JSON';
      throw new ImportError(place, `${reason} (before line ${this.#line + 1} of the file).`, { cause: error });
    }
  }

  #push(array: boolean, path: string, place: string): void {
    this.#frames.push({ array, path, place, index: 0, key: '', expects: array ? 'value' : 'key' });
  }

  #pop(): false {
    this.#frames.pop();
    const outer = this.#frames.at(-1);
    if (outer === undefined) this.#ended = true;
    else {
      outer.expects = 'comma';
      outer.index += 1;
    }
    return false;
  }

  #begin(mostBytes: number): void {
    this.#kept = [];
    this.#keptBytes = 0;
    this.#mostBytes = mostBytes;
  }

  #keep(part: Uint8Array): void {
    this.#keptBytes += part.length;
    if (this.#keptBytes > this.#mostBytes) throw this.#broken(`A value is longer than ${this.#mostBytes} bytes.`);
    this.#kept?.push(part);
  }

  #takeKept(last: Uint8Array): Uint8Array {
    this.#keep(last);
    const bytes = Buffer.concat(this.#kept ?? []);
    this.#kept = null;
    return bytes;
  }

  #broken(message: string): ImportError {
    return new ImportError(`Line ${this.#line}`, message);
  }
}

const joined = (path: string, key: string): string => (path === '' ? key : `${path}.${key}`);

/** `a.b[]` → '', `a`, `a.b`. */
function ancestors(path: string): string[] {
  const found = [''];
  for (const [at, character] of [...path].entries()) {
    if (character === '.' || character === '[') found.push(path.slice(0, at));
  }
  return found;
}

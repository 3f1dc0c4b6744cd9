import { TextDecoder } from 'node:util';
import { foreignEncoding, foreignFormat, withoutByteOrderMark } from './datasetFormat.js';
import { type ConversationRecord, parseRecord, RecordError } from './records.js';

/** Longest line accepted by default; the longest official record is far below 1 MiB. */
export const MAX_LINE_BYTES = 16 * 1024 * 1024;

/** A file cannot be imported. The message begins `Line N: `; lines count from 1, blank ones included. */
export class DatasetError extends Error {
  override readonly name = 'DatasetError';
  constructor(
    readonly line: number,
    readonly reason: string,
    options?: ErrorOptions,
  ) {
    super(`Line ${line}: ${reason}`, options);
  }
}

/** A record with its line (from 1) and its place among the records (from 0), which sampling depends on. */
export interface DatasetRow {
  line: number;
  index: number;
  record: ConversationRecord;
}

/**
 * Reads a JSONL dataset from its bytes, record by record. Lines end at LF only, since texts hold other line
 * separators; CRLF, a byte order mark and blank lines are tolerated. Memory grows only with the prompt ids.
 * @throws DatasetError at the first thing that is wrong, also when the file holds no record at all.
 */
export async function* readDataset(
  chunks: AsyncIterable<Uint8Array>,
  options: { maxLineBytes?: number } = {},
): AsyncGenerator<DatasetRow> {
  const lineOfId = new Map<string, number>();
  for await (const { line, text } of textLines(chunks, options.maxLineBytes ?? MAX_LINE_BYTES)) {
    if (isBlank(text)) continue;
    const record = recordAt(line, text, lineOfId.size === 0);
    const first = lineOfId.get(record.promptId);
    if (first !== undefined) {
      throw new DatasetError(
        line,
        `prompt_id ${record.promptId} was already used on line ${first}. Ids must be unique.`,
      );
    }
    const index = lineOfId.size;
    lineOfId.set(record.promptId, line);
    yield { line, index, record };
  }
  if (lineOfId.size === 0) throw new DatasetError(1, 'The file holds no record. Is it empty or cut off?');
}

function recordAt(line: number, text: string, first: boolean): ConversationRecord {
  const foreign = first ? foreignFormat(text) : null;
  if (foreign) throw new DatasetError(line, foreign);
  try {
    return parseRecord(text);
  } catch (error) {
    if (error instanceof RecordError) throw new DatasetError(line, error.message, { cause: error });
    throw error;
  }
}

function isBlank(text: string): boolean {
  return /^[ \t\r]*$/.test(text);
}

/** The lines of a text in UTF-8, ended by LF or CRLF; most blank ones are left out, but counted. @throws DatasetError */
export async function* textLines(
  chunks: AsyncIterable<Uint8Array>,
  maxLineBytes: number = MAX_LINE_BYTES,
): AsyncGenerator<{ line: number; text: string }> {
  const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
  for await (const { line, bytes } of byteLines(chunks, maxLineBytes)) {
    const foreign = line === 1 ? foreignEncoding(bytes) : null;
    if (foreign) throw new DatasetError(line, foreign);
    yield { line, text: decode(decoder, line === 1 ? withoutByteOrderMark(bytes) : bytes, line) };
  }
}

function decode(decoder: TextDecoder, bytes: Uint8Array, line: number): string {
  const end = bytes.at(-1) === CARRIAGE_RETURN ? bytes.length - 1 : bytes.length;
  try {
    return decoder.decode(bytes.subarray(0, end));
  } catch (error) {
    throw new DatasetError(line, 'The text is not valid UTF-8. Save the file as UTF-8.', { cause: error });
  }
}

const LINE_FEED = 0x0a;
const CARRIAGE_RETURN = 0x0d;

/**
 * Lines without their LF. Splitting bytes is safe: in UTF-8 the byte of LF is never part of another character. Blank
 * lines after the first are skipped here: ten million of them, one by one through the generators, took 18 s.
 */
async function* byteLines(
  chunks: AsyncIterable<Uint8Array>,
  maxLineBytes: number,
): AsyncGenerator<{ line: number; bytes: Uint8Array }> {
  let line = 1;
  let pending: Uint8Array[] = [];
  let pendingBytes = 0;
  const keep = (part: Uint8Array) => {
    pendingBytes += part.length;
    if (pendingBytes > maxLineBytes) {
      throw new DatasetError(
        line,
        `The line is longer than ${maxLineBytes} bytes. Is it one JSON object per line (JSONL)?`,
      );
    }
    if (part.length > 0) pending.push(part);
  };
  for await (const chunk of chunks) {
    let start = 0;
    for (let end = chunk.indexOf(LINE_FEED); end >= 0; end = chunk.indexOf(LINE_FEED, start)) {
      if (line === 1 || pendingBytes > 0 || !isBlankPart(chunk, start, end)) {
        keep(chunk.subarray(start, end));
        yield { line, bytes: Buffer.concat(pending, pendingBytes) };
        pending = [];
        pendingBytes = 0;
      }
      line += 1;
      start = end + 1;
    }
    // Copied, because a stream may use the memory of its chunk again while the line is still incomplete.
    keep(chunk.slice(start));
  }
  if (pendingBytes > 0) yield { line, bytes: Buffer.concat(pending, pendingBytes) };
}

const SPACE = 0x20;
const TAB = 0x09;

function isBlankPart(bytes: Uint8Array, start: number, end: number): boolean {
  for (let at = start; at < end; at += 1) {
    const byte = bytes[at];
    if (byte !== SPACE && byte !== TAB && byte !== CARRIAGE_RETURN) return false;
  }
  return true;
}

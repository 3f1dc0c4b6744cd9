import { Readable } from 'node:stream';

const CHUNK_CHARACTERS = 64 * 1024;

/** Rows as JSONL, in chunks of about 64 KB. Read no faster than it is taken; bigints become strings beyond 2^53. */
export function jsonLines(rows: AsyncIterable<object>): Readable {
  return Readable.from(chunks(rows));
}

async function* chunks(rows: AsyncIterable<object>): AsyncGenerator<Buffer> {
  let text = '';
  for await (const row of rows) {
    text += `${JSON.stringify(row, bigints)}\n`;
    if (text.length < CHUNK_CHARACTERS) continue;
    yield Buffer.from(text);
    text = '';
  }
  if (text !== '') yield Buffer.from(text);
}

function bigints(_key: string, value: unknown): unknown {
  if (typeof value !== 'bigint') return value;
  return value <= Number.MAX_SAFE_INTEGER ? Number(value) : String(value);
}

import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { ImportError } from './importedRun.js';
import { type JsonPart, jsonParts } from './jsonParts.js';

async function* pieces(bytes: Uint8Array, size: number): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

async function read(text: string, wanted: string[], size = 7): Promise<JsonPart[]> {
  const found: JsonPart[] = [];
  for await (const part of jsonParts(pieces(Buffer.from(text), size), wanted)) found.push(part);
  return found;
}

describe('parts of a large JSON document', () => {
  it('equal what JSON.parse finds in their places, whatever surrounds them and however the bytes come', async () => {
    const json = fc.jsonValue({ depthSize: 'small', stringUnit: 'grapheme' });
    const document = fc.record({
      before: json,
      rows: fc.array(json),
      inner: fc.record({ noise: json, rows: fc.array(json) }),
      after: json,
    });
    await fc.assert(
      fc.asyncProperty(document, fc.integer({ min: 1, max: 40 }), fc.boolean(), async (value, size, pretty) => {
        const text = JSON.stringify(value, null, pretty ? 2 : 0);
        const parsed = JSON.parse(text);
        const parts = await read(text, ['rows[]', 'inner.rows[]', 'after'], size);
        expect(parts.map((part) => [part.place, part.value])).toEqual([
          ...parsed.rows.map((row: unknown, at: number) => [`rows[${at}]`, row]),
          ...parsed.inner.rows.map((row: unknown, at: number) => [`inner.rows[${at}]`, row]),
          ['after', parsed.after],
        ]);
      }),
    );
  });

  it('may stand after a byte order mark and among brackets and quotes within texts', async () => {
    const text = '\ufeff{"a": "]}\\"{[", "b": [1, "x"], "c": {"b": [2]}}';
    expect(await read(text, ['b[]'])).toEqual([
      { path: 'b[]', place: 'b[0]', value: 1 },
      { path: 'b[]', place: 'b[1]', value: 'x' },
    ]);
  });

  it.each([
    ['', /ends within its JSON/],
    ['{"rows": [1, {"a": 2}', /^Line 1: The file ends/],
    ['{"rows": [1]}\n{"rows": [2]}', /^Line 2: .* one JSON object/],
    ['[1]', /one JSON object/],
    ['{"rows": [{"a" 1}]}', /^rows\[0\]: is not valid JSON/],
    ['{\n"rows" [1]}', /^Line 2: The JSON is broken/],
    ['{"rows": [1]]', /broken/],
    ['{"rows":}', /broken/],
  ])('in %j are an error that says where', async (text, message) => {
    const failure = read(text, ['rows[]']);
    await expect(failure).rejects.toThrow(ImportError);
    await expect(failure).rejects.toThrow(message);
  });

  it('of more than 16 MiB are refused before they fill the memory', async () => {
    const text = `{"rows": ["${'x'.repeat(17 * 1024 * 1024)}"]}`;
    await expect(read(text, ['rows[]'], 1024 * 1024)).rejects.toThrow(/longer than/);
    // What is not wanted may be as long as it likes.
    expect(await read(text, ['other'], 1024 * 1024)).toEqual([]);
  });
});

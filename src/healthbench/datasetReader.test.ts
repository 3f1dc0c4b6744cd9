import { createReadStream, readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { DatasetError, type DatasetRow, readDataset } from './datasetReader.js';

const FOLDER = 'test/fixtures/datasets';
interface Expected {
  import: 'accept' | 'reject';
  rows?: number;
  line?: number;
}
const expected = JSON.parse(readFileSync(`${FOLDER}/expect.json`, 'utf8')) as Record<string, Expected>;

const record = (id: string, question = 'Is tea fine?') =>
  JSON.stringify({
    prompt_id: id,
    prompt: [{ role: 'user', content: question }],
    rubrics: [{ criterion: 'Says yes.', points: 5, tags: [] }],
    example_tags: [],
  });

async function* pieces(bytes: Uint8Array, size: number): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

async function rowsOf(chunks: AsyncIterable<Uint8Array>, options = {}): Promise<DatasetRow[]> {
  const rows: DatasetRow[] = [];
  for await (const row of readDataset(chunks, options)) rows.push(row);
  return rows;
}

const readText = (text: string | Uint8Array, options = {}) =>
  rowsOf(pieces(typeof text === 'string' ? Buffer.from(text) : text, 50), options);

describe('every dataset case', () => {
  it.each(readdirSync(FOLDER).filter((name) => name.endsWith('.jsonl')))('%s', async (name) => {
    const { import: outcome, rows, line } = expected[name] as Expected;
    const reading = rowsOf(createReadStream(`${FOLDER}/${name}`));
    if (outcome === 'accept') {
      expect(await reading).toHaveLength(rows as number);
    } else {
      const error = await reading.catch((thrown: unknown) => thrown);
      expect(error).toBeInstanceOf(DatasetError);
      expect(error).toMatchObject({ line, message: expect.stringMatching(new RegExp(`^Line ${line}: .+`)) });
    }
  });

  it('says what a foreign file is', async () => {
    const message = (name: string) => rowsOf(createReadStream(`${FOLDER}/${name}`)).catch(String);
    expect(await message('reject-html-line-1.jsonl')).toMatch(/HTML/);
    expect(await message('reject-lfs-pointer-line-1.jsonl')).toMatch(/git lfs pull/);
    expect(await message('reject-json-array-line-1.jsonl')).toMatch(/one JSON object per line/);
    expect(await message('reject-utf16-line-1.jsonl')).toMatch(/UTF-16/);
    expect(await message('reject-duplicate-id-line-3.jsonl')).toMatch(/^DatasetError: Line 3: .*on line 1/);
  });
});

describe('lines', () => {
  it('count from 1 with blank ones, records from 0 without', async () => {
    const rows = await readText(`\uFEFF\r\n${record('a')}\r\n \t\r\n\n${record('b')}`);
    expect(rows.map(({ line, index, record: { promptId } }) => [line, index, promptId])).toEqual([
      [2, 0, 'a'],
      [5, 1, 'b'],
    ]);
  });

  it('are counted however many blank ones there are, wherever the bytes are cut', async () => {
    const blank = fc
      .array(fc.constantFrom('\n', '\r\n', ' \n', '\t \r\n'), { maxLength: 60 })
      .map((lines) => lines.join(''));
    await fc.assert(
      fc.asyncProperty(blank, blank, fc.integer({ min: 1, max: 200 }), async (before, between, size) => {
        const lines = (text: string) => text.split('\n').length - 1;
        const text = `${before}${record('a')}\n${between}${record('b')}\n${before}`;
        const rows = await rowsOf(pieces(Buffer.from(text), size));
        const first = lines(before) + 1;
        expect(rows.map(({ line }) => line)).toEqual([first, first + 1 + lines(between)]);
      }),
    );
  });

  it('come out the same however the bytes are cut into chunks', async () => {
    const bytes = Buffer.from(`${record('a', 'Émile 😀\u2028\u0085?')}\n${record('b')}\r\n`);
    const whole = await rowsOf(pieces(bytes, bytes.length));
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 1, max: bytes.length }), async (size) => {
        expect(await rowsOf(pieces(bytes, size))).toEqual(whole);
      }),
    );
  });

  it('survive a source that uses its buffer again', async () => {
    const bytes = Buffer.from(`${record('a')}\n${record('b')}\n`);
    const buffer = new Uint8Array(16);
    async function* reused() {
      for (let at = 0; at < bytes.length; at += buffer.length) {
        const part = bytes.subarray(at, at + buffer.length);
        buffer.set(part);
        yield buffer.subarray(0, part.length);
      }
    }
    expect(await rowsOf(reused())).toHaveLength(2);
  });

  it('may not be longer than the limit', async () => {
    await expect(readText(`${record('a')}\n${record('b')}`, { maxLineBytes: 100 })).rejects.toThrow(
      /^Line 1: The line is longer than 100 bytes/,
    );
  });

  it('must be UTF-8', async () => {
    const latin1 = Buffer.concat([Buffer.from(`${record('a')}\n`), Buffer.from(record('b', 'Émile?'), 'latin1')]);
    await expect(readText(latin1)).rejects.toThrow(/^Line 2: The text is not valid UTF-8/);
  });
});

describe('a file as a whole', () => {
  it.each([
    ['empty', '', /holds no record/],
    ['only blank lines', '\n\r\n \n', /holds no record/],
    ['UTF-16 without a mark', Buffer.from(record('a'), 'utf16le'), /UTF-16/],
    ['compressed', Uint8Array.of(0x1f, 0x8b, 8, 0), /gzip/],
    ['pretty-printed', '{\n  "prompt_id": "a"\n}', /pretty-printed/],
  ])('is rejected when it is %s', async (_what, content, reason) => {
    await expect(readText(content)).rejects.toThrow(DatasetError);
    await expect(readText(content)).rejects.toThrow(reason);
  });

  it('gives its records one by one, before the end is read', async () => {
    async function* endless() {
      for (let no = 0; ; no += 1) yield Buffer.from(`${record(`p${no}`)}\n`);
    }
    for await (const { index } of readDataset(endless())) if (index === 3) return;
    throw new Error('The reader ended too early.');
  });
});

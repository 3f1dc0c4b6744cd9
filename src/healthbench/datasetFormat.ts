/** First bytes of files that are often taken for JSONL, and what to do about each. */
const SIGNATURES: readonly (readonly [readonly number[], string])[] = [
  [[0xff, 0xfe], 'The file is encoded in UTF-16. Save it as UTF-8.'],
  [[0xfe, 0xff], 'The file is encoded in UTF-16. Save it as UTF-8.'],
  [[0x00], 'The file is encoded in UTF-16 or UTF-32, or is not text. Save it as UTF-8.'],
  [[0x1f, 0x8b], 'The file is compressed with gzip. Unpack it first.'],
  [[0x28, 0xb5, 0x2f, 0xfd], 'The file is compressed with zstd. Unpack it first.'],
  [[0x50, 0x4b, 0x03, 0x04], 'The file is a zip archive. Unpack it first.'],
  [[0x50, 0x41, 0x52, 0x31], 'The file is Parquet. Export it as JSONL.'],
];

/** What is wrong with the encoding of a file whose first line has these bytes, or null when it may be UTF-8. */
export function foreignEncoding(firstLine: Uint8Array): string | null {
  const known = SIGNATURES.find(([bytes]) => startsWith(firstLine, bytes));
  if (known) return known[1];
  // A zero as second byte: ASCII text in UTF-16 without a byte order mark.
  return firstLine[1] === 0 ? 'The file is encoded in UTF-16 or UTF-32. Save it as UTF-8.' : null;
}

/** The first line of a file without the byte order mark of UTF-8. */
export function withoutByteOrderMark(firstLine: Uint8Array): Uint8Array {
  return startsWith(firstLine, [0xef, 0xbb, 0xbf]) ? firstLine.subarray(3) : firstLine;
}

/** What is wrong with a file whose first line with text is this one, or null when it may be JSONL. */
export function foreignFormat(firstLine: string): string | null {
  const start = firstLine.trimStart();
  if (start.startsWith('<')) {
    return 'This is an HTML or XML page, not JSONL; perhaps an error page saved as a file. Download the data again.';
  }
  if (start.startsWith('version https://git-lfs')) {
    return 'This is a Git LFS pointer, not the data it points to. Fetch the data with `git lfs pull`.';
  }
  if (start.startsWith('[')) {
    return 'The file is one JSON array. Write one JSON object per line (JSONL), for example with `jq -c ".[]"`.';
  }
  if (/^\{\s*$/.test(start)) {
    return 'The file is pretty-printed JSON. Write each JSON object on one line (JSONL), for example with `jq -c .`.';
  }
  return null;
}

function startsWith(bytes: Uint8Array, prefix: readonly number[]): boolean {
  return prefix.every((byte, at) => bytes[at] === byte);
}

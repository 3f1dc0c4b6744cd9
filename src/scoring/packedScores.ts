/** Scores as they are stored with a finished run: 64-bit floats, little endian. */
export function packScores(scores: readonly number[]): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(scores.length * 8);
  const view = new DataView(bytes.buffer);
  for (const [at, score] of scores.entries()) view.setFloat64(at * 8, score, true);
  return bytes;
}

/** The inverse of packScores. */
export function unpackScores(bytes: Uint8Array): number[] {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  return Array.from({ length: bytes.byteLength / 8 }, (_, at) => view.getFloat64(at * 8, true));
}

import type { Hash } from 'node:crypto';
import { InvalidInput } from '../errors.js';

/**
 * The chunks of an uploaded file, counted and hashed as they pass.
 *
 * @param maxBytes one more throws InvalidInput at `path`
 */
export function measure(chunks: AsyncIterable<Uint8Array>, hash: Hash, maxBytes: number, path: string[]) {
  let bytes = 0;
  async function* counted() {
    for await (const chunk of chunks) {
      bytes += chunk.length;
      if (bytes > maxBytes) {
        throw new InvalidInput(
          `The file is larger than ${maxBytes} bytes, the limit set by ASSAY_MAX_IMPORT_MB.`,
          path,
        );
      }
      hash.update(chunk);
      yield chunk;
    }
  }
  return { chunks: counted(), bytes: () => BigInt(bytes) };
}

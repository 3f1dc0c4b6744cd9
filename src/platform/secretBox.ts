import { createCipheriv, createDecipheriv, createHash, createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';

const NONCE = 12;
const TAG = 16;

/** Seals provider keys at rest: AES-256-GCM with one key from the environment or the data folder. */
export class SecretBox {
  /** Which key it is, so that it can be rotated; says nothing about the key. */
  readonly keyId: string;

  /** @param key 32 bytes */
  constructor(private readonly key: Buffer) {
    this.keyId = createHash('sha256').update('assay secret key id').update(key).digest('hex').slice(0, 16);
  }

  /** A signature of `text` for `purpose`, base64url; it changes with the key. */
  sign(purpose: string, text: string): string {
    return createHmac('sha256', this.key).update(`assay ${purpose}\n${text}`).digest('base64url');
  }

  /** Whether `signature` is the one that `sign` gives, compared in constant time. */
  verify(purpose: string, text: string, signature: string): boolean {
    const expected = Buffer.from(this.sign(purpose, text));
    const given = Buffer.from(signature);
    return given.length === expected.length && timingSafeEqual(given, expected);
  }

  /** @param bound what the secret belongs to; it opens only together with the same value */
  seal(text: string, bound: string): Buffer {
    const nonce = randomBytes(NONCE);
    const cipher = createCipheriv('aes-256-gcm', this.key, nonce).setAAD(Buffer.from(bound));
    const sealed = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()]);
    return Buffer.concat([nonce, cipher.getAuthTag(), sealed]);
  }

  /** Throws when the key, the bound value or the bytes are not the ones it was sealed with. */
  open(sealed: Uint8Array, bound: string): string {
    const bytes = Buffer.from(sealed);
    const decipher = createDecipheriv('aes-256-gcm', this.key, bytes.subarray(0, NONCE))
      .setAAD(Buffer.from(bound))
      .setAuthTag(bytes.subarray(NONCE, NONCE + TAG));
    return Buffer.concat([decipher.update(bytes.subarray(NONCE + TAG)), decipher.final()]).toString('utf8');
  }
}

/** The key given (32 bytes, base64), or the one in the data folder, made at the first start with mode 0600. */
export async function openSecretBox(given: string | null, dataDir: string): Promise<SecretBox> {
  if (given !== null) return new SecretBox(Buffer.from(given, 'base64'));
  const file = path.join(dataDir, 'secret.key');
  await mkdir(dataDir, { recursive: true });
  // `wx`: of two processes that start together, one makes it and both read it.
  await writeFile(file, randomBytes(32).toString('base64'), { mode: 0o600, flag: 'wx' }).catch((error) => {
    if (error.code !== 'EEXIST') throw error;
  });
  return new SecretBox(Buffer.from(await readFile(file, 'utf8'), 'base64'));
}

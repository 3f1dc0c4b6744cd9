import { createCipheriv, createDecipheriv, createHash, createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';

const NONCE = 12;
const TAG = 16;

/** Seals provider keys at rest: AES-256-GCM with a key from the environment or the data folder. */
export class SecretBox {
  /** Which key seals, so that it can be rotated; says nothing about the key. */
  readonly keyId: string;
  readonly #keys: ReadonlyMap<string, Buffer>;

  /**
   * @param key seals and signs; 32 bytes
   * @param previous only open what they sealed, until that is sealed anew
   */
  constructor(
    private readonly key: Buffer,
    previous: readonly Buffer[] = [],
  ) {
    this.keyId = keyIdOf(key);
    this.#keys = new Map([...previous, key].map((each) => [keyIdOf(each), each]));
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

  /**
   * Throws when the key that sealed it is unknown, or the bound value or the bytes are not the ones it was sealed with.
   *
   * @param keyId which key sealed it; null: the present one
   */
  open(sealed: Uint8Array, bound: string, keyId: string | null = null): string {
    const key = this.#keys.get(keyId ?? this.keyId);
    if (key === undefined) throw new Error(`the secret key ${keyId} is not configured`);
    const bytes = Buffer.from(sealed);
    const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(0, NONCE))
      .setAAD(Buffer.from(bound))
      .setAuthTag(bytes.subarray(NONCE, NONCE + TAG));
    return Buffer.concat([decipher.update(bytes.subarray(NONCE + TAG)), decipher.final()]).toString('utf8');
  }
}

const keyIdOf = (key: Buffer): string =>
  createHash('sha256').update('assay secret key id').update(key).digest('hex').slice(0, 16);

/**
 * The key given, or the one in the data folder, made at the first start with mode 0600. With a key given, the one in
 * the data folder (if there is one) still opens what it sealed before.
 *
 * @param given 32 bytes, base64, as all keys; null: none
 * @param previous keys that were given before
 */
export async function openSecretBox(
  given: string | null,
  previous: readonly string[],
  dataDir: string,
): Promise<SecretBox> {
  const file = path.join(dataDir, 'secret.key');
  const older = previous.map(bytesOf);
  if (given !== null) {
    const kept = await readFile(file, 'utf8').catch(() => null);
    return new SecretBox(bytesOf(given), kept === null ? older : [...older, bytesOf(kept)]);
  }
  await mkdir(dataDir, { recursive: true });
  // `wx`: of two processes that start together, one makes it and both read it.
  await writeFile(file, randomBytes(32).toString('base64'), { mode: 0o600, flag: 'wx' }).catch((error) => {
    if (error.code !== 'EEXIST') throw error;
  });
  return new SecretBox(bytesOf(await readFile(file, 'utf8')), older);
}

const bytesOf = (base64: string): Buffer => Buffer.from(base64, 'base64');

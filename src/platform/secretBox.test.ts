import { randomBytes } from 'node:crypto';
import { mkdtemp, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { openSecretBox, SecretBox } from './secretBox.js';

describe('sealing secrets', () => {
  const [first, second] = [randomBytes(32), randomBytes(32)];

  it('opens only for what it was sealed for, and only unchanged', () => {
    const box = new SecretBox(first);
    const sealed = box.seal('sk-secret', 'api.example.org');
    expect(sealed.toString('latin1')).not.toContain('sk-secret');
    expect(box.open(sealed, 'api.example.org', box.keyId)).toBe('sk-secret');
    expect(() => box.open(sealed, 'evil.example.org', box.keyId)).toThrow();
    for (const at of [0, 15, sealed.length - 1]) {
      const changed = Buffer.from(sealed);
      changed[at] = (changed[at] as number) ^ 1;
      expect(() => box.open(changed, 'api.example.org', box.keyId)).toThrow();
    }
  });

  it('goes on opening what an earlier key sealed, and seals with the present one', () => {
    const old = new SecretBox(first);
    const sealed = old.seal('sk-secret', 'host');
    const rotated = new SecretBox(second, [first]);
    expect(rotated.open(sealed, 'host', old.keyId)).toBe('sk-secret');
    expect(rotated.keyId).not.toBe(old.keyId);
    expect(() => old.open(rotated.seal('sk-secret', 'host'), 'host', rotated.keyId)).toThrow(/not configured/);
    expect(() => new SecretBox(second).open(sealed, 'host', old.keyId)).toThrow(/not configured/);
  });

  describe('with a key in the data folder', () => {
    let folder: string;
    beforeAll(async () => {
      folder = await mkdtemp(path.join(tmpdir(), 'assay-secrets-'));
    });
    afterAll(() => rm(folder, { recursive: true, force: true }));

    it('makes one that its owner alone can read, and keeps it', async () => {
      const box = await openSecretBox(null, [], folder);
      expect((await stat(path.join(folder, 'secret.key'))).mode & 0o777).toBe(0o600);
      expect((await openSecretBox(null, [], folder)).keyId).toBe(box.keyId);
    });

    it('opens what that one sealed when a key is configured later', async () => {
      const before = await openSecretBox(null, [], folder);
      const sealed = before.seal('sk-secret', 'host');
      const after = await openSecretBox(second.toString('base64'), [], folder);
      expect(after.keyId).not.toBe(before.keyId);
      expect(after.open(sealed, 'host', before.keyId)).toBe('sk-secret');
      expect(await readFile(path.join(folder, 'secret.key'), 'utf8')).not.toBe(second.toString('base64'));
    });
  });
});

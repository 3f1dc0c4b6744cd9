import { describe, expect, it } from '@jest/globals';
import { OFFICIAL_FILES, officialFile } from './officialFiles.js';

describe('official files', () => {
  it('are known by the sha256 of their bytes', () => {
    const main = 'e99dd3c6372c10d6fcc5e385c5fae69d0dd40392dae56836ef9493ae324ecd2f';
    expect(officialFile(main.toUpperCase())).toMatchObject({ variant: 'MAIN', records: 5_000 });
    expect(officialFile('00')).toBeNull();
    expect([...OFFICIAL_FILES.values()].map(({ variant }) => variant)).toEqual([
      'MAIN',
      'HARD',
      'CONSENSUS',
      'META_EVAL',
    ]);
  });
});

import { describe, expect, it } from '@jest/globals';
import type { DownloadFragment } from '../client/generated/operations.js';
import { downloadText } from './downloadView.js';

const download = (changes: Partial<DownloadFragment>): DownloadFragment => ({
  id: 'id',
  source: 'HEALTHBENCH_MAIN',
  name: 'main',
  status: 'DOWNLOADING',
  bytesDone: 15_000_000,
  bytesTotal: 60_000_000,
  reason: null,
  message: null,
  ...changes,
});

describe('the progress of a download', () => {
  it('is a bar in megabytes, with what it waits for', () => {
    expect(downloadText(download({}), 8)).toBe('[██      ] 15 of 60 MB');
    expect(downloadText(download({ message: 'Trying again: silence.' }), 0)).toBe(
      '15 of 60 MB  Trying again: silence.',
    );
    expect(downloadText(download({ bytesDone: 0, bytesTotal: 1_500_000 }), 4)).toBe('[    ] 0.0 of 1.5 MB');
  });

  it('says what goes on before and after the bytes', () => {
    expect(downloadText(download({ status: 'QUEUED' }))).toContain('Waiting for a worker');
    expect(downloadText(download({ status: 'IMPORTING' }))).toContain('importing');
  });
});

import { createHash } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { Assay } from './support/assay.js';
import { conversations, jsonl } from './support/dataset.js';
import { eventually } from './support/household.js';
import { serving, startMirror } from './support/mirror.js';

const CONTENT = Buffer.from(jsonl(conversations(3)));

describe('a file behind a private address', () => {
  it('is not fetched where those are not allowed', async () => {
    const mirror = await startMirror();
    mirror.answering(serving(CONTENT));
    const sha256 = createHash('sha256').update(CONTENT).digest('hex');
    const file = { name: 'file.jsonl', bytes: CONTENT.length, sha256 };
    const files = { HEALTHBENCH_MAIN: file, HEALTHBENCH_HARD: file, HEALTHBENCH_CONSENSUS: file };
    const url = mirror.url.replace('127.0.0.1', 'localhost');
    const settings = { ASSAY_ALLOW_PRIVATE_ADDRESSES: 'false', ASSAY_HEALTHBENCH_URL: 'https://files.example.org' };
    const assay = await Assay.start({ official: { url, files }, settings });
    try {
      const team = await assay.team();
      const { download } = await team.mutate('importDataset', { source: 'HEALTHBENCH_HARD' }, 'download { id }');
      const read = async () =>
        (await team.query('query ($id: ID!) { datasetDownload(id: $id) { status reason } }', download)).datasetDownload;
      await eventually(async () => (await read()).status === 'FAILED');
      expect((await read()).reason).toBe('address_blocked');
      expect(mirror.requests).toEqual([]);
    } finally {
      await assay.close();
      await mirror.close();
    }
  });
});

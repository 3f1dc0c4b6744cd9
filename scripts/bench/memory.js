import { withService } from './place.js';
import { startProvider } from './programs.js';
import { percent, table } from './report.js';

const CONNECTIONS = 64;

/** Memory of a small and of a large run, each in a fresh process. */
export async function memory(bench) {
  const peaks = [];
  const provider = await startProvider(0);
  try {
    for (const conversations of [500, 5_000]) {
      await withService(bench, 5_000, async ({ client, dataset, pid }) => {
        const endpoint = await client.endpoint(provider.url, CONNECTIONS);
        peaks.push((await client.run(dataset, conversations, endpoint, pid)).peakMb);
      });
    }
  } finally {
    await provider.stop();
  }
  const [small, large] = peaks;
  table(
    'Resident memory of the service at its highest (bar: 5,000 conversations within 20 % of 500)',
    ['500', '5,000', 'growth'],
    [[`${small.toFixed(0)} MB`, `${large.toFixed(0)} MB`, percent(large / small - 1)]],
  );
}

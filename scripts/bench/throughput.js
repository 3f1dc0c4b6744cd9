import { CRITERIA } from './material.js';
import { withService } from './place.js';
import { bareLoop, startProvider } from './programs.js';
import { median, table } from './report.js';

const CONNECTIONS = 64;
const ROUNDS = 3;

/** Orchestration at zero model latency: calls per second beside those of bare loops, in turn, several times. */
export async function throughput(bench) {
  const conversations = 400;
  const calls = conversations * (CRITERIA + 1);
  const provider = await startProvider(0);
  const rates = { openai: [], fetch: [], assay: [] };
  try {
    await withService(bench, conversations, async ({ client, dataset, pid }) => {
      const endpoint = await client.endpoint(provider.url, CONNECTIONS);
      await client.run(dataset, 50, endpoint, pid); // The first run pays for compiling and for cold caches.
      for (let round = 0; round < ROUNDS; round += 1) {
        rates.openai.push(await bareLoop('openai', provider.url, calls, CONNECTIONS));
        rates.fetch.push(await bareLoop('fetch', provider.url, calls, CONNECTIONS));
        const run = await client.run(dataset, conversations, endpoint, pid);
        rates.assay.push(run.calls / run.seconds);
      }
    });
  } finally {
    await provider.stop();
  }
  const [openai, fetched, assay] = [median(rates.openai), median(rates.fetch), median(rates.assay)];
  const row = (name, rate) => [name, `${rate.toFixed(0)}/s`, (rate / openai).toFixed(2), (rate / fetched).toFixed(2)];
  table(
    `Calls per second at zero latency, ${CONNECTIONS} connections (bar: Assay at least 0.50 of the openai loop)`,
    ['', 'calls', 'of openai loop', 'of fetch loop'],
    [row('fetch loop', fetched), row('openai loop', openai), row('Assay', assay)],
  );
}

import { withService } from './place.js';
import { bareLoop, startProvider } from './programs.js';
import { percent, table } from './report.js';

const LATENCY_MS = 200;
/** Calls that the endpoint allows. */
const ALLOWED = [16, 64];

/** Wall time where only the model's latency and the endpoint's limit should count. */
export async function pace(bench) {
  const rows = [];
  const provider = await startProvider(LATENCY_MS);
  try {
    await withService(bench, 1_024, async ({ client, dataset, pid }) => {
      for (const allowed of ALLOWED) {
        const endpoint = await client.endpoint(provider.url, allowed);
        await client.run(dataset, allowed, endpoint, pid); // As above.
        const run = await client.run(dataset, allowed * 16, endpoint, pid);
        const ideal = (run.calls * LATENCY_MS) / 1000 / allowed;
        const bare = run.calls / (await bareLoop('openai', provider.url, run.calls, allowed));
        const over = (seconds) => `${seconds.toFixed(1)} s (+${percent(seconds / ideal - 1)})`;
        rows.push([String(allowed), String(run.calls), `${ideal.toFixed(1)} s`, over(bare), over(run.seconds)]);
      }
    });
  } finally {
    await provider.stop();
  }
  table(
    `Wall time at ${LATENCY_MS} ms latency (bar: within 5 % of calls × latency / calls allowed)`,
    ['calls allowed', 'calls', 'ideal', 'openai loop', 'Assay'],
    rows,
  );
}

/**
 * `npm run bench`: how much of the machine's speed Assay leaves to the models, and how fast it is read, as ratios and
 * times within one run.
 *
 *   npm run bench                         all parts; some 15 minutes and 6 GB in a temporary folder
 *   npm run bench -- throughput pace      some parts: throughput, pace, memory, feed, history
 *   npm run bench -- history --runs 20    a shorter history than 200 runs
 *   npm run bench -- --profile DIR        writes CPU profiles of the service into DIR
 *
 * See docs/performance.md.
 */
import { cpus } from 'node:os';
import { parseArgs } from 'node:util';
import { feed } from './feed.js';
import { history } from './history.js';
import { memory } from './memory.js';
import { pace } from './pace.js';
import { startBench } from './place.js';
import { throughput } from './throughput.js';

const options = { profile: { type: 'string' }, runs: { type: 'string', default: '200' } };
const { values, positionals } = parseArgs({ allowPositionals: true, options });
const parts = { throughput, pace, memory, feed, history };
const chosen = positionals.length > 0 ? positionals : Object.keys(parts);
const unknown = chosen.filter((part) => !(part in parts));
if (unknown.length > 0) throw new Error(`no part ${unknown.join(', ')}: choose from ${Object.keys(parts).join(', ')}`);
const bench = await startBench(values);
try {
  const processors = cpus();
  console.log(`Node ${process.version}, ${processors.length} × ${processors[0]?.model.trim()}`);
  for (const part of chosen) await parts[part](bench);
} finally {
  await bench.stop();
}

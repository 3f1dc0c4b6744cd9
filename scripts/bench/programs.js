/** Starts the programs that the benchmark measures, each in a process of its own. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { createInterface } from 'node:readline';

const root = path.resolve(import.meta.dirname, '../..');

function start(args, env = {}) {
  return spawn(process.execPath, args, {
    cwd: root,
    env: { ...process.env, NODE_ENV: 'production', ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
}

async function stop(child) {
  if (child.exitCode !== null) return;
  const exited = once(child, 'exit');
  child.kill('SIGTERM');
  await exited;
}

/** The first URL that the program prints. */
async function urlOf(child) {
  for await (const line of createInterface({ input: child.stdout })) {
    const url = /https?:\/\/[^\s/]+(\/v1)?/.exec(line)?.[0];
    if (url !== undefined) {
      child.stdout.resume();
      return url;
    }
  }
  throw new Error('a program of the benchmark ended before it answered');
}

/** A simulated provider whose every call takes `latencyMs`. */
export async function startProvider(latencyMs) {
  const flags = ['--latency-ms', String(latencyMs), '--latency-spread', '0', '--port', '0'];
  const child = start(['dist/simulator/main.js', ...flags]);
  return { url: await urlOf(child), stop: () => stop(child) };
}

/** Calls per second of a loop without Assay. */
export async function bareLoop(kind, baseUrl, calls, connections) {
  const child = start(['scripts/bench/bareLoop.js', kind, baseUrl, String(calls), String(connections)]);
  const chunks = [];
  child.stdout.on('data', (chunk) => chunks.push(chunk));
  const [code] = await once(child, 'exit');
  if (code !== 0) throw new Error(`the ${kind} loop failed`);
  return Number(Buffer.concat(chunks).toString());
}

/** The service on `databaseUrl`: API and workers in one process, as by default, unless `env` says otherwise. */
export async function startService(databaseUrl, dataDir, key, profile, env) {
  const flags = profile === undefined ? [] : ['--cpu-prof', `--cpu-prof-dir=${profile}`];
  const child = start([...flags, '--enable-source-maps', 'dist/server.js'], {
    DATABASE_URL: databaseUrl,
    ASSAY_DATA_DIR: dataDir,
    ASSAY_BOOTSTRAP_KEY: key,
    PORT: '0',
    LOG_LEVEL: 'warn',
    BASE_URL: '',
    MODEL_TEST: '',
    MODEL_GRADER: '',
    ...env,
  });
  return { url: await urlOf(child), pid: child.pid, stop: () => stop(child) };
}

/** Resolves when `count` subscribers of the run have their first batch; `result` when each has all `total` verdicts. */
export async function startSubscribers(url, key, runId, count, total) {
  const child = start(['scripts/bench/subscribers.js', url, key, runId, String(count), String(total)]);
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const next = async () => {
    const { done, value } = await lines.next();
    if (done) throw new Error('the subscribers ended early');
    return value;
  };
  if ((await next()) !== 'ready') throw new Error('the subscribers are not ready');
  return { result: async () => JSON.parse(await next()) };
}

/** Resident memory of a process in MB; 0 where the system does not tell. */
export async function residentMb(pid) {
  const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '');
  return Number(/VmRSS:\s+(\d+) kB/.exec(status)?.[1] ?? 0) / 1024;
}

/** What a process has used of the processors so far, in seconds; 0 where the system does not tell. */
export async function cpuSeconds(pid) {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '');
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  // Fields 14 and 15 in the manual page, in hundredths of a second.
  return (Number(fields[11] ?? 0) + Number(fields[12] ?? 0)) / 100;
}

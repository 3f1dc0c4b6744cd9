import { spawn } from 'node:child_process';
import { closeSync, openSync, readFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { CliError } from './cliError.js';

/** A program of the demo. */
export interface DemoProcess {
  /** Resolves when the program answers 200 at this URL; throws the signal's reason, or a CliError when it takes long. */
  ready(healthUrl: string, signal: AbortSignal): Promise<void>;
  /** Asks it to end, waits, and ends it by force after a while. */
  stop(): Promise<void>;
}

/** How long a program may take to answer (the first start sets up a database), and to end. */
const READY_TIMEOUT_MS = 120_000;
const STOP_TIMEOUT_MS = 30_000;

/**
 * Starts a built program with Node; what it writes goes to `log`. It gets a process group of its own: Ctrl-C in
 * the terminal reaches the demo alone, which then ends its programs in order.
 *
 * @param onDeath told when the program ends without having been asked to, with the end of its log
 */
export function startProcess(
  name: string,
  args: readonly string[],
  log: string,
  env: Readonly<Record<string, string>>,
  onDeath: (error: CliError) => void,
): DemoProcess {
  const file = openSync(log, 'w', 0o600);
  const child = spawn(process.execPath, args, {
    stdio: ['ignore', file, file],
    env: { ...process.env, ...env },
    detached: true,
  });
  closeSync(file);
  let asked = false;
  const ended = new Promise<void>((resolve) => {
    for (const event of ['exit', 'error']) child.once(event, () => resolve());
  });
  void ended.then(() => {
    if (!asked) onDeath(new CliError(`${name} has ended. The end of ${log}:\n${tail(log)}`));
  });
  const killWithDemo = () => void child.kill('SIGTERM');
  process.once('exit', killWithDemo);
  return {
    ready: (healthUrl, signal) => waitUntilReady({ name, log, healthUrl, signal }),
    stop: async () => {
      asked = true;
      child.kill('SIGTERM');
      const force = setTimeout(() => child.kill('SIGKILL'), STOP_TIMEOUT_MS);
      await ended;
      clearTimeout(force);
      process.removeListener('exit', killWithDemo);
    },
  };
}

async function waitUntilReady(waiting: {
  name: string;
  log: string;
  healthUrl: string;
  signal: AbortSignal;
}): Promise<void> {
  const { name, log, healthUrl, signal } = waiting;
  const deadline = Date.now() + READY_TIMEOUT_MS;
  for (;;) {
    signal.throwIfAborted();
    if (await answers(healthUrl)) return;
    if (Date.now() > deadline)
      throw new CliError(`${name} does not answer at ${healthUrl}. The end of ${log}:\n${tail(log)}`);
    await sleep(100);
  }
}

async function answers(url: string): Promise<boolean> {
  try {
    return (await fetch(url, { signal: AbortSignal.timeout(2000) })).ok;
  } catch {
    return false;
  }
}

function tail(log: string): string {
  return readFileSync(log, 'utf8').trimEnd().split('\n').slice(-20).join('\n');
}

/** The preferred port of 127.0.0.1 if it is free, else any free one. */
export async function freePort(preferred = 0): Promise<number> {
  return (await tryPort(preferred)) ?? (await tryPort(0)) ?? preferred;
}

function tryPort(port: number): Promise<number | null> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(null));
    server.listen(port, '127.0.0.1', () => {
      const address = server.address();
      server.close(() => resolve(typeof address === 'object' && address ? address.port : null));
    });
  });
}

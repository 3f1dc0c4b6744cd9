import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Assay } from './assay.js';

/** Real worker processes (`node dist/worker.js`) on the database of an Assay, ended by their own handles. */
export class WorkerProcesses {
  readonly #running = new Set<ChildProcess>();

  constructor(
    private readonly assay: Assay,
    private readonly program = 'worker',
  ) {}

  start(env: Record<string, string> = {}): ChildProcess {
    const child = spawn(process.execPath, [`dist/${this.program}.js`], {
      env: {
        PATH: process.env.PATH,
        DATABASE_URL: this.assay.databaseUrl,
        DATABASE_POOL: '8',
        ASSAY_DATA_DIR: this.assay.dataDir,
        ASSAY_MIGRATE: 'false',
        ASSAY_ALLOW_PRIVATE_ADDRESSES: 'true',
        LOG_LEVEL: 'fatal',
        PORT: '0',
        ...env,
      },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    this.#running.add(child);
    child.once('exit', () => this.#running.delete(child));
    return child;
  }

  get running(): ChildProcess[] {
    return [...this.#running];
  }

  /** Ends one at once, as a crash does. */
  async kill(child: ChildProcess): Promise<void> {
    const exited = once(child, 'exit');
    child.kill('SIGKILL');
    await exited;
  }

  async killAll(): Promise<void> {
    await Promise.all(this.running.map((child) => this.kill(child)));
  }
}

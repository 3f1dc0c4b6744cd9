import { ExpectedError } from './errors.js';
import { keepHeapSmall } from './platform/heap.js';
import type { Log } from './platform/log.js';

export interface RunningProcess {
  log: Log;
  stop(): Promise<void>;
}

/**
 * Starts a process and ends it gracefully on SIGTERM or SIGINT, with exit code 0; a second signal ends it
 * at once. A mistake in the settings prints its message alone and exits with 1.
 */
export async function runProcess(start: () => Promise<RunningProcess>): Promise<void> {
  keepHeapSmall();
  try {
    const running = await start();
    let stopping = false;
    for (const signal of ['SIGTERM', 'SIGINT'] as const) {
      process.on(signal, () => {
        if (stopping) process.exit(1);
        stopping = true;
        running.log.info({ signal }, 'stopping');
        running.stop().then(
          () => process.exit(0),
          (error) => {
            running.log.fatal({ err: error }, 'could not stop in order');
            process.exit(1);
          },
        );
      });
    }
  } catch (error) {
    process.stderr.write(`${error instanceof ExpectedError ? error.message : ((error as Error).stack ?? error)}\n`);
    process.exit(1);
  }
}

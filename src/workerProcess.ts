import { readConfig } from './config.js';
import { openServices } from './openServices.js';
import { createLog } from './platform/log.js';
import { runProcess } from './runProcess.js';
import { startWorkers } from './startWorkers.js';

/** Workers without the API: any number of these share one database. */
export const runWorker = () =>
  runProcess(async () => {
    const config = readConfig({ ASSAY_ROLE: 'worker' });
    const log = createLog(config.logLevel);
    const services = await openServices(config, log);
    const workers = startWorkers(services);
    log.info('worker started');
    return {
      log,
      async stop() {
        await workers.stop(config.drainMs);
        await services.close();
      },
    };
  });

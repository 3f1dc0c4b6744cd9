import { endOnOldNode } from './nodeVersion.js';

endOnOldNode();
// Only now: on an older Node.js much of it would not even load.
const { runWorker } = await import('./workerProcess.js');
await runWorker();

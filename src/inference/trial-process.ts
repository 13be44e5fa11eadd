/** The process that `trial.ts` starts: loads and warms the model in the folder it is given, says what came of it. */
import { Worker } from 'node:worker_threads';
import { load } from './thread.ts';

const [folder = '', limitMs = '0'] = process.argv.slice(2);

// A model that never returns would outlive a service that was killed: this thread ends the process then.
const watch = `setTimeout(() => process.kill(process.pid, 'SIGKILL'), ${2 * Number(limitMs)})`;
new Worker(watch, { eval: true }).unref();

process.send?.(await load({ key: 'trial', folder }));

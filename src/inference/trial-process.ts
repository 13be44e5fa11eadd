/** The process that `trial.ts` starts: loads and warms the model in the folder it is given, says what came of it. */
import { load } from './thread.ts';

const [folder = ''] = process.argv.slice(2);
process.send?.(await load({ key: 'trial', folder }));

import { fork } from 'node:child_process';
import { once } from 'node:events';
import type { ModelShape, Reply } from './thread.ts';

/**
 * Loads and warms a model in a process of its own, before any thread touches it. A thread that hangs in a model cannot
 * be stopped, and one that crashes in it takes the service down; a child process can be killed, and dies alone.
 * @param limitMs after which the process is killed and the model refused
 * @param signal kills the process, and this throws
 */
export async function tryModel(
  folder: string,
  limitMs: number,
  signal: AbortSignal,
): Promise<Reply<ModelShape>> {
  const child = fork(new URL('./trial-process.ts', import.meta.url), [folder, String(limitMs)], {
    serialization: 'advanced',
    execArgv: [],
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    timeout: limitMs,
    signal,
    killSignal: 'SIGKILL',
  });
  let reply: Reply<ModelShape> | undefined;
  child.once('message', (message) => {
    reply = message as Reply<ModelShape>;
    child.kill('SIGKILL'); // it has nothing left to do, and its own exit would unload the library first
  });
  const [code, endedBy] = (await once(child, 'close')) as [number | null, string | null];
  if (reply !== undefined) return reply;
  return child.killed
    ? refused(`did not load and warm within ${limitMs / 1000} s`)
    : refused(`ended the process that tried it (${endedBy ?? code})`);
}

function refused(why: string): Reply<ModelShape> {
  return { ok: false, code: 'MODEL_REFUSED', message: `The model ${why}.` };
}

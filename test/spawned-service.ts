import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { onTestFinished } from 'vitest';
import { clientOf, type ServiceClient } from './service.ts';

export interface SpawnedService extends ServiceClient {
  readonly process: ChildProcess;
  /** Settles when the process has ended, with its code and the signal that ended it. */
  readonly exited: Promise<Exit>;
  /** What the process has written so far, line by line. */
  readonly output: readonly string[];
}

export type Exit = readonly [code: number | null, signal: string | null];

/** Starts `src/main.ts` as a process, on a free port; it is killed when the running test ends. */
export async function spawnService(settings: Record<string, string> = {}): Promise<SpawnedService> {
  const { child, exited, output } = spawnMain({ HOST: '127.0.0.1', PORT: '0', ...settings });
  const url = await new Promise<string>((resolve, reject) => {
    const look = () => {
      const listening = output.map((line) => /listening at (http:\S+?)"/.exec(line)?.[1]).find(Boolean);
      if (listening !== undefined) resolve(listening);
    };
    child.stdout!.on('data', () => setImmediate(look));
    child.once('exit', (code) => reject(new Error(`The service ended with ${code}: ${output.join('\n')}`)));
  });
  return { ...clientOf(url), process: child, exited, output };
}

/** Starts `src/main.ts` with nothing but these variables. */
export function spawnMain(env: Record<string, string>): {
  child: ChildProcess;
  exited: Promise<Exit>;
  output: string[];
} {
  const root = join(import.meta.dirname, '..');
  const child = spawn(process.execPath, ['src/main.ts'], {
    cwd: root,
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const output: string[] = [];
  const exited = once(child, 'close') as Promise<unknown> as Promise<Exit>;
  for (const stream of [child.stdout, child.stderr])
    createInterface(stream).on('line', (line) => output.push(line));
  onTestFinished(async () => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    child.kill('SIGKILL');
    await exited;
  });
  return { child, exited, output };
}

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:net';

/** A server in a process of its own, so that it and the load share nothing but the machine. */
export interface BenchServer extends AsyncDisposable {
  readonly url: string;
}

/** Starts the service with its defaults, on a free port, and waits until it is healthy. */
export async function startService(settings: Record<string, string> = {}): Promise<BenchServer> {
  const port = await freePort();
  const env = { ...process.env, HOST: '127.0.0.1', PORT: String(port), ...settings };
  const child = spawn(process.execPath, ['src/main.ts'], { env, stdio: ['ignore', 'ignore', 'inherit'] });
  const url = `http://127.0.0.1:${port}`;
  await healthy(`${url}/healthcheck/`, child);
  return { url, [Symbol.asyncDispose]: () => stop(child) };
}

/** Starts the baseline; it answers with these two bodies. */
export async function startBare(predictJson: string, precomputedJson: string): Promise<BenchServer> {
  const child = spawn(process.execPath, ['bench/bare-server.ts', predictJson, precomputedJson], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [line] = (await once(child.stdout, 'data')) as [Buffer];
  const { port } = JSON.parse(line.toString()) as { port: number };
  return { url: `http://127.0.0.1:${port}`, [Symbol.asyncDispose]: () => stop(child) };
}

async function healthy(url: string, child: ChildProcess): Promise<void> {
  for (let tries = 0; tries < 200; tries++) {
    if (child.exitCode !== null) throw new Error(`The service ended with code ${child.exitCode}.`);
    const answer = await fetch(url).catch(() => undefined);
    if (answer?.ok) return;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  throw new Error('The service was not healthy within 10 s.');
}

async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  child.kill('SIGTERM');
  await once(child, 'exit');
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as { port: number };
  server.close();
  await once(server, 'close');
  return port;
}

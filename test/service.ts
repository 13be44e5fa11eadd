import { cp, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Writable } from 'node:stream';
import { pino } from 'pino';
import { onTestFinished } from 'vitest';
import { compose } from '../src/compose.ts';
import { readConfig } from '../src/config.ts';

export const fixtures = join(import.meta.dirname, '..', 'fixtures');

/** An answer with its body already read; `body` is the JSON, or the text where it is none. */
export interface Answer<Body = never> {
  readonly status: number;
  readonly headers: Headers;
  readonly body: Body;
}

/** Asks a service as a client does. */
export interface ServiceClient {
  readonly url: string;
  // biome-ignore lint/suspicious/noExplicitAny: the body of any route
  get<Body = any>(path: string, init?: RequestInit): Promise<Answer<Body>>;
  // biome-ignore lint/suspicious/noExplicitAny: the body of any route
  post<Body = any>(path: string, body: unknown, init?: RequestInit): Promise<Answer<Body>>;
}

/** The whole service on a real port: real threads, real models, real tables. */
export interface RunningService extends ServiceClient, AsyncDisposable {
  /** The log lines so far, parsed. */
  readonly logs: readonly Record<string, unknown>[];
  /** Settles when tables and models were looked at. */
  readonly loaded: Promise<unknown>;
}

/** Starts the service with its defaults on a free port, `settings` over them. */
export async function startService(settings: Record<string, string> = {}): Promise<RunningService> {
  const logs: Record<string, unknown>[] = [];
  const lines = new Writable({
    write(line, _encoding, done) {
      logs.push(JSON.parse(line));
      done();
    },
  });
  const config = readConfig({ HOST: '127.0.0.1', PORT: '0', ...settings });
  const service = await compose(config, pino({ level: config.LOG_LEVEL }, lines));
  const url = await service.app.listen({ host: config.HOST, port: config.PORT });

  const { loaded } = service;
  return { ...clientOf(url), logs, loaded, [Symbol.asyncDispose]: () => service[Symbol.asyncDispose]() };
}

export function clientOf(url: string): ServiceClient {
  const get: ServiceClient['get'] = async (path, init) => {
    const answer = await fetch(url + path, { redirect: 'manual', ...init });
    const text = await answer.text();
    const isJson = answer.headers.get('content-type')?.startsWith('application/json');
    return { status: answer.status, headers: answer.headers, body: isJson ? JSON.parse(text) : text };
  };
  const post: ServiceClient['post'] = (path, body, init) => {
    const headers = { 'content-type': 'application/json' };
    const text = typeof body === 'string' ? body : JSON.stringify(body);
    return get(path, { method: 'POST', headers, body: text, ...init });
  };
  return { url, get, post };
}

/** As `startService`, loaded, and closed when the running test ends. */
export async function serviceForTest(settings: Record<string, string> = {}): Promise<RunningService> {
  const service = await startService(settings);
  onTestFinished(() => service[Symbol.asyncDispose]());
  await service.loaded;
  return service;
}

/** A folder that is gone when the running test ends. */
export async function temporaryFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'match-outcome-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

/** A registry in a folder of its own with these aliases, its versions copied from model files or model folders. */
export async function registryOf(
  versions: Record<string, string>,
  aliases: Record<string, string>,
): Promise<string> {
  const registry = await temporaryFolder();
  for (const [version, source] of Object.entries(versions)) await addVersion(registry, version, source);
  await setAliases(registry, aliases);
  return registry;
}

export async function addVersion(registry: string, version: string, source: string): Promise<void> {
  const folder = join(registry, 'match-outcome', version);
  await cp(source, source.endsWith('.onnx') ? join(folder, 'model.onnx') : folder, { recursive: true });
}

export async function setAliases(registry: string, aliases: Record<string, string>): Promise<void> {
  await writeFile(join(registry, 'match-outcome', 'aliases.json'), JSON.stringify(aliases));
}

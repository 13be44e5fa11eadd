import { execFile, spawnSync } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** The requests of a scenario; the load generator goes through them in turn. */
export interface Requests {
  readonly method: 'GET' | 'POST';
  readonly paths: readonly string[];
  readonly body?: string;
}

export interface Measured {
  readonly requestsPerSecond: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  /** Answers other than 2xx, and connections that failed. */
  readonly errors: number;
}

export interface LoadGenerator {
  readonly name: string;
  /** Keeps `connections` connections busy for `seconds`. */
  measure(url: string, requests: Requests, connections: number, seconds: number): Promise<Measured>;
}

/** wrk where the machine has it; else autocannon, which is slower than a fast server and so flattens differences. */
export function loadGenerator(): LoadGenerator {
  return spawnSync('wrk', ['-v']).error === undefined ? wrk : autocannon;
}

const wrk: LoadGenerator = {
  name: 'wrk',
  async measure(url, { method, paths, body }, connections, seconds) {
    const folder = await mkdtemp(join(tmpdir(), 'bench-'));
    const script = join(folder, 'requests.lua');
    await writeFile(script, luaScript(method, paths, body));
    try {
      const options = ['-t1', `-c${connections}`, `-d${seconds}s`, '--timeout', '30s', '-s', script, url];
      return readWrk((await run('wrk', options)).stdout);
    } finally {
      await rm(folder, { recursive: true });
    }
  },
};

/** The requests are written out before the run, so that the script costs next to nothing while it runs. */
function luaScript(method: string, paths: readonly string[], body: string | undefined): string {
  const headers = body === undefined ? '{}' : '{["Content-Type"]="application/json"}';
  const content = body === undefined ? 'nil' : `[==[${body}]==]`;
  return `
    local requests, next_request = {}, 0
    init = function()
      for i, path in ipairs({${paths.map((path) => `"${path}"`).join(',')}}) do
        requests[i] = wrk.format("${method}", path, ${headers}, ${content})
      end
    end
    request = function()
      next_request = next_request % #requests + 1
      return requests[next_request]
    end
    done = function(summary, latency)
      local e = summary.errors
      io.write(string.format('RESULT {"requests":%d,"microseconds":%d,"p50":%d,"p99":%d,"errors":%d}\\n',
        summary.requests, summary.duration, latency:percentile(50), latency:percentile(99),
        e.connect + e.read + e.write + e.status + e.timeout))
    end`;
}

function readWrk(output: string): Measured {
  const result = /RESULT (.*)/.exec(output)?.[1];
  if (result === undefined) throw new Error(`wrk gave no result: ${output}`);
  const { requests, microseconds, p50, p99, errors } = JSON.parse(result) as Record<string, number>;
  const requestsPerSecond = (requests! - errors!) / (microseconds! / 1e6);
  return { requestsPerSecond, p50Ms: p50! / 1000, p99Ms: p99! / 1000, errors: errors! };
}

const autocannon: LoadGenerator = {
  name: 'autocannon (tops out earlier than wrk: ratios near 1 say little)',
  async measure(url, { method, paths, body }, connections, seconds) {
    const { default: cannon } = await import('autocannon');
    const headers = { 'content-type': 'application/json' };
    const requests = paths.map((path) => ({ method, path, ...(body !== undefined && { body, headers }) }));
    const result = await cannon({ url, connections, duration: seconds, requests, timeout: 30 });
    return {
      requestsPerSecond: result['2xx'] / result.duration,
      p50Ms: result.latency.p50,
      p99Ms: result.latency.p99,
      errors: result.non2xx + result.errors,
    };
  },
};

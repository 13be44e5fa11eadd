/**
 * `npm run bench`: what the service costs beside a Fastify that answers the same JSON as a constant. The two are measured
 * in turn, several times, on the same machine in the same run; a ratio is the median of the pairs' ratios.
 */
import { cpus } from 'node:os';
import { type LoadGenerator, loadGenerator, type Measured, type Requests } from './load.ts';
import { type BenchServer, startBare, startService } from './servers.ts';

const PAIRS = Number(process.env.BENCH_PAIRS ?? 5);
const SECONDS = Number(process.env.BENCH_SECONDS ?? 4);

interface Scenario {
  readonly name: string;
  readonly requests: Requests;
  readonly connections: number;
  /** Smallest ratio of throughput to the baseline's that we accept of ourselves, where we have set one. */
  readonly goal?: number;
}

const service = await startService();
const scenarios = await scenariosOf(service);
const answers = await Promise.all(['POST', 'GET'].map((method) => sampleAnswer(service, scenarios, method)));
const bare = await startBare(answers[0]!, answers[1]!);
const generator = loadGenerator();
console.log(`Load: ${generator.name}. Node ${process.version}, ${cpus().length} × ${cpus()[0]?.model}.`);
console.log(`Each: median of ${PAIRS} alternating pairs of ${SECONDS} s, after one that does not count.\n`);
const rows: Record<string, string>[] = [];
for (const scenario of scenarios) rows.push(await compare(generator, scenario, service, bare));
console.table(rows);
await Promise.all([service[Symbol.asyncDispose](), bare[Symbol.asyncDispose]()]);

async function scenariosOf({ url }: BenchServer): Promise<Scenario[]> {
  const get = async <Body>(path: string) => (await fetch(url + path)).json() as Promise<Body>;
  const matches = await get<{ match_id: number }[]>('/predict/matches/');
  const { feature_names } = await get<{ feature_names: string[] }>('/predict/model/info');
  const ids = matches.slice(0, 40).map(({ match_id }) => match_id);
  const features = Object.fromEntries(feature_names.map((name, i) => [name, 1.25 + i]));
  const body = JSON.stringify({ match_id: ids[0], features });
  const lookUps = ids.map((id) => `/predict/${id}`);
  const precomputed = ids.map((id) => `/predict/precomputed/${id}`);
  return [
    {
      name: 'POST /predict/',
      requests: { method: 'POST', paths: ['/predict/'], body },
      connections: 64,
      goal: 0.5,
    },
    { name: 'GET /predict/{id}', requests: { method: 'GET', paths: lookUps }, connections: 64 },
    {
      name: 'GET /predict/precomputed/{id}',
      requests: { method: 'GET', paths: precomputed },
      connections: 64,
      goal: 0.7,
    },
  ];
}

/** What the service itself answers to the method's last scenario: of all its answers the one of median length. */
async function sampleAnswer({ url }: BenchServer, all: readonly Scenario[], method: string): Promise<string> {
  const { paths, body } = all.findLast(({ requests }) => requests.method === method)!.requests;
  const headers = { 'content-type': 'application/json' };
  const answers = await Promise.all(
    paths.map(async (path) => {
      const answer = await fetch(url + path, { method, ...(body !== undefined && { body, headers }) });
      if (!answer.ok) throw new Error(`${method} ${path} answered ${answer.status}: ${await answer.text()}`);
      return answer.text();
    }),
  );
  return answers.sort((a, b) => Buffer.byteLength(a) - Buffer.byteLength(b))[answers.length >> 1]!;
}

async function compare(
  { measure }: LoadGenerator,
  { name, requests, connections, goal }: Scenario,
  measured: BenchServer,
  baseline: BenchServer,
): Promise<Record<string, string>> {
  const pairs: [Measured, Measured][] = [];
  for (let pair = 0; pair <= PAIRS; pair++) {
    const ours = await measure(measured.url, requests, connections, SECONDS);
    const theirs = await measure(baseline.url, requests, connections, SECONDS);
    if (ours.errors + theirs.errors > 0) throw new Error(`${name}: ${ours.errors} + ${theirs.errors} errors`);
    if (pair > 0) pairs.push([ours, theirs]);
  }
  const ours = (pick: (one: Measured) => number) => median(pairs.map(([one]) => pick(one)));
  const theirs = (pick: (one: Measured) => number) => median(pairs.map(([, one]) => pick(one)));
  const ratios = pairs.map(([one, other]) => one.requestsPerSecond / other.requestsPerSecond);
  const ratio = median(ratios);
  return {
    scenario: `${name}, ${connections} connections`,
    'req/s': ours((one) => one.requestsPerSecond).toFixed(0),
    'bare req/s': theirs((one) => one.requestsPerSecond).toFixed(0),
    ratio: `${ratio.toFixed(2)} (${Math.min(...ratios).toFixed(2)}–${Math.max(...ratios).toFixed(2)})`,
    goal: goal === undefined ? '' : `≥ ${goal} ${ratio >= goal ? 'reached' : 'MISSED'}`,
    'p50 ms': `${ours((one) => one.p50Ms).toFixed(2)} / ${theirs((one) => one.p50Ms).toFixed(2)}`,
    'p99 ms': `${ours((one) => one.p99Ms).toFixed(2)} / ${theirs((one) => one.p99Ms).toFixed(2)}`,
  };
}

function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  return (sorted[Math.floor((sorted.length - 1) / 2)]! + sorted[Math.ceil((sorted.length - 1) / 2)]!) / 2;
}

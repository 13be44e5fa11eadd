import { expect, test } from 'vitest';
import { EmbeddedQueue } from '../../src/tasks/embedded-queue.ts';
import { ManualRunner, predictionOf, predictJob } from './manual-runner.ts';
import { describeTaskQueue } from './task-queue.contract.ts';

describeTaskQueue('the embedded queue', async (options) => {
  return new EmbeddedQueue({ ...options, resultTtlMs: 60_000, maxResults: 100 });
});

function queueOf(kept: { resultTtlMs: number; maxResults: number }): EmbeddedQueue {
  const runner = new ManualRunner();
  runner.answer = (job) => ({ ok: true, value: predictionOf((job as { matchId: number }).matchId) });
  const policy = { retries: 0, delayMs: 0 };
  const policies = { predict_match: policy, get_model_info: policy };
  return new EmbeddedQueue({ runner, policies, syncTimeoutMs: 1000, maxOpen: 10, ...kept });
}

test('the oldest results go when more than the limit are kept', async () => {
  const queue = queueOf({ resultTtlMs: 60_000, maxResults: 2 });
  const ids = [];
  for (const matchId of [1, 2, 3]) ids.push(await queue.submit(predictJob(matchId)));
  const known = await Promise.all(ids.map((id) => queue.status(id)));
  expect(known.map((status) => status.known)).toEqual([false, true, true]);
});

test('a result is forgotten when its time is over', async () => {
  const queue = queueOf({ resultTtlMs: 30, maxResults: 10 });
  const id = await queue.submit(predictJob(1));
  expect((await queue.status(id)).state).toBe('SUCCESS');
  await expect.poll(() => queue.status(id)).toMatchObject({ state: 'PENDING', known: false });
});

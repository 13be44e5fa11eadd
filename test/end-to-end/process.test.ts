import { join } from 'node:path';
import { expect, test } from 'vitest';
import { fixtures, registryOf } from '../service.ts';
import { spawnMain, spawnService } from '../spawned-service.ts';

test('settings that are wrong stop the process at its start, all of them told', async () => {
  const { exited, output } = spawnMain({ PORT: 'http', MAX_QUEUE: '-1', MODEL_STAGE: 'Staging' });
  expect(await exited).toEqual([1, null]);
  expect(output.join('\n')).toMatch(/PORT=http.*\n.*MAX_QUEUE=-1/);
});

test('a default stage that no thread serves stops the process at its start', async () => {
  const { exited, output } = spawnMain({ MODEL_STAGE: 'challenger' });
  expect(await exited).toEqual([1, null]);
  expect(output.join('\n')).toMatch(/MODEL_STAGE=challenger: not one of MODEL_STAGES \(champion\)/);
});

test('a port that is taken stops the process at its start', async () => {
  const first = await spawnService();
  const { exited, output } = spawnMain({ HOST: '127.0.0.1', PORT: new URL(first.url).port });
  expect(await exited).toEqual([1, null]);
  expect(output.join('\n')).toMatch(/EADDRINUSE/);
});

test.each(['SIGTERM', 'SIGINT'] as const)(
  '%s ends the process with code 0, what it has taken is answered',
  async (signal) => {
    const service = await spawnService();
    await expect.poll(async () => (await service.get('/healthcheck/')).status, { timeout: 10_000 }).toBe(200);
    const taken = Array.from({ length: 50 }, (_, id) =>
      service.post('/predict/', { match_id: id, features: {} }),
    );
    await Promise.race(taken); // the first is answered: the others are on their way
    service.process.kill(signal);
    const answers = await Promise.allSettled(taken);
    expect(await service.exited).toEqual([0, null]);
    for (const answer of answers) {
      // A connection that the server had not read from yet may be refused; an answer is never wrong.
      if (answer.status === 'fulfilled') expect([200, 503]).toContain(answer.value.status);
    }
  },
);

test('a thread that is stuck in a model does not keep the process from ending', async () => {
  const registry = await registryOf(
    { 1: join(fixtures, 'test-models/loops-when-negative.onnx') },
    { champion: '1' },
  );
  const settings = { MODEL_REGISTRY_DIR: registry, SYNC_TIMEOUT_SECONDS: '0.3', SHUTDOWN_GRACE_SECONDS: '1' };
  const service = await spawnService(settings);
  await expect.poll(async () => (await service.get('/healthcheck/')).status, { timeout: 10_000 }).toBe(200);
  const stuck = await service.post('/predict/', { match_id: 1, features: { a: -1e9, b: 1 } });
  expect(stuck.status).toBe(504);
  service.process.kill('SIGTERM');
  // Not SIGABRT: that would be the model library, torn down while it runs.
  expect(await service.exited).toEqual([null, 'SIGKILL']);
  await expect.poll(() => service.output.join('\n')).toMatch(/did not end within 1 s/);
});

import { describe, expect, test } from 'vitest';
import type { JobRunner } from '../../src/inference/job-runner.ts';
import type { RetryPolicies } from '../../src/tasks/retry-policy.ts';
import type { TaskQueue } from '../../src/tasks/task-queue.ts';
import { failure, ManualRunner, predictionOf, predictJob } from './manual-runner.ts';

export interface QueueUnderTest {
  readonly runner: JobRunner;
  readonly policies: RetryPolicies;
  readonly syncTimeoutMs: number;
  readonly maxOpen: number;
}

/** What every adapter of the TaskQueue port does. `open` gives a queue of its own, closed after the test. */
export function describeTaskQueue(name: string, open: (options: QueueUnderTest) => Promise<TaskQueue>): void {
  const setUp = async (options: Partial<QueueUnderTest> & { delayMs?: number } = {}) => {
    const runner = new ManualRunner();
    const { delayMs = 1 } = options;
    const queue = await open({
      runner,
      policies: { predict_match: { retries: 2, delayMs }, get_model_info: { retries: 1, delayMs } },
      syncTimeoutMs: 10_000,
      maxOpen: 100,
      ...options,
    });
    return { runner, queue };
  };
  const stateOf = (queue: TaskQueue, id: string) => queue.status(id).then(({ state }) => state);

  describe(`${name} as a TaskQueue`, () => {
    test('run gives the value of its own job and of no other', async () => {
      const { runner, queue } = await setUp();
      const first = queue.run(predictJob(1));
      const second = queue.run(predictJob(2));
      await expect.poll(() => runner.waiting.length).toBe(2);
      runner.next({ ok: true, value: predictionOf(1) });
      runner.next({ ok: true, value: predictionOf(2) });
      expect((await first).matchId).toBe(1);
      expect((await second).matchId).toBe(2);
    });

    test('a submitted task goes from PENDING over PROGRESS to SUCCESS, and keeps its result', async () => {
      const { runner, queue } = await setUp();
      const id = await queue.submit(predictJob(7));
      expect(await queue.status(id)).toMatchObject({
        taskId: id,
        state: 'PENDING',
        known: true,
        result: null,
      });
      await expect.poll(() => runner.waiting.length).toBe(1);
      runner.waiting[0]!.started('champion');
      await expect.poll(() => stateOf(queue, id)).toBe('PROGRESS');
      expect((await queue.status(id)).progress).toBe('predicting match 7 with stage champion');
      runner.waiting[0]!.settled({ ok: true, value: predictionOf(7) });
      await expect.poll(() => stateOf(queue, id)).toBe('SUCCESS');
      const status = await queue.status(id);
      expect(status.result).toEqual(predictionOf(7));
      expect(status.doneAt).toMatch(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/);
      expect(status).toMatchObject({ progress: null, error: null, known: true });
    });

    test('a failure of the ValueError class is final at the first attempt', async () => {
      for (const code of ['INVALID_INPUT', 'INVALID_PROBABILITIES']) {
        const { runner, queue } = await setUp();
        runner.answer = () => failure(code, 'unknown stage');
        await expect(queue.run(predictJob(1))).rejects.toMatchObject({
          code: 'TASK_FAILED',
          message: 'unknown stage',
        });
        expect(runner.attempts).toBe(1);
      }
    });

    test('any other failure of predict_match is tried 2 times again, then is FAILURE with its cause', async () => {
      const { runner, queue } = await setUp();
      runner.answer = () => failure('RUN_FAILED', 'boom');
      const id = await queue.submit(predictJob(1));
      await expect.poll(() => stateOf(queue, id)).toBe('FAILURE');
      expect(runner.attempts).toBe(3);
      expect(await queue.status(id)).toMatchObject({ error: 'boom', result: null, known: true });
    });

    test('get_model_info is tried 1 time again', async () => {
      const { runner, queue } = await setUp();
      runner.answer = () => failure('MODEL_UNAVAILABLE');
      await expect(queue.run({ name: 'get_model_info', stage: undefined })).rejects.toMatchObject({
        code: 'TASK_FAILED',
      });
      expect(runner.attempts).toBe(2);
    });

    test('a task that waits for its retry is RETRY with the cause, and SUCCESS when the retry works', async () => {
      const { runner, queue } = await setUp({ delayMs: 50 });
      const id = await queue.submit(predictJob(3));
      await expect.poll(() => runner.waiting.length).toBe(1);
      runner.next(failure('RUN_FAILED', 'first time'));
      await expect
        .poll(() => queue.status(id))
        .toMatchObject({ state: 'RETRY', error: 'first time', progress: null });
      await expect.poll(() => runner.waiting.length).toBe(1);
      runner.next({ ok: true, value: predictionOf(3) });
      await expect.poll(() => stateOf(queue, id)).toBe('SUCCESS');
      expect((await queue.status(id)).error).toBeNull();
    });

    test('run gives up after its limit, and the task is then never run', async () => {
      const { runner, queue } = await setUp({ syncTimeoutMs: 20 });
      await expect(queue.run(predictJob(1))).rejects.toMatchObject({ code: 'TASK_TIMEOUT' });
      expect(runner.waiting[0]?.wanted ?? false).toBe(false);
    });

    test('a task that is given up while it waits for a retry is not tried again', async () => {
      const { runner, queue } = await setUp({ syncTimeoutMs: 20, delayMs: 60_000 });
      runner.answer = () => failure('RUN_FAILED');
      await expect(queue.run(predictJob(1))).rejects.toMatchObject({ code: 'TASK_TIMEOUT' });
      expect(runner.attempts).toBe(1);
      await queue.drain(); // would wait a minute for a task that is still open
    });

    test('a full queue refuses, and takes again when there is room', async () => {
      const { runner, queue } = await setUp({ maxOpen: 2 });
      const taken = [queue.run(predictJob(1)), queue.run(predictJob(2))];
      await expect(queue.run(predictJob(3))).rejects.toMatchObject({ code: 'QUEUE_FULL' });
      await expect(queue.submit(predictJob(3))).rejects.toMatchObject({ code: 'QUEUE_FULL' });
      runner.next({ ok: true, value: predictionOf(1) });
      runner.next({ ok: true, value: predictionOf(2) });
      await Promise.all(taken);
      await expect(queue.submit(predictJob(4))).resolves.toEqual(expect.any(String));
    });

    test('tasks that were given up leave room', async () => {
      const { queue } = await setUp({ maxOpen: 1, syncTimeoutMs: 10 });
      await expect(queue.run(predictJob(1))).rejects.toMatchObject({ code: 'TASK_TIMEOUT' });
      await expect(queue.run(predictJob(2))).rejects.toMatchObject({ code: 'TASK_TIMEOUT' });
    });

    test('an id that was never given out is PENDING and not known', async () => {
      const { queue } = await setUp();
      expect(await queue.status('no-such-task')).toMatchObject({
        state: 'PENDING',
        known: false,
        result: null,
      });
    });

    test('drain waits for what was taken and takes nothing more', async () => {
      const { runner, queue } = await setUp();
      const taken = queue.run(predictJob(1));
      await expect.poll(() => runner.waiting.length).toBe(1);
      let drained = false;
      const drain = queue.drain().then(() => {
        drained = true;
      });
      await expect(queue.run(predictJob(2))).rejects.toMatchObject({ code: 'QUEUE_CLOSED' });
      expect(drained).toBe(false);
      runner.next({ ok: true, value: predictionOf(1) });
      await drain;
      expect((await taken).matchId).toBe(1);
    });
  });
}

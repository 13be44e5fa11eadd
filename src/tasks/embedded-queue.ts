import type { Job, JobName, JobOutcome, JobValues } from '../inference/job.ts';
import type { JobRunner } from '../inference/job-runner.ts';
import { EmbeddedTask } from './embedded-task.ts';
import type { RetryPolicies } from './retry-policy.ts';
import { QueueClosedError, QueueFullError, TaskFailedError, TaskTimeoutError } from './task-errors.ts';
import type { TaskQueue, TaskStatus } from './task-queue.ts';

export interface EmbeddedQueueOptions {
  readonly runner: JobRunner;
  readonly policies: RetryPolicies;
  /** How long `run` waits for a value. */
  readonly syncTimeoutMs: number;
  /** Most tasks that are open (waiting, running, or between two attempts) at once. */
  readonly maxOpen: number;
  readonly resultTtlMs: number;
  /** Most finished tasks whose result is kept. */
  readonly maxResults: number;
}

/** The queue of one process: everything is in memory, nothing survives it. */
export class EmbeddedQueue implements TaskQueue {
  readonly #options: EmbeddedQueueOptions;
  /** Tasks that have not ended. */
  readonly #open = new Set<EmbeddedTask>();
  /** The open tasks that somebody holds an id of; a subset of `#open`. */
  readonly #submitted = new Map<string, EmbeddedTask>();
  /** Id → how the task ended, in the order in which they ended. */
  readonly #finished = new Map<string, Finished>();
  #draining: PromiseWithResolvers<void> | undefined;

  constructor(options: EmbeddedQueueOptions) {
    this.#options = options;
  }

  run<Name extends JobName>(job: Extract<Job, { name: Name }>): Promise<JobValues[Name]> {
    return new Promise((resolve, reject) => {
      const { syncTimeoutMs } = this.#options;
      const task = this.#take(job, (outcome) => {
        clearTimeout(timer);
        if (outcome?.ok) resolve(outcome.value as JobValues[Name]);
        else if (outcome !== undefined) reject(new TaskFailedError(outcome.message));
      });
      const timer = setTimeout(() => {
        task.giveUp();
        reject(new TaskTimeoutError(`No result of ${job.name} within ${syncTimeoutMs / 1000} s.`));
      }, syncTimeoutMs);
      task.attempt();
    });
  }

  async submit(job: Job): Promise<string> {
    const task = this.#take(job, (outcome) => {
      this.#submitted.delete(task.id);
      if (outcome !== undefined) this.#keep(task.id, outcome);
    });
    this.#submitted.set(task.id, task);
    task.attempt();
    return task.id;
  }

  async status(taskId: string): Promise<TaskStatus> {
    const task = this.#submitted.get(taskId);
    if (task !== undefined) {
      const { state, progress, error } = task;
      return { taskId, state, result: null, progress, error, doneAt: null, known: true };
    }
    this.#forgetExpired();
    return this.#finished.get(taskId)?.status ?? unknownTask(taskId);
  }

  drain(): Promise<void> {
    this.#draining ??= Promise.withResolvers();
    if (this.#open.size === 0) this.#draining.resolve();
    return this.#draining.promise;
  }

  #take(job: Job, ended: (outcome: JobOutcome | undefined) => void): EmbeddedTask {
    const { runner, policies, maxOpen } = this.#options;
    if (this.#draining !== undefined) throw new QueueClosedError('The service is shutting down.');
    if (this.#open.size >= maxOpen) {
      throw new QueueFullError(`The task queue is full (${maxOpen} tasks). Try again in a moment.`);
    }
    const task = new EmbeddedTask(job, runner, policies[job.name], (outcome) => {
      this.#open.delete(task);
      ended(outcome);
      if (this.#open.size === 0) this.#draining?.resolve();
    });
    this.#open.add(task);
    return task;
  }

  #keep(taskId: string, outcome: JobOutcome): void {
    const status: TaskStatus = {
      taskId,
      state: outcome.ok ? 'SUCCESS' : 'FAILURE',
      result: outcome.ok ? outcome.value : null,
      progress: null,
      error: outcome.ok ? null : outcome.message,
      doneAt: new Date().toISOString(),
      known: true,
    };
    this.#finished.set(taskId, { status, expiresAt: performance.now() + this.#options.resultTtlMs });
    this.#forgetExpired();
  }

  /** The map is in the order in which tasks ended, which is the order in which they expire. */
  #forgetExpired(): void {
    const now = performance.now();
    for (const [taskId, { expiresAt }] of this.#finished) {
      if (expiresAt > now && this.#finished.size <= this.#options.maxResults) return;
      this.#finished.delete(taskId);
    }
  }
}

interface Finished {
  readonly status: TaskStatus;
  /** Milliseconds on the clock of `performance.now`. */
  readonly expiresAt: number;
}

/** Celery answers the same for an id that was never given out. */
function unknownTask(taskId: string): TaskStatus {
  return { taskId, state: 'PENDING', result: null, progress: null, error: null, doneAt: null, known: false };
}

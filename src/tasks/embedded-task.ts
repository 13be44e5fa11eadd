import { randomUUID } from 'node:crypto';
import type { Job, JobOutcome } from '../inference/job.ts';
import type { JobRun, JobRunner } from '../inference/job-runner.ts';
import { isWorthRetrying, type RetryPolicy } from './retry-policy.ts';
import type { TaskState } from './task-queue.ts';

/**
 * One task of the embedded queue on its way PENDING → PROGRESS → (RETRY → PROGRESS …) → SUCCESS or FAILURE. It ends by
 * calling `ended` exactly once, with the outcome of the last attempt or with undefined when it was given up.
 */
export class EmbeddedTask implements JobRun {
  readonly job: Job;
  readonly #runner: JobRunner;
  readonly #policy: RetryPolicy;
  readonly #ended: (outcome: JobOutcome | undefined) => void;
  /** PENDING, PROGRESS and RETRY while the task is open; SUCCESS or FAILURE are for the queue to keep. */
  #state: TaskState = 'PENDING';
  #wanted = true;
  #retriesLeft: number;
  /** Set exactly in state RETRY. */
  #retryTimer: NodeJS.Timeout | undefined;
  #progress: string | null = null;
  #error: string | null = null;
  #id: string | undefined;

  constructor(
    job: Job,
    runner: JobRunner,
    policy: RetryPolicy,
    ended: (outcome: JobOutcome | undefined) => void,
  ) {
    this.job = job;
    this.#runner = runner;
    this.#policy = policy;
    this.#retriesLeft = policy.retries;
    this.#ended = ended;
  }

  /** Made when it is first asked for: most tasks are waited for and never looked up. */
  get id(): string {
    this.#id ??= randomUUID();
    return this.#id;
  }

  get state(): TaskState {
    return this.#state;
  }

  get progress(): string | null {
    return this.#progress;
  }

  get error(): string | null {
    return this.#error;
  }

  get wanted(): boolean {
    return this.#wanted;
  }

  attempt(): void {
    this.#retryTimer = undefined;
    this.#runner.submit(this);
  }

  started(stage: string): void {
    this.#state = 'PROGRESS';
    this.#error = null;
    this.#progress = progressText(this.job, stage);
  }

  settled(outcome: JobOutcome): void {
    if (!this.#wanted) this.#ended(undefined);
    else if (outcome.ok || this.#retriesLeft === 0 || !isWorthRetrying(outcome)) this.#ended(outcome);
    else {
      this.#retriesLeft--;
      this.#state = 'RETRY';
      this.#progress = null;
      this.#error = outcome.message;
      this.#retryTimer = setTimeout(() => this.attempt(), this.#policy.delayMs);
    }
  }

  /** Nobody waits any more: a task that has not started, or waits for a retry, ends now; a running one when it is back. */
  giveUp(): void {
    this.#wanted = false;
    clearTimeout(this.#retryTimer);
    if (this.#state !== 'PROGRESS') this.#ended(undefined);
  }
}

function progressText(job: Job, stage: string): string {
  return job.name === 'predict_match'
    ? `predicting match ${job.matchId} with stage ${stage}`
    : `retrieving info of the model at stage ${stage}`;
}

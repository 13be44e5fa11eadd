import type { Job, JobOutcome } from './job.ts';

/**
 * One task as the runner sees it. The runner calls `started` at most once and then `settled` exactly once, or, when
 * `wanted` is false as a thread would take it, neither.
 */
export interface JobRun {
  readonly job: Job;
  /** False from the moment on which nobody waits for the outcome any more. */
  readonly wanted: boolean;
  /** A thread has taken the run in hand, for the model at `stage`. */
  started(stage: string): void;
  settled(outcome: JobOutcome): void;
}

/** Runs jobs where the models are. The queue owns states, retries and waits; a runner only ever tries once. */
export interface JobRunner {
  /** Takes the run in hand now; it starts when a thread is free and, for a prediction, the model is loaded. */
  submit(run: JobRun): void;
}

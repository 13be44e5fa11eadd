import type { Failure, JobName } from '../inference/job.ts';

/** How often a job is tried again, and after what pause. */
export interface RetryPolicy {
  readonly retries: number;
  readonly delayMs: number;
}

export type RetryPolicies = Readonly<Record<JobName, RetryPolicy>>;

/** The interface specification's numbers of retries, with pauses in seconds from the settings. */
export function retryPolicies(predictDelaySeconds: number, modelInfoDelaySeconds: number): RetryPolicies {
  return {
    predict_match: { retries: 2, delayMs: predictDelaySeconds * 1000 },
    get_model_info: { retries: 1, delayMs: modelInfoDelaySeconds * 1000 },
  };
}

/** Failures that the same input will meet again (Celery's ValueError class): these are final at once. */
const final: ReadonlySet<string> = new Set(['INVALID_INPUT', 'INVALID_PROBABILITIES']);

export function isWorthRetrying(failure: Failure): boolean {
  return !final.has(failure.code);
}

import type { Job, JobOutcome, Prediction } from '../../src/inference/job.ts';
import type { JobRun, JobRunner } from '../../src/inference/job-runner.ts';

/** A runner whose "threads" are the test: runs wait here until the test starts and settles them. */
export class ManualRunner implements JobRunner {
  readonly waiting: JobRun[] = [];
  /** What every run is answered with at once; undefined = they wait for the test. */
  answer: ((job: Job) => JobOutcome) | undefined;
  attempts = 0;

  submit(run: JobRun): void {
    this.attempts++;
    if (this.answer === undefined) {
      this.waiting.push(run);
      return;
    }
    run.started('champion');
    run.settled(this.answer(run.job));
  }

  /** Settles the oldest waiting run, as a thread would: started first, and not at all when nobody wants it. */
  next(outcome: JobOutcome): boolean {
    const run = this.waiting.shift();
    if (!run?.wanted) return false;
    run.started('champion');
    run.settled(outcome);
    return true;
  }
}

export function predictJob(matchId: number): Extract<Job, { name: 'predict_match' }> {
  const features = { fill: () => {}, toObject: () => ({}) };
  return { name: 'predict_match', matchId, features, featuresComputedAt: null, stage: undefined };
}

export function predictionOf(matchId: number): Prediction {
  return {
    matchId,
    cached: false,
    featuresComputedAt: null,
    predictedClass: 0,
    probabilities: [0.5, 0.3, 0.2],
    modelVersion: 'champion',
    modelRunId: 'run-1',
  };
}

export function failure(code: string, message = `failed with ${code}`): JobOutcome {
  return { ok: false, code, message };
}

import type { Job, JobName, JobValues, ModelInfo, Prediction } from '../inference/job.ts';

/** Takes tasks, has them run, and knows what became of them. It owns states, retries and the wait for a result. */
export interface TaskQueue {
  /**
   * Runs a job and waits for its value.
   * @throws TaskTimeoutError when there is none in time (the task is then dropped where it has not started),
   * TaskFailedError when its last attempt failed, QueueFullError when the queue takes nothing more
   */
  run<Name extends JobName>(job: Extract<Job, { name: Name }>): Promise<JobValues[Name]>;
  /**
   * Takes a job and gives the id under which `status` tells of it.
   * @throws QueueFullError
   */
  submit(job: Job): Promise<string>;
  status(taskId: string): Promise<TaskStatus>;
  /** Takes nothing more, and settles when all that was taken is done. */
  drain(): Promise<void>;
}

/** Celery's words. PENDING also stands for an id that is not known. */
export type TaskState = 'PENDING' | 'PROGRESS' | 'RETRY' | 'SUCCESS' | 'FAILURE';

export interface TaskStatus {
  readonly taskId: string;
  readonly state: TaskState;
  /** At SUCCESS what the job gave. */
  readonly result: Prediction | ModelInfo | null;
  /** At PROGRESS a sentence on what is being done. */
  readonly progress: string | null;
  /** At RETRY and FAILURE why. */
  readonly error: string | null;
  /** At SUCCESS and FAILURE when, ISO 8601 UTC. */
  readonly doneAt: string | null;
  /** False for an id that was never given out, or whose result is no longer kept. */
  readonly known: boolean;
}

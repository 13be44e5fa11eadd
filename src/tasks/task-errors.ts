/** How a task can end badly for the one who waits for it. `http/errors.ts` gives each a status. */

/** The worker gave no result in time. */
export class TaskTimeoutError extends Error {
  readonly code = 'TASK_TIMEOUT';
  override readonly name = 'TaskTimeoutError';
}

/** The last attempt failed; the message is the cause. */
export class TaskFailedError extends Error {
  readonly code = 'TASK_FAILED';
  override readonly name = 'TaskFailedError';
}

/** As many tasks wait and run as the queue holds; nothing of this one was done. */
export class QueueFullError extends Error {
  readonly code = 'QUEUE_FULL';
  override readonly name = 'QueueFullError';
}

/** The queue is draining and takes nothing more. */
export class QueueClosedError extends Error {
  readonly code = 'QUEUE_CLOSED';
  override readonly name = 'QueueClosedError';
}

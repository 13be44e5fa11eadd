/**
 * What can go wrong, by name. Each class has a stable `code`; `http/errors.ts` is the one place that gives it a status.
 * A message names the offending value and, where there is one, what to do about it.
 */

/** The same input will fail again (Celery's ValueError): the task fails at once and is never retried. */
export class InvalidInputError extends Error {
  readonly code = 'INVALID_INPUT';
  override readonly name = 'InvalidInputError';
}

/** A table file that cannot be served: malformed, half written, or without what the table needs. */
export class TableUnreadableError extends Error {
  readonly code = 'TABLE_UNREADABLE';
  override readonly name = 'TableUnreadableError';
}

/** A model version that must not take traffic: broken, of the wrong shape, or with labels that are not sure. */
export class ModelRefusedError extends Error {
  readonly code = 'MODEL_REFUSED';
  override readonly name = 'ModelRefusedError';
}

/** The registry, or a model that it names, cannot be had now; it may be in a moment. */
export class ModelUnavailableError extends Error {
  readonly code = 'MODEL_UNAVAILABLE';
  override readonly name = 'ModelUnavailableError';
}

/** The service is starting and does not have yet what the request needs. */
export class NotReadyError extends Error {
  readonly code = 'NOT_READY';
  override readonly name = 'NotReadyError';
}

import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify';
import { isResponseSerializationError } from 'fastify-type-provider-zod';
import { notJson } from './body-parser.ts';
import { RequestFaultsError } from './faults.ts';
import { explain } from './validation.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** What stands before the cause in a 500 of this route. */
    failedPrefix?: string;
    /** The detail of this route's 504. */
    timeoutDetail?: string;
  }
}

/** A match that is in no table; the answer is 404 with the message. */
export class MatchNotFoundError extends Error {
  readonly code = 'MATCH_NOT_FOUND';
  override readonly name = 'MatchNotFoundError';
}

/** The one place where an error gets a status, a body and, when the fault is ours, a log line. */
export function handleError(error: FastifyError, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const { status, detail } = answerTo(error, request);
  if (status === 503) reply.header('retry-after', 1);
  if (status >= 500 && status !== 503) {
    request.log.error({ err: error, matchId: matchIdOf(request), status }, 'request failed');
  }
  // The route's own schemas are for its own answers; `detail` is made here and nowhere else.
  return reply
    .code(status)
    .type('application/json; charset=utf-8')
    .serializer(JSON.stringify)
    .send({ detail });
}

interface Answer {
  readonly status: number;
  readonly detail: unknown;
}

function answerTo(error: FastifyError, request: FastifyRequest): Answer {
  const { failedPrefix, timeoutDetail } = request.routeOptions.config;
  if (error instanceof RequestFaultsError) return { status: 422, detail: error.faults };
  if (error.validation !== undefined || error.validationContext !== undefined) {
    return { status: 422, detail: explain(request) };
  }
  if (isResponseSerializationError(error) && failedPrefix !== undefined) {
    const missing = error.cause.issues.map(({ path, message }) => `${path.join('.')}: ${message}`).join('; ');
    return { status: 500, detail: `${failedPrefix}the answer is not complete (${missing})` };
  }
  switch (error.code) {
    case 'MATCH_NOT_FOUND':
      return { status: 404, detail: error.message };
    case 'TASK_FAILED':
      return { status: 500, detail: `${failedPrefix}${error.message}` };
    case 'TASK_TIMEOUT':
      return { status: 504, detail: timeoutDetail };
    case 'QUEUE_FULL':
    case 'QUEUE_CLOSED':
    case 'NOT_READY':
      return { status: 503, detail: error.message };
    case 'FST_ERR_CTP_INVALID_MEDIA_TYPE':
      return { status: 422, detail: notJson().faults };
    case 'FST_ERR_CTP_BODY_TOO_LARGE':
      return {
        status: 413,
        detail: `The request body is larger than ${request.routeOptions.bodyLimit} bytes.`,
      };
    default:
      if (error.statusCode !== undefined && error.statusCode < 500) {
        return { status: error.statusCode, detail: error.message };
      }
      return { status: 500, detail: 'Internal Server Error' };
  }
}

function matchIdOf({ params, body }: FastifyRequest): unknown {
  const named = { ...(body as object | null), ...(params as object | null) } as { match_id?: unknown };
  return named.match_id;
}

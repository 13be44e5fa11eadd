import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import Fastify, {
  type FastifyBaseLogger,
  type FastifyError,
  type FastifyInstance,
  type FastifyReply,
  LogController,
} from 'fastify';
import type { Health } from '../observability/health.ts';
import type { PredictionService } from '../predictions/prediction-service.ts';
import { parseJsonBody } from './body-parser.ts';
import { handleError } from './errors.ts';
import { collectMethods } from './method-not-allowed.ts';
import { monitoringRoutes } from './monitoring-routes.ts';
import { API_VERSION, addOpenapi } from './openapi.ts';
import { opsRoutes } from './ops-routes.ts';
import { predictRoutes } from './predict-routes.ts';
import { compileSerializer, compileValidator } from './validation.ts';

export interface AppParts {
  readonly predictions: PredictionService;
  readonly health: Health;
  readonly logger: FastifyBaseLogger;
  readonly bodyLimitBytes: number;
  /** How long a client may take to send a request, body included. */
  readonly requestTimeoutMs: number;
}

/** Builds the HTTP side of the service; nothing listens yet. */
export async function buildApp(parts: AppParts): Promise<FastifyInstance> {
  const { predictions, health, logger, bodyLimitBytes, requestTimeoutMs } = parts;
  const app = Fastify({
    loggerInstance: logger,
    logController: new LogController({ disableRequestLogging: true }),
    bodyLimit: bodyLimitBytes,
    requestTimeout: requestTimeoutMs,
    // Node takes the limit for the headers first, and the one for the whole only if it is not above that.
    http: { headersTimeout: requestTimeoutMs, connectionsCheckingInterval: Math.min(requestTimeoutMs, 5000) },
    requestIdHeader: false,
    childLoggerFactory: (logger) => logger,
    genReqId: requestIdOf,
    // A path is found by its template however long an id in it is; whether it is an id is for the schema to say.
    routerOptions: { ignoreTrailingSlash: true, maxParamLength: 65_536 },
    frameworkErrors: (error, _request, reply: FastifyReply) =>
      reply.code(400).send({ detail: error.message }),
    clientErrorHandler: answerClientError,
    return503OnClosing: false,
  });

  app.setValidatorCompiler(compileValidator);
  app.setSerializerCompiler(compileSerializer);
  app.setErrorHandler<FastifyError>(handleError);
  app.setNotFoundHandler((_request, reply) => reply.code(404).send({ detail: 'Not Found' }));
  app.removeAllContentTypeParsers();
  app.addContentTypeParser(/^application\/(?:[\w.-]+\+)?json\b/i, { parseAs: 'buffer' }, parseJsonBody);
  app.addHook('onRequest', (request, reply, done) => {
    reply.header('x-request-id', request.id).header('api-version', API_VERSION);
    done();
  });

  const answerOtherMethods = collectMethods(app);
  await addOpenapi(app);
  await app.register(predictRoutes, { predictions });
  await app.register(monitoringRoutes, { predictions });
  await app.register(opsRoutes, { health });
  answerOtherMethods();
  return app;
}

/**
 * Stops listening and waits for the answers that are under way. A connection that was busy as the server closed would be
 * kept alive by its client for as long as that likes, so it is ended as soon as it is idle.
 */
export async function closeApp(app: FastifyInstance): Promise<void> {
  const sweep = setInterval(() => app.server.closeIdleConnections(), 50);
  try {
    await app.close();
  } finally {
    clearInterval(sweep);
  }
}

/** The client's own request id when it is sane, so that it can find its request in our log; else a new one. */
function requestIdOf(request: IncomingMessage): string {
  const sent = request.headers['x-request-id'];
  return typeof sent === 'string' && /^[\w.:-]{1,128}$/.test(sent) ? sent : randomUUID();
}

/** What is not even HTTP never reaches a route; it gets an answer in the same form, and the connection ends. */
function answerClientError(error: NodeJS.ErrnoException, socket: Socket): void {
  if (!socket.writable) return void socket.destroy();
  const status = clientErrors.get(error.code) ?? '400 Bad Request';
  const body = JSON.stringify({ detail: status.slice(4) });
  socket.end(
    `HTTP/1.1 ${status}\r\nContent-Type: application/json; charset=utf-8\r\n` +
      `Content-Length: ${body.length}\r\nConnection: close\r\n\r\n${body}`,
  );
}

const clientErrors: ReadonlyMap<string | undefined, string> = new Map([
  ['HPE_HEADER_OVERFLOW', '431 Request Header Fields Too Large'],
  ['ERR_HTTP_REQUEST_TIMEOUT', '408 Request Timeout'],
]);

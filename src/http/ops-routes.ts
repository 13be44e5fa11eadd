import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import type { Health } from '../observability/health.ts';
import { healthBody } from './bodies.ts';
import { HealthResponse, LiveResponse } from './schemas.ts';

/** `/healthcheck/*`: what a probe asks. */
export const opsRoutes: FastifyPluginAsyncZod<{ health: Health }> = async (app, { health }) => {
  app.get(
    '/healthcheck/',
    {
      schema: {
        tags: ['ops'],
        summary: 'Tell whether the service can serve predictions',
        response: { 200: HealthResponse, 503: HealthResponse },
      },
    },
    async (_request, reply) => {
      const report = health.report();
      reply.code(report.status === 'healthy' ? 200 : 503);
      return healthBody(report);
    },
  );

  app.get(
    '/healthcheck/live',
    {
      schema: {
        tags: ['ops'],
        summary: 'Tell that the event loop runs',
        response: { 200: LiveResponse },
      },
    },
    async () => ({ status: 'alive' }) as const,
  );
};

import swagger from '@fastify/swagger';
import swaggerUi from '@fastify/swagger-ui';
import type { FastifyInstance } from 'fastify';
import { jsonSchemaTransform, jsonSchemaTransformObject } from 'fastify-type-provider-zod';

/** The contract's version: raised in its major part by an incompatible change, sent with every answer. */
export const API_VERSION = '1.0.0';

/** Generates the OpenAPI document from the routes that come after it; serves it and a page to try it. */
export async function addOpenapi(app: FastifyInstance): Promise<void> {
  await app.register(swagger, {
    openapi: {
      openapi: '3.1.0',
      info: {
        title: 'Match Outcome Inference Service',
        description: 'Predicts the 1x2 outcome of football matches: 0 home win, 1 draw, 2 away win.',
        version: API_VERSION,
        license: { name: 'MIT', identifier: 'MIT' },
      },
      tags: [
        { name: 'predict', description: 'Predictions and what they are made from' },
        { name: 'monitoring', description: 'What became of a task' },
        { name: 'ops', description: 'What probes ask' },
      ],
    },
    transform: jsonSchemaTransform,
    transformObject: jsonSchemaTransformObject,
  });
  await app.register(swaggerUi, { routePrefix: '/docs' });
  app.get('/openapi.json', { schema: { hide: true } }, async () => app.swagger());
}

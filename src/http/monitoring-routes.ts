import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import type { PredictionService } from '../predictions/prediction-service.ts';
import { taskStatusBody } from './bodies.ts';
import { TaskParams, TaskStatusResponse } from './schemas.ts';

/** `/monitoring/*`: what became of a task. */
export const monitoringRoutes: FastifyPluginAsyncZod<{ predictions: PredictionService }> = async (
  app,
  options,
) => {
  const { predictions } = options;

  app.get(
    '/monitoring/task_status/:task_id',
    {
      schema: {
        tags: ['monitoring'],
        summary: 'Get the state of an asynchronous prediction, and its result when it is there',
        params: TaskParams,
        response: { 200: TaskStatusResponse },
      },
    },
    async ({ params: { task_id } }) => taskStatusBody(await predictions.taskStatus(task_id)),
  );
};

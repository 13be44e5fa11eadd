import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { RequestFeatures } from '../inference/features.ts';
import type { PredictionService } from '../predictions/prediction-service.ts';
import { modelInfoBody, precomputedBody, predictBody, upcomingBody } from './bodies.ts';
import { MatchNotFoundError } from './errors.ts';
import * as schemas from './schemas.ts';

const { ErrorResponse, ValidationErrorResponse } = schemas;
const tags = ['predict'];
const prediction = {
  failedPrefix: 'Prediction failed: ',
  timeoutDetail: 'ML worker did not respond in time. Try /predict/async/ instead.',
};
const modelInfo = {
  failedPrefix: 'Could not retrieve model info: ',
  timeoutDetail: 'ML worker did not respond in time.',
};

/** `/predict/*`: predictions, precomputed predictions, upcoming matches, model info. */
export const predictRoutes: FastifyPluginAsyncZod<{ predictions: PredictionService }> = async (
  app,
  options,
) => {
  const { predictions } = options;

  app.get(
    '/predict/matches/',
    {
      schema: {
        tags,
        summary: 'List the matches that have features and no outcome yet',
        response: { 200: schemas.UpcomingMatch.array(), 503: ErrorResponse },
      },
    },
    async () => predictions.upcoming().map(upcomingBody),
  );

  app.post(
    '/predict/',
    {
      config: prediction,
      schema: {
        tags,
        summary: 'Predict a match from the features sent',
        body: schemas.PredictRequest,
        querystring: schemas.StageQuery,
        response: {
          200: schemas.PredictResponse,
          413: ErrorResponse,
          422: ValidationErrorResponse,
          500: ErrorResponse,
          503: ErrorResponse,
          504: ErrorResponse,
        },
      },
    },
    async ({ body, query }) => {
      return predictBody(
        await predictions.predict(body.match_id, new RequestFeatures(body.features), query.stage),
      );
    },
  );

  app.get(
    '/predict/precomputed/:match_id',
    {
      config: { failedPrefix: 'Precomputed prediction failed: ' }, // of a row without one of its required numbers
      schema: {
        tags,
        summary: 'Get the stored batch prediction of a match',
        params: schemas.MatchParams,
        response: {
          200: schemas.PrecomputedPredictResponse,
          404: ErrorResponse,
          422: ValidationErrorResponse,
          500: ErrorResponse,
          503: ErrorResponse,
        },
      },
    },
    // Not async: there is nothing to wait for, and this is the fastest route.
    ({ params: { match_id } }, reply) => {
      const found = predictions.precomputed(match_id);
      if (found !== undefined) return void reply.send(precomputedBody(found));
      throw new MatchNotFoundError(
        `Match ${match_id} was not found in precomputed predictions. ` +
          'The batch stage must have run and the predictions bucket must be configured.',
      );
    },
  );

  app.get(
    '/predict/:match_id',
    {
      config: prediction,
      schema: {
        tags,
        summary: 'Predict a match from its precomputed features',
        params: schemas.MatchParams,
        querystring: schemas.StageQuery,
        response: {
          200: schemas.PredictResponse,
          404: ErrorResponse,
          422: ValidationErrorResponse,
          500: ErrorResponse,
          503: ErrorResponse,
          504: ErrorResponse,
        },
      },
    },
    async ({ params: { match_id }, query }) => {
      const found = await predictions.lookUp(match_id, query.stage);
      if (found === undefined) throw featuresNotFound(match_id);
      return predictBody(found);
    },
  );

  app.get(
    '/predict/model/info',
    {
      config: modelInfo,
      schema: {
        tags,
        summary: 'Get what the registry knows of the model',
        querystring: schemas.StageQuery,
        response: {
          200: schemas.ModelInfoResponse,
          422: ValidationErrorResponse,
          500: ErrorResponse,
          503: ErrorResponse,
          504: ErrorResponse,
        },
      },
    },
    async ({ query }) => modelInfoBody(await predictions.modelInfo(query.stage)),
  );

  app.post(
    '/predict/async/',
    {
      schema: {
        tags,
        summary: 'Have a match predicted from its precomputed features; poll the task for the result',
        body: schemas.AsyncPredictRequest,
        response: {
          202: schemas.AsyncPredictResponse,
          404: ErrorResponse,
          413: ErrorResponse,
          422: ValidationErrorResponse,
          503: ErrorResponse,
        },
      },
    },
    async ({ body: { match_id } }, reply) => {
      const taskId = await predictions.submit(match_id);
      if (taskId === undefined) throw featuresNotFound(match_id);
      reply.code(202);
      return {
        task_id: taskId,
        status: 'submitted',
        status_url: `/monitoring/task_status/${taskId}`,
      } as const;
    },
  );
};

function featuresNotFound(matchId: number): MatchNotFoundError {
  return new MatchNotFoundError(
    `Match ${matchId} was not found in precomputed features. The batch stage must have run.`,
  );
}

/**
 * The wire: every body and parameter of the API, the only place with snake_case. The OpenAPI document is generated from
 * these, so a description is written for the client who reads it.
 */
import { z } from 'zod';

const matchId = z.int('Input should be a valid integer').describe('Match id, within ±(2^53 − 1).');
const probability = z.number().min(0).max(1);
const timestamp = z.iso.datetime().describe('ISO 8601, UTC.');

/** A path id: digits with an optional sign. Anything else stays text, which is no integer. */
export const MatchParams = z.object({
  match_id: z.preprocess(
    (text) => (typeof text === 'string' && /^[+-]?\d+$/.test(text) ? Number(text) : text),
    matchId,
  ),
});

/** What `MatchParams` makes of a good id, without a schema's cost on every lookup; undefined for what the schema may refuse. */
export function readMatchParams(params: unknown): z.output<typeof MatchParams> | undefined {
  const { match_id: text } = params as { match_id?: unknown };
  if (typeof text !== 'string' || !/^\d{1,15}$/.test(text)) return undefined;
  return { match_id: Number(text) };
}

export const TaskParams = z.object({ task_id: z.string() });

export const StageQuery = z.object({
  stage: z
    .enum(['champion', 'challenger'])
    .optional()
    .describe('Alias of the model; the default is a setting.'),
});

export const PredictRequest = z
  .strictObject({
    match_id: matchId,
    features: z
      .record(z.string(), z.number('Input should be a valid number'))
      .describe(
        'Feature name → value. What the model needs and is not here counts as missing; the rest is ignored.',
      ),
  })
  .meta({ id: 'PredictRequest' });

/**
 * What `PredictRequest` makes of a good body: the body itself, after one pass over the features and without a copy of them;
 * the schema costs a tenth of a prediction. Undefined for what the schema refuses.
 */
export function readPredictRequest(body: unknown): z.output<typeof PredictRequest> | undefined {
  if (typeof body !== 'object' || body === null) return undefined;
  const { match_id, features } = body as { match_id?: unknown; features?: unknown };
  if (!Number.isSafeInteger(match_id)) return undefined;
  if (typeof features !== 'object' || features === null || Array.isArray(features)) return undefined;
  for (const key in body) if (key !== 'match_id' && key !== 'features') return undefined;
  for (const name in features) {
    if (!Number.isFinite((features as Record<string, unknown>)[name])) return undefined;
  }
  return body as z.output<typeof PredictRequest>;
}

export const AsyncPredictRequest = z.strictObject({ match_id: matchId }).meta({ id: 'AsyncPredictRequest' });

export const PredictResponse = z
  .object({
    match_id: matchId.nullable(),
    cached: z.boolean().describe('True when served from the prediction cache.'),
    features_computed_at: timestamp
      .nullable()
      .describe('When the features file was written; null for features sent.'),
    prediction: z.object({
      predicted_class: z.literal([0, 1, 2]).describe('0 home win, 1 draw, 2 away win: the likeliest.'),
      probabilities: z.object({ '0': probability, '1': probability, '2': probability }),
      model_version: z.string().describe('The stage or alias used.'),
      model_run_id: z.string().describe('Registry run id; "unknown" if the model carries none.'),
    }),
  })
  .meta({ id: 'PredictResponse' });

export const PrecomputedPredictResponse = z
  .object({
    match_id: matchId,
    proba_home: z.number(),
    proba_draw: z.number(),
    proba_away: z.number(),
    predicted_class: z.int(),
    predicted_label: z.string().describe('home_win, draw or away_win; empty when the table has none.'),
    is_future: z.boolean().nullable(),
    start_time_utc: z.string().nullable(),
    home_team_name: z.string().nullable(),
    away_team_name: z.string().nullable(),
    model_run_id: z.string().nullable(),
    model_stage: z.string().nullable(),
    predictions_computed_at: timestamp.nullable().describe('When the predictions file was written.'),
  })
  .meta({ id: 'PrecomputedPredictResponse' });

export const UpcomingMatch = z
  .object({
    match_id: matchId,
    startTimeUtc: z.string().nullable().optional(),
    homeTeamName: z.string().nullable().optional(),
    awayTeamName: z.string().nullable().optional(),
    homeTeamId: z.int().nullable().optional(),
    awayTeamId: z.int().nullable().optional(),
  })
  .meta({ id: 'UpcomingMatch' });

export const ModelInfoResponse = z
  .object({
    model_name: z.string(),
    stage: z.string(),
    version: z.string().describe('"unknown" when no version is registered for the stage.'),
    run_id: z.string().describe('"unknown" when no version is registered for the stage.'),
    metrics: z.record(z.string(), z.number()),
    params: z.record(z.string(), z.string()),
    feature_names: z.array(z.string()).describe('The columns of the model, in its order.'),
    created_at: z.string().nullable(),
  })
  .meta({ id: 'ModelInfoResponse' });

export const AsyncPredictResponse = z
  .object({ task_id: z.string(), status: z.literal('submitted'), status_url: z.string() })
  .meta({ id: 'AsyncPredictResponse' });

export const TaskStatusResponse = z
  .object({
    task_id: z.string(),
    status: z.enum(['PENDING', 'PROGRESS', 'RETRY', 'SUCCESS', 'FAILURE']),
    result: PredictResponse.nullable().describe('At SUCCESS the prediction.'),
    meta: z.object({ status: z.string() }).nullable().describe('At PROGRESS what is being done.'),
    error: z.string().nullable().describe('At RETRY and FAILURE the cause.'),
    date_done: timestamp.nullable(),
    known: z.boolean().describe('False for an id that was never given out or is no longer kept.'),
  })
  .meta({ id: 'TaskStatusResponse' });

export const HealthResponse = z
  .object({
    status: z.enum(['healthy', 'starting', 'draining', 'unhealthy']),
    version: z.string(),
    worker_id: z.int().describe('Process id.'),
    memory_usage_mb: z.number(),
    uptime_seconds: z.number(),
    checks: z.record(z.string(), z.looseObject({ ok: z.boolean() })),
  })
  .meta({ id: 'HealthResponse' });

export const LiveResponse = z.object({ status: z.literal('alive') }).meta({ id: 'LiveResponse' });

export const ErrorResponse = z.object({ detail: z.string() }).meta({ id: 'ErrorResponse' });

export const ValidationErrorResponse = z
  .object({
    detail: z.array(
      z.object({
        type: z.string(),
        loc: z.array(z.union([z.string(), z.int()])),
        msg: z.string(),
        input: z.unknown(),
        ctx: z.record(z.string(), z.unknown()).optional(),
      }),
    ),
  })
  .meta({ id: 'ValidationErrorResponse' });

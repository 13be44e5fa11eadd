import { pino } from 'pino';
import { expect, test } from 'vitest';
import { buildApp } from '../../src/http/app.ts';
import type { PredictionService } from '../../src/predictions/prediction-service.ts';

const stored = {
  matchId: 7,
  probaHome: 0.5,
  probaDraw: 0.3,
  probaAway: 0.2,
  predictedClass: 0,
  predictedLabel: '',
  isFuture: null,
  startTimeUtc: null,
  homeTeamName: null,
  awayTeamName: null,
  modelRunId: null,
  modelStage: null,
};

test('a stored prediction that lacks a number is a 500 that names it, and one that lacks the rest is sent', async () => {
  let row = stored;
  const app = await buildApp({
    predictions: {
      precomputed: () => ({ row, predictionsComputedAt: null }),
    } as unknown as PredictionService,
    health: {} as never, // not asked
    logger: pino({ level: 'silent' }),
    bodyLimitBytes: 1000,
    requestTimeoutMs: 1000,
  });
  const whole = await app.inject('/predict/precomputed/7');
  expect([whole.statusCode, whole.json().predicted_label, whole.json().is_future]).toEqual([200, '', null]);
  row = { ...stored, probaDraw: Number.NaN }; // what PredictionTable gives for a missing cell
  const lacking = await app.inject('/predict/precomputed/7');
  expect(lacking.statusCode).toBe(500);
  expect(lacking.json().detail).toMatch(/^Precomputed prediction failed: .*proba_draw/);
  await app.close();
});

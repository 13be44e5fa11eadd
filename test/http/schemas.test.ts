import { expect, test } from 'vitest';
import { isPredictRequest, PredictRequest, PredictResponse } from '../../src/http/schemas.ts';

const values = [
  0,
  -0,
  1,
  -7,
  1.5,
  2 ** 53 - 1,
  2 ** 53,
  1e308,
  Infinity,
  NaN,
  '1',
  '',
  true,
  null,
  undefined,
  [],
  {},
  [1],
  { a: 1 },
];

test('the quick check of a prediction request says yes to exactly what the schema takes', () => {
  const bodies: unknown[] = [...values];
  for (const match_id of values) {
    for (const features of [...values, ...values.map((value) => ({ a: 1, b: value }))]) {
      bodies.push({ match_id, features }, { match_id, features, extra: 1 }, { features }, { match_id });
    }
  }
  for (const body of bodies)
    expect([body, isPredictRequest(body)]).toEqual([body, PredictRequest.safeParse(body).success]);
});

test('a prediction that is no prediction is not sent', () => {
  const body = {
    match_id: 1,
    cached: false,
    features_computed_at: null,
    prediction: {
      predicted_class: 0,
      probabilities: { '0': 0.5, '1': 0.3, '2': 0.2 },
      model_version: 'champion',
      model_run_id: 'unknown',
    },
  };
  expect(PredictResponse.safeParse(body).success).toBe(true);
  for (const probabilities of [
    { '0': 0.5, '1': 0.5 },
    { '0': NaN, '1': 0, '2': 1 },
    { '0': 1.5, '1': 0, '2': 0 },
  ]) {
    expect(
      PredictResponse.safeParse({ ...body, prediction: { ...body.prediction, probabilities } }).success,
    ).toBe(false);
  }
});

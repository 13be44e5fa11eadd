import { expect, test } from 'vitest';
import {
  MatchParams,
  PredictRequest,
  PredictResponse,
  readMatchParams,
  readPredictRequest,
} from '../../src/http/schemas.ts';

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

test('a prediction request is read by hand exactly where the schema takes it', () => {
  const bodies: unknown[] = [...values];
  for (const match_id of values) {
    for (const features of [...values, ...values.map((value) => ({ a: 1, b: value }))]) {
      bodies.push({ match_id, features }, { match_id, features, extra: 1 }, { features }, { match_id });
    }
  }
  for (const body of bodies) {
    expect([body, readPredictRequest(body)]).toEqual([body, PredictRequest.safeParse(body).data]);
  }
});

test('a match id is read by hand only where the schema gives the same', () => {
  const texts = [
    '0',
    '7',
    '007',
    '999999999999999',
    '9007199254740992',
    '-5',
    '+5',
    '',
    ' 1',
    '1.0',
    '1e3',
    'abc',
    '٣',
  ];
  for (const match_id of texts) {
    const read = readMatchParams({ match_id });
    if (read !== undefined) expect(read).toEqual(MatchParams.parse({ match_id }));
  }
  expect(texts.filter((match_id) => readMatchParams({ match_id }))).toEqual([
    '0',
    '7',
    '007',
    '999999999999999',
  ]);
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

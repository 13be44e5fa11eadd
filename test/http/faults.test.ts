import { describe, expect, test } from 'vitest';
import { faultsOf } from '../../src/http/faults.ts';
import { AsyncPredictRequest, MatchParams, PredictRequest, StageQuery } from '../../src/http/schemas.ts';

function faults(
  schema: typeof PredictRequest | typeof MatchParams | typeof StageQuery,
  data: unknown,
  part = 'body',
) {
  return (schema.safeParse(data).error?.issues ?? []).flatMap((issue) => faultsOf(issue, part, data));
}

const good = { match_id: 1, features: { a: 1 } };

// Type, place and words as FastAPI 0.142 with pydantic 2.13 in strict mode gives them.
describe('a fault is told in the words of FastAPI', () => {
  test.each([
    [{ features: {} }, 'missing', ['body', 'match_id'], 'Field required'],
    [{ ...good, x: 5 }, 'extra_forbidden', ['body', 'x'], 'Extra inputs are not permitted'],
    [
      { ...good, match_id: 'zz' },
      'int_parsing',
      ['body', 'match_id'],
      'Input should be a valid integer, unable to parse string as an integer',
    ],
    [{ ...good, match_id: '12' }, 'int_type', ['body', 'match_id'], 'Input should be a valid integer'],
    [{ ...good, match_id: true }, 'int_type', ['body', 'match_id'], 'Input should be a valid integer'],
    [{ ...good, match_id: null }, 'int_type', ['body', 'match_id'], 'Input should be a valid integer'],
    [
      { ...good, match_id: 1.5 },
      'int_from_float',
      ['body', 'match_id'],
      'Input should be a valid integer, got a number with a fractional part',
    ],
    [
      { ...good, match_id: 2 ** 53 },
      'less_than_equal',
      ['body', 'match_id'],
      'Input should be less than or equal to 9007199254740991',
    ],
    [
      { ...good, match_id: -(2 ** 53) },
      'greater_than_equal',
      ['body', 'match_id'],
      'Input should be greater than or equal to -9007199254740991',
    ],
    [
      { ...good, features: { a: 'qq' } },
      'float_parsing',
      ['body', 'features', 'a'],
      'Input should be a valid number, unable to parse string as a number',
    ],
    [
      { ...good, features: { a: null } },
      'float_type',
      ['body', 'features', 'a'],
      'Input should be a valid number',
    ],
    [
      { ...good, features: { a: Infinity } },
      'finite_number',
      ['body', 'features', 'a'],
      'Input should be a finite number',
    ],
    [{ ...good, features: [1] }, 'dict_type', ['body', 'features'], 'Input should be a valid dictionary'],
    [
      [],
      'model_attributes_type',
      ['body'],
      'Input should be a valid dictionary or object to extract fields from',
    ],
    [undefined, 'missing', ['body'], 'Field required'],
  ])('%j is %s', (data, type, loc, msg) => {
    expect(faults(PredictRequest, data)).toEqual([expect.objectContaining({ type, loc, msg })]);
  });

  test('the input of a missing field is what lacks it, that of an unknown field its value', () => {
    expect(faults(PredictRequest, { features: {} })[0]!.input).toEqual({ features: {} });
    expect(faults(PredictRequest, { ...good, x: 5 })[0]!.input).toBe(5);
    expect(faults(PredictRequest, undefined)[0]!.input).toBeNull();
  });

  test('a stage that is not one of the two is a literal_error that says which are', () => {
    expect(faults(StageQuery, { stage: 'Staging' }, 'query')).toEqual([
      {
        type: 'literal_error',
        loc: ['query', 'stage'],
        msg: "Input should be 'champion' or 'challenger'",
        input: 'Staging',
        ctx: { expected: "'champion' or 'challenger'" },
      },
    ]);
  });
});

test('all faults of a body are listed', () => {
  const found = faults(PredictRequest, {
    match_id: 'x',
    features: { a: null, b: 'y' },
    extra: 1,
    __proto_: 2,
  });
  expect(found.map(({ loc }) => loc.join('.'))).toEqual([
    'body.match_id',
    'body.features.a',
    'body.features.b',
    'body.extra',
    'body.__proto_',
  ]);
});

test('a key named __proto__ is an unknown field like any other and changes nothing', () => {
  const found = faults(PredictRequest, JSON.parse('{"match_id":1,"features":{},"__proto__":{"polluted":1}}'));
  expect(found).toEqual([expect.objectContaining({ type: 'extra_forbidden', loc: ['body', '__proto__'] })]);
  expect(({} as { polluted?: number }).polluted).toBeUndefined();
});

test('what was sent is given back cut, however deep or long it was', () => {
  const deep = JSON.parse(`${'{"x":'.repeat(50_000)}1${'}'.repeat(50_000)}`);
  const found = faults(PredictRequest, {
    match_id: deep,
    features: { a: 'x'.repeat(1e6) },
    more: Array(1e5).fill(1),
  });
  expect(JSON.stringify(found).length).toBeLessThan(2000);
});

test('path ids are digits with an optional sign, and nothing else', () => {
  const idOf = (text: string) => MatchParams.safeParse({ match_id: text }).data?.match_id;
  expect(['12', '-5', '+7', '0', '007'].map(idOf)).toEqual([12, -5, 7, 0, 7]);
  for (const text of ['', ' ', 'abc', '1.0', '1e3', '0x10', '1_0', '９', '9007199254740992', '--1']) {
    expect([text, idOf(text)]).toEqual([text, undefined]);
  }
  expect(faults(MatchParams, { match_id: 'abc' }, 'path')).toEqual([
    expect.objectContaining({ type: 'int_parsing', loc: ['path', 'match_id'], input: 'abc' }),
  ]);
});

test('an async request takes no features', () => {
  expect(AsyncPredictRequest.safeParse({ match_id: 1, features: {} }).success).toBe(false);
});

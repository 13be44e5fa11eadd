import { describe, expect, test } from 'vitest';
import { planInputs } from '../../src/models/input-plan.ts';
import type { OnnxValue } from '../../src/models/onnx-value.ts';
import type { ColumnType, Signature } from '../../src/models/signature.ts';

const matrix = (width?: number, rows?: number): OnnxValue => ({
  name: 'X',
  type: 'float',
  shape: [rows, width],
});
const column = (name: string, type = 'float', shape: OnnxValue['shape'] = [undefined, 1]): OnnxValue => ({
  name,
  type,
  shape,
});
const signature = (columns: Record<string, ColumnType>): Signature => ({
  columns: Object.entries(columns).map(([name, type]) => ({ name, type, required: true })),
});
const unnamed: Signature = { columns: [{ name: undefined, type: 'float', required: true }] };

describe('a model with one input', () => {
  test('takes the columns of its signature in order', () => {
    const plan = planInputs(signature({ b: 'double', a: 'long' }), [matrix(2)]);
    expect(plan).toMatchObject({ columns: ['b', 'a'], width: 2, rowByRow: false });
    expect(plan.inputs).toEqual([{ name: 'X', type: 'float32', rank: 2 }]);
  });

  test('has columns without names when there is no signature, or one without names', () => {
    expect(planInputs(undefined, [matrix(4)])).toMatchObject({ columns: undefined, width: 4 });
    expect(planInputs(unnamed, [matrix(1)])).toMatchObject({ columns: undefined, width: 1 });
  });

  test('has the width of its signature when the graph leaves it open', () => {
    expect(planInputs(signature({ a: 'float', b: 'float' }), [matrix()]).width).toBe(2);
    expect(
      planInputs(signature({ a: 'float' }), [{ name: 'X', type: 'float', shape: undefined }]).width,
    ).toBe(1);
  });

  test('runs row by row when it takes one row only', () => {
    expect(planInputs(undefined, [matrix(4, 1)]).rowByRow).toBe(true);
  });
});

describe('a model with an input per column', () => {
  test('takes the columns in the order of the signature, by name', () => {
    const plan = planInputs(signature({ b: 'long', a: 'double' }), [
      column('a'),
      column('b', 'int64', [undefined]),
    ]);
    expect(plan.columns).toEqual(['b', 'a']);
    expect(plan.inputs).toEqual([
      { name: 'b', type: 'int64', rank: 1 },
      { name: 'a', type: 'float32', rank: 2 },
    ]);
  });

  test('names its columns itself when there is no signature', () => {
    expect(planInputs(undefined, [column('a'), column('b')]).columns).toEqual(['a', 'b']);
  });
});

describe('a model is refused', () => {
  test.each([
    ['without inputs', undefined, [], 'has no input'],
    [
      'of another width than its signature',
      signature({ a: 'float' }),
      [matrix(3)],
      "has 1 columns, and the model's input X float [?, 3] takes 3",
    ],
    ['of unknown width', undefined, [matrix()], 'number of features is unknown'],
    ['that takes exactly 8 rows', undefined, [matrix(3, 8)], 'X float [8, 3] takes exactly 8 rows'],
    ['that takes text', undefined, [column('X', 'string')], 'X string [?, 1] is not for features'],
    [
      'that takes images',
      undefined,
      [column('X', 'float', [1, 3, 8, 8])],
      'X float [1, 3, 8, 8] is not for features',
    ],
    [
      'whose inputs take several columns each',
      undefined,
      [matrix(3), column('a')],
      'must take one column, not X float [?, 3]',
    ],
    ['whose columns have no names', unnamed, [column('a'), column('b')], 'does not name the columns'],
    [
      'whose inputs have other names than its columns',
      signature({ a: 'float', c: 'float' }),
      [column('a'), column('b')],
      '"c" only in the signature, "b" only in the model',
    ],
  ])('%s', (_, columns, inputs, message) => {
    expect(() => planInputs(columns, inputs)).toThrow(message);
  });
});

import { describe, expect, test } from 'vitest';
import { RequestFeatures } from '../../src/inference/features.ts';
import { layRow } from '../../src/inference/row-layout.ts';

describe('a model with column names', () => {
  const shape = { columns: ['a', 'b', 'c'], width: 3 };

  test('gets its columns in its own order, wherever they stood, into its own row', () => {
    const matrix = new Float64Array(9).fill(-1);
    expect(layRow(new RequestFeatures({ c: 3, a: 1, b: 2 }), shape, matrix, 3)).toBeUndefined();
    expect([...matrix]).toEqual([-1, -1, -1, 1, 2, 3, -1, -1, -1]);
  });

  test('gets NaN for what is not there and nothing for what it does not have', () => {
    const matrix = new Float64Array(3);
    expect(layRow(new RequestFeatures({ b: 2, other: 9 }), shape, matrix, 0)).toBeUndefined();
    expect([...matrix]).toEqual([NaN, 2, NaN]);
  });
});

describe('a model without column names', () => {
  const shape = { columns: undefined, width: 3 };
  const laid = (features: Record<string, number>) => {
    const matrix = new Float64Array(3);
    return layRow(new RequestFeatures(features), shape, matrix, 0) ?? [...matrix];
  };

  test('gets the features in the order in which they were sent', () => {
    expect(laid({ z: 1, a: 2, m: 3 })).toEqual([1, 2, 3]);
    expect(laid({ 0: 1, 1: 2, 2: 3 })).toEqual([1, 2, 3]);
  });

  test('refuses another number of features than its width, with both numbers', () => {
    expect(laid({ a: 1, b: 2 })).toMatchObject({
      code: 'INVALID_INPUT',
      message: expect.stringMatching(/3.*2/),
    });
  });

  test('refuses names whose order cannot be certain', () => {
    expect(laid({ home: 1, 7: 2, away: 3 })).toMatchObject({
      code: 'INVALID_INPUT',
      message: expect.stringContaining("'7'"),
    });
    expect(laid({ 10: 1, 5: 2, 1: 3 })).toMatchObject({ code: 'INVALID_INPUT' });
  });
});

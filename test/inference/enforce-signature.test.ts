import { describe, expect, test } from 'vitest';
import { castRows } from '../../src/inference/enforce-signature.ts';
import { planInputs } from '../../src/models/input-plan.ts';
import type { ColumnType } from '../../src/models/signature.ts';

/** Casts values of one column, each a row. */
function castColumn(columnType: ColumnType | undefined, tensorType: string, values: readonly number[]) {
  const signature = columnType && { columns: [{ name: 'elo', type: columnType, required: true }] };
  const plan = planInputs(signature, [{ name: 'X', type: tensorType, shape: [undefined, 1] }]);
  const { feeds, rows, failures } = castRows(plan, Float64Array.from(values), values.length);
  return { data: [...(feeds.X!.data as Float32Array | BigInt64Array)], dims: feeds.X!.dims, rows, failures };
}

describe('a value', () => {
  test.each<[ColumnType | undefined, string, number, number | bigint]>([
    ['double', 'double', 0.1, 0.1],
    ['float', 'double', 0.1, Math.fround(0.1)],
    ['double', 'float', 0.1, Math.fround(0.1)],
    ['double', 'float', 1e300, Infinity],
    ['integer', 'float', -3.9, -3],
    ['long', 'int64', 3.9, 3n],
    ['long', 'int64', -1, -1n],
    ['long', 'int64', -(2 ** 63), -(2n ** 63n)],
    ['long', 'int64', -(2 ** 53) - 2, -(2n ** 53n) - 2n],
    ['long', 'int64', 2 ** 63 - 1024, 2n ** 63n - 1024n],
    ['integer', 'int64', 2 ** 31 - 1, 2n ** 31n - 1n],
    ['long', 'int32', -(2 ** 31), -(2 ** 31)],
    ['float', 'int64', 16_777_217, 16_777_216n],
    ['boolean', 'float', -2, 1],
    ['boolean', 'int64', 0, 0n],
    [undefined, 'int64', 7.5, 7n],
    [undefined, 'float', 0.1, Math.fround(0.1)],
  ])('of a column %s for a tensor of %s: %d becomes %d', (columnType, tensorType, value, cast) => {
    expect(castColumn(columnType, tensorType, [value])).toEqual({
      data: [cast],
      dims: [1, 1],
      rows: [0],
      failures: [],
    });
  });

  test('that is missing is NaN for floats', () => {
    expect(castColumn('double', 'float', [NaN, 1]).data).toEqual([NaN, 1]);
    expect(castColumn('float', 'double', [NaN, 1]).data).toEqual([NaN, 1]);
  });

  test.each<[ColumnType | undefined, string, number, string]>([
    ['long', 'float', NaN, 'feature "elo" is missing, and int64 has no missing value'],
    ['boolean', 'float', NaN, 'feature "elo" is missing, and boolean has no missing value'],
    ['double', 'int32', Infinity, 'feature "elo" is Infinity, which is no int32'],
    ['integer', 'int64', 2 ** 31, 'feature "elo" is 2147483648, which is no int32'],
    ['long', 'int64', 2 ** 63, 'feature "elo" is 9223372036854776000, which is no int64'],
    [undefined, 'int64', NaN, 'feature number 1 is missing, and int64 has no missing value'],
  ])('that cannot be cast fails its row alone: %s, %s, %d', (columnType, tensorType, value, message) => {
    const { rows, data, failures } = castColumn(columnType, tensorType, [1, value, 0]);
    expect(failures).toEqual([{ row: 1, code: 'INVALID_INPUT', message }]);
    expect(rows).toEqual([0, 2]);
    expect(data.map(Number)).toEqual([1, 0]);
  });
});

test('rows of several columns keep their order', () => {
  const types = ['long', 'double', 'boolean'] as const;
  const signature = { columns: types.map((type) => ({ name: type, type, required: true })) };
  const plan = planInputs(signature, [{ name: 'X', type: 'float', shape: [undefined, 3] }]);
  const { feeds } = castRows(plan, Float64Array.of(1.5, 2.5, 3, NaN, 0, 0, 4, NaN, 0), 3);
  expect([...(feeds.X!.data as Float32Array)]).toEqual([1, 2.5, 1, 4, NaN, 0]);
  expect(feeds.X!.dims).toEqual([2, 3]);
});

test('several inputs get a column each, of their own type and rank', () => {
  const plan = planInputs(undefined, [
    { name: '__proto__', type: 'int64', shape: [undefined] },
    { name: 'away elo', type: 'double', shape: [undefined, 1] },
  ]);
  const { feeds } = castRows(plan, Float64Array.of(1, 0.5, 2, 0.25), 2);
  expect(Object.keys(feeds)).toEqual(['__proto__', 'away elo']);
  const [first, second] = Object.values(feeds);
  expect(first).toMatchObject({ data: BigInt64Array.of(1n, 2n), dims: [2] });
  expect(second).toMatchObject({ data: Float64Array.of(0.5, 0.25), dims: [2, 1] });
});

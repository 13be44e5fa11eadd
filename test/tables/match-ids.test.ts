import type { SchemaElement } from 'hyparquet';
import { describe, expect, test } from 'vitest';
import { findMatchIds, rangeIds, readMatchIds } from '../../src/tables/match-ids.ts';
import type {
  ColumnKind,
  PandasIndex,
  ParquetColumn,
  ParquetFooter,
} from '../../src/tables/parquet/footer.ts';
import type { PhysicalValues } from '../../src/tables/parquet/values.ts';

function column(
  name: string,
  type: SchemaElement['type'] = 'INT64',
  kind: ColumnKind = 'number',
): ParquetColumn {
  return { name, kind, element: { name, type: type! }, position: 0 };
}

function footer(names: string[], ...pandasIndex: PandasIndex[]): ParquetFooter {
  return { rowCount: 0, columns: names.map((name) => column(name)), skipped: [], rowGroups: [], pandasIndex };
}

describe('where match ids are looked for', () => {
  test.each([
    ['the index that pandas names', footer(['match_id', 'game'], { name: 'game' }), 'game'],
    ['match_id', footer(['id', 'match_id']), 'match_id'],
    [
      'match_id, before an unnamed index',
      footer(['match_id', '__index_level_0__'], { name: '__index_level_0__' }),
      'match_id',
    ],
    [
      'the unnamed index',
      footer(['id', '__index_level_0__'], { name: '__index_level_0__' }),
      '__index_level_0__',
    ],
    ['id', footer(['x', 'id']), 'id'],
    ['match_id, when the named index is not in the file', footer(['match_id'], { name: 'gone' }), 'match_id'],
    [
      'match_id, when the range is only row numbers',
      footer(['match_id'], { name: undefined, range: { start: 0, stop: 9, step: 1 } }),
      'match_id',
    ],
  ])('%s', (_, found, name) => {
    expect(findMatchIds(found)).toMatchObject({ column: { name } });
  });

  test('a named range, which is how pandas stores consecutive ids', () => {
    const range = { start: 1_000_001, stop: 1_000_004, step: 1 };
    expect(findMatchIds(footer(['x'], { name: 'match_id', range }))).toEqual({ range });
    expect([...rangeIds(range, 3)]).toEqual([1_000_001, 1_000_002, 1_000_003]);
    expect([...rangeIds({ start: 20, stop: 0, step: -10 }, 2)]).toEqual([20, 10]);
    expect(() => rangeIds(range, 4)).toThrow(
      'has the range 1000001 to 1000004 by 1 as match ids of its 4 rows',
    );
    expect(() => rangeIds({ start: 0, stop: 0, step: 0 }, 0)).toThrow('by 0');
  });

  test('nowhere else: the error says what was looked for', () => {
    expect(() => findMatchIds(footer(['x']))).toThrow('no named pandas index and no column match_id or id');
    const multi = footer(['a', 'match_id'], { name: 'a' }, { name: 'match_id' });
    expect(() => findMatchIds(multi)).toThrow('an index of 2 levels (a, match_id)');
  });
});

describe('match ids of a column', () => {
  function ids(values: PhysicalValues, from: ParquetColumn): number[] {
    const page = { rowCount: values.length, present: undefined, values, indexes: undefined };
    return [...readMatchIds([page], from, values.length)];
  }
  const text = (...texts: string[]) => texts.map((id) => new TextEncoder().encode(id));

  test('are integers, whole floats or text of digits', () => {
    expect(ids(BigInt64Array.of(-5n, 9_007_199_254_740_991n), column('id'))).toEqual([
      -5, 9_007_199_254_740_991,
    ]);
    expect(ids(Int32Array.of(-5, 6), column('id', 'INT32'))).toEqual([-5, 6]);
    expect(ids(Float64Array.of(3, -4), column('id', 'DOUBLE'))).toEqual([3, -4]);
    expect(ids(text('12', '-7', '+8', '007'), column('id', 'BYTE_ARRAY', 'text'))).toEqual([12, -7, 8, 7]);
  });

  test.each<[string, PhysicalValues, ParquetColumn, string]>([
    ['beyond 2^53−1', BigInt64Array.of(1n, 9_007_199_254_740_993n), column('id'), '9007199254740993'],
    ['beyond −(2^53−1)', BigInt64Array.of(-9_007_199_254_740_992n), column('id'), '-9007199254740992'],
    ['fractional', Float64Array.of(1, 2.5), column('id', 'DOUBLE'), '2.5'],
    ['infinite', Float64Array.of(Number.POSITIVE_INFINITY), column('id', 'DOUBLE'), 'Infinity'],
    ['no number', text('1', '2a'), column('id', 'BYTE_ARRAY', 'text'), '"2a"'],
    ['too long a number', text('9007199254740993'), column('id', 'BYTE_ARRAY', 'text'), '9007199254740993'],
  ])('are refused by name when one is %s', (_, values, from, named) => {
    expect(() => ids(values, from)).toThrow(`has the match id ${named}, not an integer`);
  });

  test('are refused when one is missing', () => {
    const page = { rowCount: 2, present: Uint8Array.of(1, 0), values: Int32Array.of(4), indexes: undefined };
    expect(() => readMatchIds([page], column('id', 'INT32'), 2)).toThrow('has no match id in row 1');
    expect(() => ids(Float64Array.of(1, Number.NaN), column('id', 'DOUBLE'))).toThrow(
      'has no match id in row 1',
    );
  });
});

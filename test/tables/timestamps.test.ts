import type { SchemaElement } from 'hyparquet';
import { describe, expect, test } from 'vitest';
import { timestampText } from '../../src/tables/parquet/timestamps.ts';

type Unit = 'MILLIS' | 'MICROS' | 'NANOS';

function text(value: bigint, unit: Unit): string | undefined {
  const element: SchemaElement = {
    name: 't',
    type: 'INT64',
    logical_type: { type: 'TIMESTAMP', isAdjustedToUTC: false, unit },
  };
  return timestampText(value, { name: 't', kind: 'timestamp', element, position: 0 });
}

describe('a timestamp as text', () => {
  test.each<[bigint, Unit, string]>([
    [0n, 'MILLIS', '1970-01-01T00:00:00Z'],
    [1_700_000_000_000n, 'MILLIS', '2023-11-14T22:13:20Z'],
    [1_700_000_000_250n, 'MILLIS', '2023-11-14T22:13:20.25Z'],
    [1_700_000_000_000_001n, 'MICROS', '2023-11-14T22:13:20.000001Z'],
    [1_700_000_000_123_456_789n, 'NANOS', '2023-11-14T22:13:20.123456789Z'],
    [-1n, 'NANOS', '1969-12-31T23:59:59.999999999Z'],
    [-62_135_596_800_000n, 'MILLIS', '0001-01-01T00:00:00Z'],
    [253_402_300_799_999_999n, 'MICROS', '9999-12-31T23:59:59.999999Z'],
    [253_402_300_800_000n, 'MILLIS', '+010000-01-01T00:00:00Z'],
  ])('%d %s is %s', (value, unit, expected) => {
    expect(text(value, unit)).toBe(expected);
  });

  test('is missing for NaT and for a year that no Date can hold', () => {
    expect(text(-(2n ** 63n), 'NANOS')).toBeUndefined();
    expect(text(2n ** 63n - 1n, 'MILLIS')).toBeUndefined();
    expect(text(-(2n ** 63n) + 1n, 'MICROS')).toBeUndefined();
  });

  test('of a DATE column is the date', () => {
    const element: SchemaElement = { name: 'd', type: 'INT32', converted_type: 'DATE' };
    const column = { name: 'd', kind: 'timestamp', element, position: 0 } as const;
    expect(timestampText(20_000, column)).toBe('2024-10-04');
    expect(timestampText(-1, column)).toBe('1969-12-31');
  });
});

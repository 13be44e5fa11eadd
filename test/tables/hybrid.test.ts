import { describe, expect, test } from 'vitest';
import { readHybrid } from '../../src/tables/parquet/hybrid.ts';

function decode(bytes: number[], bitWidth: number, count: number): number[] {
  const into = new Int32Array(count);
  readHybrid(Uint8Array.from(bytes), 0, bytes.length, bitWidth, into);
  return [...into];
}

describe('run lengths and packed bits', () => {
  test('decode as in the example of the format', () => {
    expect(decode([0x03, 0x88, 0xc6, 0xfa], 3, 8)).toEqual([0, 1, 2, 3, 4, 5, 6, 7]);
    expect(decode([0x08, 0x05, 0x02, 0x07], 3, 5)).toEqual([5, 5, 5, 5, 7]);
  });

  test('decode values of every width', () => {
    for (let width = 1; width <= 31; width++) {
      const values = Array.from({ length: 8 }, (_, index) => (index * 0x1234567) % 2 ** width);
      let packed = values.reduce((bits, value, index) => bits | (BigInt(value) << BigInt(index * width)), 0n);
      const bytes = Array.from({ length: width }, () => {
        const byte = Number(packed & 0xffn);
        packed >>= 8n;
        return byte;
      });
      expect(decode([0x03, ...bytes], width, 8)).toEqual(values);
    }
  });

  test('end where the values do, however long a run declares to be', () => {
    expect(decode([0xfe, 0xff, 0xff, 0xff, 0x0f, 0x01], 1, 3)).toEqual([1, 1, 1]);
    expect(decode([0xff, 0xff, 0xff, 0xff, 0x0f, 0x05], 1, 3)).toEqual([1, 0, 1]);
  });

  test('are refused when they end too early, and when there are no such widths', () => {
    expect(() => decode([0x04, 0x01], 1, 3)).toThrow('runs end after 2 of 3 values');
    expect(() => decode([], 1, 1)).toThrow('runs end after 0 of 1 values');
    expect(() => decode([0x03, 0x88], 3, 8)).toThrow('runs end after 0 of 8 values');
    expect(() => decode([0x03, 0x88], 33, 8)).toThrow('values of 33 bits');
  });
});

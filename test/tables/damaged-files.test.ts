import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { TableUnreadableError } from '../../src/errors.ts';
import { FEATURE_LAYOUT } from '../../src/tables/feature-table.ts';
import { readTable } from '../../src/tables/read-table.ts';
import { describeShared } from '../shared-data.ts';
import { randomNumbers } from './random-numbers.ts';
import { fileBuffer } from './table-file.ts';

const ROWS = 1500;
const FLIPS = 50;
/** One of each codec, page version and kind of encoding. */
const FILES = [
  'pandas_snappy',
  'pandas_lz4',
  'pandas_brotli',
  'polars_snappy',
  'pa_delta_bss',
  'pa_v2.6_dp2.0',
];

describeShared('a damaged table', (folder) => {
  const original = (name: string) => fileBuffer(join(folder, 'features/variants', `${name}.parquet`));

  describe.each(FILES)('%s', (name) => {
    test('is refused at every length it may be cut to', () => {
      const file = original(name);
      const random = randomNumbers(2);
      const lengths = [0, 1, 7, 8, 11, 12, file.byteLength - 1, file.byteLength - 8];
      for (let cut = 0; cut < 20; cut++) lengths.push(Math.floor(random() * file.byteLength));
      for (const length of lengths) {
        expect(() => readTable({ buffer: file.slice(0, length) }, name, FEATURE_LAYOUT)).toThrow(
          TableUnreadableError,
        );
      }
    });

    test('is refused or keeps its shape, whatever bits are flipped', () => {
      const random = randomNumbers(3);
      for (let flip = 0; flip < FLIPS; flip++) {
        const buffer = original(name);
        const bytes = new Uint8Array(buffer);
        // Half of the damage is in the last tenth, where the footer is.
        const from = flip % 2 === 0 ? 0 : Math.floor(bytes.length * 0.9);
        const position = from + Math.floor(random() * (bytes.length - from));
        bytes[position]! ^= 1 << Math.floor(random() * 8);
        expectSameShapeOrRefused(buffer, `${name}, a bit of byte ${position} flipped`);
      }
    });
  });

  test('with whole stretches of nonsense is refused or keeps its shape', () => {
    const random = randomNumbers(4);
    for (let run = 0; run < FLIPS; run++) {
      const name = FILES[run % FILES.length]!;
      const buffer = original(name);
      const bytes = new Uint8Array(buffer);
      const start = Math.floor(random() * bytes.length);
      const fill = random() < 0.3 ? 0xff : undefined;
      const end = Math.min(bytes.length, start + Math.ceil(random() * 64));
      for (let position = start; position < end; position++)
        bytes[position] = fill ?? Math.floor(random() * 256);
      expectSameShapeOrRefused(buffer, `${name}, bytes ${start} to ${end} overwritten`);
    }
  });
});

describe('what is no table at all', () => {
  test.each([
    ['nothing', ''],
    ['a web page', '<!doctype html><html><body>Not Found</body></html>'],
    ['a magic word alone', 'PAR1PAR1PAR1'],
    ['an endless footer', 'PAR1\0\0\0\0\xff\xff\xff\x7fPAR1'],
    ['an encrypted footer', 'PARE\0\0\0\0\x04\0\0\0PARE'],
  ])('%s is refused', (_, text) => {
    const buffer = new Uint8Array(Buffer.from(text, 'latin1')).buffer;
    expect(() => readTable({ buffer }, 'features', FEATURE_LAYOUT)).toThrow(TableUnreadableError);
    expect(() => readTable({ buffer }, 'features', FEATURE_LAYOUT)).toThrow(/^features: /);
  });
});

function expectSameShapeOrRefused(buffer: ArrayBuffer, damage: string): void {
  try {
    const table = readTable({ buffer }, damage, FEATURE_LAYOUT);
    expect(table.rowCount, damage).toBe(ROWS);
    for (const { values } of table.numbers) expect(values, damage).toHaveLength(ROWS);
  } catch (error) {
    expect(error, damage).toBeInstanceOf(TableUnreadableError);
  }
}

import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { describeShared } from '../shared-data.ts';
import { readAllColumns } from './read-all-columns.ts';

const FOOTER_ENCRYPTED = 'is an encrypted Parquet file';

/** The files of apache/parquet-testing that are refused, and why; all others are read. */
const REFUSED: Record<string, string> = {
  'data/datapage_v1-corrupt-checksum.parquet': 'column "a": has a page of a wrong checksum',
  'data/rle-dict-uncompressed-corrupt-checksum.parquet':
    'column "long_field": has a page of a wrong checksum',
  'data/nation.dict-malformed.parquet': 'column "name": has a page of 28 bytes where 13 are left',
  'data/repeated_no_annotation.parquet': 'declares 0 rows, its row groups 6',
  'data/encrypt_columns_and_footer.parquet.encrypted': FOOTER_ENCRYPTED,
  'data/encrypt_columns_and_footer_aad.parquet.encrypted': FOOTER_ENCRYPTED,
  'data/encrypt_columns_and_footer_bloom_filter.parquet.encrypted': FOOTER_ENCRYPTED,
  'data/encrypt_columns_and_footer_ctr.parquet.encrypted': FOOTER_ENCRYPTED,
  'data/encrypt_columns_and_footer_disable_aad_storage.parquet.encrypted': FOOTER_ENCRYPTED,
  'data/encrypt_columns_plaintext_footer.parquet.encrypted': 'column "float_field": is encrypted',
  'data/external_key_material_java.parquet.encrypted': FOOTER_ENCRYPTED,
  'data/uniform_encryption.parquet.encrypted': FOOTER_ENCRYPTED,
  'data/aes256/encrypt_columns_and_footer.parquet.encrypted': FOOTER_ENCRYPTED,
  'data/aes256/encrypt_columns_and_footer_ctr.parquet.encrypted': FOOTER_ENCRYPTED,
  'data/aes256/encrypt_columns_and_footer_disable_aad_storage.parquet.encrypted': FOOTER_ENCRYPTED,
  'data/aes256/encrypt_columns_plaintext_footer.parquet.encrypted': 'column "boolean_field": is encrypted',
  'data/aes256/uniform_encryption.parquet.encrypted': FOOTER_ENCRYPTED,
  'bad_data/ARROW-GH-41317.parquet': 'column "timestamp_us_no_tz": has 0 values for 3 rows',
  'bad_data/ARROW-GH-41321.parquet': 'column "int64": runs end after 0 of 3 values',
  'bad_data/ARROW-RS-GH-6229-DICTHEADER.parquet': 'column "name": has a page of -26 values where 25 are left',
  'bad_data/PARQUET-1481.parquet': 'has a malformed footer',
};

describeShared('the files of apache/parquet-testing', (shared) => {
  const folder = join(shared, 'parquet');
  const files = globSync(['data/**/*.{parquet,parquet.encrypted}', 'bad_data/*.parquet'], {
    cwd: folder,
  }).sort();
  const columns = (path: string) => readAllColumns(readFileSync(join(folder, path)));

  test.each(files)('%s is read, or refused with its reason', (path) => {
    let refused: string | undefined;
    try {
      columns(path);
    } catch (error) {
      refused = (error as Error).message;
    }
    const reason = REFUSED[path];
    if (reason === undefined) expect(refused).toBeUndefined();
    else expect(refused).toContain(reason);
  });

  test('plain values are those that Impala wrote', () => {
    const { id, bool_col, double_col, string_col, timestamp_col } = columns('data/alltypes_plain.parquet');
    expect(id).toEqual([4, 5, 6, 7, 2, 3, 0, 1]);
    expect(bool_col).toEqual([1, 0, 1, 0, 1, 0, 1, 0]);
    expect(double_col).toEqual([0, 10.1, 0, 10.1, 0, 10.1, 0, 10.1]);
    expect(string_col).toEqual(['0', '1', '0', '1', '0', '1', '0', '1']);
    expect(timestamp_col?.slice(0, 2)).toEqual(['2009-03-01T00:00:00Z', '2009-03-01T00:01:00Z']);
  });

  test.each([
    'int32_decimal',
    'int64_decimal',
    'byte_array_decimal',
    'fixed_length_decimal',
    'fixed_length_decimal_legacy',
  ])('%s holds the decimals 1 to 24', (name) => {
    expect(columns(`data/${name}.parquet`).value).toEqual(
      Array.from({ length: 24 }, (_, index) => index + 1),
    );
  });

  test.each([
    'delta_binary_packed',
    'delta_byte_array',
    'delta_encoding_optional_column',
    'delta_encoding_required_column',
  ])('%s holds what its CSV file says', (name) => {
    const [header, ...lines] = readFileSync(join(folder, `data/${name}_expect.csv`), 'utf8')
      .trim()
      .split('\n');
    const rows = lines.map(csvCells);
    // One file has a space before some names, another a colon after them.
    const plain = (column: string) => column.replace(/[^a-z0-9_]/g, '');
    const entries = Object.entries(columns(`data/${name}.parquet`));
    const read = new Map(entries.map(([column, cells]) => [plain(column), cells]));
    for (const [position, column] of csvCells(header!).entries()) {
      const expected = rows.map((cells) => cells[position]!);
      const found = read.get(plain(column))!;
      const asExpected = expected.map((cell, row) =>
        typeof found[row] === 'number' ? Number(cell || 'NaN') : cell,
      );
      expect(found.map((cell) => cell ?? '')).toEqual(asExpected);
    }
  });

  test.each(['hadoop_lz4_compressed', 'non_hadoop_lz4_compressed', 'lz4_raw_compressed'])(
    '%s is decompressed',
    (name) => {
      const { c0, c1, v11 } = columns(`data/${name}.parquet`);
      expect(c0).toEqual([1593604800, 1593604800, 1593604801, 1593604801]);
      expect(c1).toEqual(['abc', 'def', 'abc', 'def']);
      expect(v11).toEqual([42, 7.7, 42.125, 7.7]);
    },
  );

  test('every encoding of the same values gives the same values', () => {
    const read = columns('data/byte_stream_split_extended.gzip.parquet');
    for (const type of ['float16', 'float', 'double', 'int32', 'int64', 'decimal']) {
      expect(read[`${type}_plain`]).toHaveLength(200);
      expect(read[`${type}_byte_stream_split`]).toEqual(read[`${type}_plain`]);
    }
  });

  test('gzip members one after the other are one page', () => {
    const { long_col } = columns('data/concatenated_gzip_members.parquet');
    expect(long_col).toEqual(Array.from({ length: 513 }, (_, index) => index + 1));
  });

  test('timestamps of Spark are read beyond the years that 64 bits of nanoseconds hold', () => {
    expect(columns('data/int96_from_spark.parquet').a).toEqual([
      '2024-01-01T20:34:56.123456Z',
      '2024-01-01T01:00:00Z',
      '9999-12-31T03:00:00Z',
      '2024-12-30T23:00:00Z',
      null,
      null, // the year 290000, which no Date can hold
    ]);
  });

  test('pages without a value are missing values', () => {
    expect(columns('data/page_v2_empty_compressed.parquet').integer_column).toEqual(
      new Array(10).fill(Number.NaN),
    );
    expect(columns('data/datapage_v2_empty_datapage.snappy.parquet').value).toEqual([Number.NaN]);
  });
});

function csvCells(line: string): string[] {
  return Array.from(
    line.matchAll(/(?:^|,)(?:"([^"]*)"|([^,]*))/g),
    ([, quoted, plain]) => quoted ?? plain ?? '',
  );
}

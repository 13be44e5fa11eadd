import { join } from 'node:path';
import { transferableSymbol, valueSymbol } from 'piscina';
import { describe, expect, test } from 'vitest';
import { TableUnreadableError } from '../../src/errors.ts';
import { FEATURE_LAYOUT, FeatureTable } from '../../src/tables/feature-table.ts';
import { FileSource } from '../../src/tables/file-source.ts';
import readInThread, { type ReadResult } from '../../src/tables/reader-thread.ts';
import type { TableData } from '../../src/tables/table.ts';
import { TableReader } from '../../src/tables/table-reader.ts';
import { describeShared } from '../shared-data.ts';
import { fileBuffer, readTableFile } from './table-file.ts';

describeShared('the reading thread', (folder) => {
  const path = join(folder, 'features/features_polars_zstd.parquet');

  test('gives the table that is in a file', async () => {
    await using reader = new TableReader();
    const source = new FileSource(path);
    const data = await reader.read(await source.fetch((await source.look())!), path, FEATURE_LAYOUT);
    expect(data).toEqual(readTableFile(path, FEATURE_LAYOUT));
    expect(new FeatureTable(data).find(1_000_001)?.toObject()).toMatchObject({
      home_elo: 1500,
      away_elo: 1500,
    });
  });

  test('takes over a buffer that it is given, and reads several tables one after the other', async () => {
    await using reader = new TableReader();
    const buffers = [fileBuffer(path), fileBuffer(path)];
    const tables = await Promise.all(buffers.map((buffer) => reader.read({ buffer }, path, FEATURE_LAYOUT)));
    expect(tables.map(({ rowCount }) => rowCount)).toEqual([59_079, 59_079]);
    expect(buffers.map(({ byteLength }) => byteLength)).toEqual([0, 0]);
  });

  test('moves every buffer of a table, so that none is copied', async () => {
    const moved = (await readInThread({
      bytes: { buffer: fileBuffer(path) },
      name: path,
      layout: FEATURE_LAYOUT,
    })) as {
      [transferableSymbol]: ArrayBuffer[];
      [valueSymbol]: ReadResult & { ok: true };
    };
    const { table } = moved[valueSymbol];
    structuredClone(table, { transfer: moved[transferableSymbol] });
    expect(typedArrays(table).map(({ byteLength }) => byteLength)).toEqual(typedArrays(table).map(() => 0));
    expect(typedArrays(table).length).toBeGreaterThan(30);
  });
});

describe('the reading thread', () => {
  test('says which table is unreadable, and why', async () => {
    await using reader = new TableReader();
    const read = (text: string) =>
      reader.read(
        { buffer: new Uint8Array(Buffer.from(text)).buffer },
        's3://bucket/features',
        FEATURE_LAYOUT,
      );
    await expect(read('<html></html>')).rejects.toThrow(TableUnreadableError);
    await expect(read('<html></html>')).rejects.toThrow(
      's3://bucket/features: does not end as a Parquet file does',
    );
    await expect(
      reader.read({ path: '/no/such/file', version: '1' }, 'features', FEATURE_LAYOUT),
    ).rejects.toThrow(/^features: ENOENT/);
  });

  test('ends with its reader', async () => {
    const reader = new TableReader();
    await reader[Symbol.asyncDispose]();
    const buffer = new ArrayBuffer(12);
    await expect(reader.read({ buffer }, 'features', FEATURE_LAYOUT)).rejects.toThrow(TableUnreadableError);
  });
});

function typedArrays(value: TableData | unknown): ArrayBufferView[] {
  if (ArrayBuffer.isView(value)) return [value];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(typedArrays) : [];
}

import { mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { TableUnreadableError } from '../../src/errors.ts';
import { FEATURE_LAYOUT, FeatureTable } from '../../src/tables/feature-table.ts';
import { FileSource } from '../../src/tables/file-source.ts';
import { emptyTable } from '../../src/tables/table.ts';
import { TableReader } from '../../src/tables/table-reader.ts';
import type { TableBytes, TableSource, TableStamp } from '../../src/tables/table-source.ts';
import { TableStore } from '../../src/tables/table-store.ts';
import { describeShared } from '../shared-data.ts';
import { fileBuffer } from './table-file.ts';

/** A source whose table is the text of its version, and a store of such texts. */
class FakeSource implements TableSource {
  readonly name = 'fake';
  version: string | undefined;
  fault: Error | undefined;
  /** Called at each fetch, before its bytes are there. */
  onFetch: () => void | Promise<void> = () => {};
  fetches = 0;

  async look(): Promise<TableStamp | undefined> {
    if (this.fault) throw this.fault;
    return this.version === undefined
      ? undefined
      : { version: this.version, writtenAt: timeOf(this.version) };
  }

  async fetch({ version }: TableStamp): Promise<TableBytes> {
    this.fetches++;
    await this.onFetch();
    return { path: version, version };
  }
}

function textOf(version: string): string {
  return timeOf(version).toISOString().replace('.000', '');
}

function timeOf(version: string): Date {
  return new Date(Date.UTC(2026, 0, 1) + version.length * 1000);
}

function storeOf(source: TableSource, refreshSeconds = 0) {
  const lines: string[] = [];
  const log = (level: string) => (_: unknown, message: string) => lines.push(`${level}: ${message}`);
  const logger = { info: log('info'), warn: log('warn'), error: log('error') };
  const read = async (bytes: TableBytes) => {
    const text = 'path' in bytes ? bytes.path : '';
    if (text.startsWith('bad')) throw new TableUnreadableError(`${text}: is malformed`);
    return text;
  };
  const store = new TableStore({ name: 'features', source, read, empty: 'empty', refreshSeconds, logger });
  return { lines, store };
}

describe('a table store', () => {
  test('serves the empty table before it has looked, and while there is no file', async () => {
    const { store, lines } = storeOf(new FakeSource());
    expect([store.current, store.looked]).toEqual([{ table: 'empty', writtenAt: null }, false]);
    await store.start();
    await store.refresh();
    expect([store.current, store.looked]).toEqual([{ table: 'empty', writtenAt: null }, true]);
    expect(store.lastFault).toBeUndefined();
    expect(lines).toEqual(['warn: no features table yet: it counts as empty']);
  });

  test('serves the table with the time when it was written, and reads a version only once', async () => {
    const source = new FakeSource();
    source.version = 'one';
    const { store, lines } = storeOf(source);
    await store.start();
    await store.refresh();
    expect(store.current).toEqual({ table: 'one', writtenAt: textOf('one') });
    expect(source.fetches).toBe(1);
    source.version = 'version two';
    await store.refresh();
    expect(store.current).toEqual({ table: 'version two', writtenAt: textOf('version two') });
    expect(lines).toEqual(['info: features table loaded', 'info: features table loaded']);
  });

  test('starts with the empty table when the file is malformed, and says why', async () => {
    const source = new FakeSource();
    source.version = 'bad';
    const { store, lines } = storeOf(source);
    await store.start();
    expect(store.current.table).toBe('empty');
    expect([store.looked, store.lastFault]).toEqual([true, 'bad: is malformed']);
    expect(lines).toEqual(['error: features table not refreshed: the empty table is served']);
  });

  test('serves its copy on while a newer file is malformed, the source fails or the file is gone', async () => {
    const source = new FakeSource();
    source.version = 'good';
    const { store, lines } = storeOf(source);
    await store.start();
    const served = store.current;
    const states: [string | undefined, Error | undefined, string][] = [
      ['bad', undefined, 'bad: is malformed'],
      ['good', new Error('connection refused'), 'connection refused'],
      [undefined, undefined, 'fake is gone'],
    ];
    for (const [version, fault, reason] of states) {
      Object.assign(source, { version, fault });
      for (let refresh = 0; refresh < 3; refresh++) await store.refresh();
      expect(store.current).toBe(served);
      expect(store.lastFault).toBe(reason);
    }
    source.version = 'good';
    await store.refresh();
    expect([store.current, store.lastFault]).toEqual([served, undefined]);
    const servedOn = `features table not refreshed: the one of ${textOf('good')} is served on`;
    expect(lines).toEqual([
      'info: features table loaded',
      `error: ${servedOn}`,
      `error: ${servedOn}`,
      `warn: ${servedOn}`,
      'info: features table is as it should be again',
    ]);
  });

  test('reads the version that took the place of the one it was reading', async () => {
    const source = new FakeSource();
    source.version = 'bad, half written';
    source.onFetch = () => {
      source.version = 'whole';
    };
    const { store } = storeOf(source);
    await store.start();
    expect(store.current).toEqual({ table: 'whole', writtenAt: textOf('whole') });
    expect(source.fetches).toBe(2);
  });

  test('gives up for this refresh when the file is replaced again and again', async () => {
    const source = new FakeSource();
    source.version = 'bad';
    source.onFetch = () => {
      source.version += '!';
    };
    const { store } = storeOf(source);
    await store.start();
    expect(source.fetches).toBe(3);
    expect(store.lastFault).toBe('bad!!: is malformed');
  });

  test('runs one refresh at a time', async () => {
    const source = new FakeSource();
    source.version = 'one';
    const held = Promise.withResolvers<void>();
    source.onFetch = () => held.promise;
    const { store } = storeOf(source);
    const refreshes = [store.start(), store.refresh(), store.refresh()];
    held.resolve();
    await Promise.all(refreshes);
    expect(source.fetches).toBe(1);
  });

  test('looks again by itself, and no more once it is disposed of', async () => {
    const source = new FakeSource();
    source.version = 'one';
    const { store } = storeOf(source, 0.01);
    await store.start();
    source.version = 'two';
    await expect.poll(() => store.current.table).toBe('two');
    const held = Promise.withResolvers<void>();
    const fetching = Promise.withResolvers<void>();
    source.onFetch = () => {
      fetching.resolve();
      return held.promise;
    };
    source.version = 'three';
    await fetching.promise;
    const disposed = store[Symbol.asyncDispose]();
    held.resolve();
    await disposed;
    expect(store.current.table).toBe('three');
    const { fetches } = source;
    source.version = 'four';
    await store.refresh();
    expect(source.fetches).toBe(fetches);
  });
});

describeShared('a store of a real file', (folder) => {
  test('follows the file through replacement, damage, deletion and return', async () => {
    const variant = (name: string) =>
      new Uint8Array(fileBuffer(join(folder, `features/variants/${name}.parquet`)));
    const directory = await mkdtemp(join(tmpdir(), 'table-store-'));
    const path = join(directory, 'features.parquet');
    await using reader = new TableReader();
    const quiet = { info() {}, warn() {}, error() {} };
    await using store = new TableStore({
      name: 'features',
      source: new FileSource(path),
      read: async (bytes) => new FeatureTable(await reader.read(bytes, path, FEATURE_LAYOUT)),
      empty: new FeatureTable(emptyTable()),
      refreshSeconds: 0,
      logger: quiet,
    });
    const rowsAfter = async () => {
      await store.refresh();
      return store.current.table.rowCount;
    };
    await store.start();
    expect(store.current.table.rowCount).toBe(0);
    await writeFile(path, variant('pandas_only_upcoming'));
    expect(await rowsAfter()).toBe(78);
    await writeFile(join(directory, 'new'), variant('polars_snappy'));
    await rename(join(directory, 'new'), path);
    expect(await rowsAfter()).toBe(1500);
    await writeFile(path, variant('pandas_snappy').subarray(0, 50_000));
    expect(await rowsAfter()).toBe(1500);
    expect(store.lastFault).toContain('does not end as a Parquet file does');
    await rm(path);
    expect(await rowsAfter()).toBe(1500);
    await writeFile(path, variant('pandas_empty'));
    expect(await rowsAfter()).toBe(0);
    expect(store.lastFault).toBeUndefined();
    await rm(directory, { recursive: true });
  });
});

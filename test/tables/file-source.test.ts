import { mkdtemp, rename, rm, truncate, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { FileSource } from '../../src/tables/file-source.ts';
import { openBytes } from '../../src/tables/table-bytes.ts';

describe('a table in a file', () => {
  let folder: string;
  let path: string;
  let source: FileSource;

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'file-source-'));
    path = join(folder, 'table.parquet');
    source = new FileSource(path);
  });
  afterEach(() => rm(folder, { recursive: true }));

  test('is not there when the file or its folder is not', async () => {
    expect(await source.look()).toBeUndefined();
    expect(await new FileSource(join(folder, 'no/such/folder.parquet')).look()).toBeUndefined();
    await writeFile(path, 'x');
    expect(await new FileSource(join(path, 'below-a-file.parquet')).look()).toBeUndefined();
  });

  test('was written when the file says', async () => {
    await writeFile(path, 'x');
    const writtenAt = new Date('2026-05-15T15:00:00.250Z');
    await utimes(path, writtenAt, writtenAt);
    expect((await source.look())?.writtenAt).toEqual(writtenAt);
  });

  test('has another version after each change, and only then', async () => {
    await writeFile(path, 'one');
    const versions = [await version(), await version()];
    expect(versions[0]).toBe(versions[1]);
    await truncate(path, 2);
    versions.push(await version());
    const { mtime } = { mtime: new Date('2020-01-01') };
    await writeFile(join(folder, 'new'), 'on');
    await utimes(join(folder, 'new'), mtime, mtime);
    await rename(join(folder, 'new'), path);
    versions.push(await version());
    await utimes(path, mtime, new Date('2020-01-02'));
    versions.push(await version());
    expect(new Set(versions).size).toBe(4);
  });

  test('is read as it was looked at, also when another file takes its name meanwhile', async () => {
    await writeFile(path, 'the old one');
    const bytes = await source.fetch((await source.look())!);
    using opened = openBytes(bytes);
    await writeFile(join(folder, 'new'), 'the new one');
    await rename(join(folder, 'new'), path);
    expect(Buffer.from(opened.read(4, 11)).toString()).toBe('old one');
  });

  test('is refused when it was written after it was looked at, or while it is read', async () => {
    await writeFile(path, 'half of i');
    const bytes = await source.fetch((await source.look())!);
    using opened = openBytes(bytes);
    await writeFile(path, 'the whole of it');
    expect(() => opened.checkUnchanged()).toThrow('was changed while it was read');
    expect(() => openBytes(bytes)).toThrow('was changed while it was read');
  });

  test('says when bytes are read that it does not have', async () => {
    await writeFile(path, 'twelve bytes');
    using opened = openBytes(await source.fetch((await source.look())!));
    expect(() => opened.read(0, 13)).toThrow('bytes 0 to 13 are not in a file of 12 bytes');
    expect(() => opened.read(5, 4)).toThrow('bytes 5 to 4');
    expect(() => opened.read(Number.NaN, 4)).toThrow('bytes NaN to 4');
    await truncate(path, 3);
    expect(() => opened.read(0, 12)).toThrow('ends at byte 3 of 12');
  });

  async function version(): Promise<string | undefined> {
    return (await source.look())?.version;
  }
});

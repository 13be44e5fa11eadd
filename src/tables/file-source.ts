import type { BigIntStats } from 'node:fs';
import { stat } from 'node:fs/promises';
import type { TableBytes, TableSource, TableStamp } from './table-source.ts';

/** A table in a local file. The reading thread opens the file itself and checks that it stays the version looked at. */
export class FileSource implements TableSource {
  readonly name: string;

  constructor(path: string) {
    this.name = path;
  }

  async look(): Promise<TableStamp | undefined> {
    const stats = await stat(this.name, { bigint: true }).catch((error: NodeJS.ErrnoException) => {
      // ENOTDIR: a part of the path is a file, so the table is as little there.
      if (error.code === 'ENOENT' || error.code === 'ENOTDIR') return undefined;
      throw error;
    });
    return stats && { version: fileVersion(stats), writtenAt: stats.mtime };
  }

  async fetch({ version }: TableStamp): Promise<TableBytes> {
    return { path: this.name, version };
  }
}

/** Differs between any two states of a file: another file of the same name has another inode. Times in nanoseconds. */
export function fileVersion({ ino, size, mtimeNs, ctimeNs }: BigIntStats): string {
  return `${ino}-${size}-${mtimeNs}-${ctimeNs}`;
}

import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import { fileVersion } from './file-source.ts';
import type { TableBytes } from './table-source.ts';

/** Bytes of a table, read piece by piece, so that a file is never in memory as a whole. */
export interface RandomBytes extends Disposable {
  readonly size: number;
  /** The bytes from `start` up to `end`, valid until the next read. @throws Error when they are not all there. */
  read(start: number, end: number): Uint8Array<ArrayBuffer>;
  /** @throws Error when what was read until now may be of two versions of the file. */
  checkUnchanged(): void;
}

/** Opens a table's bytes, wherever they are. @throws Error when a file is not the version that was asked for. */
export function openBytes(bytes: TableBytes): RandomBytes {
  return 'path' in bytes ? openFile(bytes.path, bytes.version) : openBuffer(bytes.buffer);
}

/** A file stays the one that was opened when its name is given to another; what is left is a write in place. */
function openFile(path: string, version: string): RandomBytes {
  const file = openSync(path, 'r');
  const size = fstatSync(file).size;
  let scratch = new Uint8Array(0); // one for all reads: a new one each time stays resident until it is collected
  const checkUnchanged = () => {
    const found = fileVersion(fstatSync(file, { bigint: true }));
    if (found !== version) throw new Error(`was changed while it was read: version ${found} for ${version}`);
  };
  const bytes: RandomBytes = {
    size,
    checkUnchanged,
    read(start, end) {
      checkRange(start, end, size);
      if (scratch.length < end - start) scratch = new Uint8Array(end - start);
      const piece = scratch.subarray(0, end - start);
      let length = 0;
      while (length < piece.length) {
        const got = readSync(file, piece, length, piece.length - length, start + length);
        if (got === 0) throw new Error(`ends at byte ${start + length} of ${size}`);
        length += got;
      }
      return piece;
    },
    [Symbol.dispose]: () => closeSync(file),
  };
  try {
    checkUnchanged();
    return bytes;
  } catch (error) {
    closeSync(file);
    throw error;
  }
}

function openBuffer(buffer: ArrayBuffer): RandomBytes {
  const size = buffer.byteLength;
  return {
    size,
    checkUnchanged() {},
    read(start, end) {
      checkRange(start, end, size);
      return new Uint8Array(buffer, start, end - start);
    },
    [Symbol.dispose]() {},
  };
}

function checkRange(start: number, end: number, size: number): void {
  if (start >= 0 && start <= end && end <= size) return; // NaN fails too
  throw new Error(`bytes ${start} to ${end} are not in a file of ${size} bytes`);
}

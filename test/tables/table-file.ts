import { readFileSync } from 'node:fs';
import { readTable } from '../../src/tables/read-table.ts';
import type { TableData, TableLayout } from '../../src/tables/table.ts';

/** A file's bytes in a buffer of their own. */
export function fileBuffer(path: string): ArrayBuffer {
  return new Uint8Array(readFileSync(path)).buffer;
}

/** Reads a file into a table here, without the reading thread. */
export function readTableFile(path: string, layout: TableLayout): TableData {
  return readTable({ buffer: fileBuffer(path) }, path, layout);
}

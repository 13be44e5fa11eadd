import { crc32 } from 'node:zlib';
import { parquetHeader } from 'hyparquet/src/column.js';
import type { RowGroup } from 'hyparquet/src/types.js';
import type { RandomBytes } from '../table-bytes.ts';
import { decompress } from './codecs.ts';
import { checkCount, type Page, readDataPage } from './data-page.ts';
import type { ParquetColumn, ParquetFooter } from './footer.ts';
import { type PhysicalValues, readValues } from './values.ts';

/**
 * Yields a flat column's pages, row group after row group; exactly as many rows as the footer declares.
 * Only one column chunk and one page of it are in memory at a time.
 *
 * @throws Error that names the column when a page is malformed, of an unsupported codec or encoding, or encrypted.
 */
export function* readPages(
  bytes: RandomBytes,
  footer: ParquetFooter,
  column: ParquetColumn,
): Generator<Page> {
  try {
    for (const group of footer.rowGroups) yield* readChunk(bytes, group, column);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new Error(`column ${JSON.stringify(column.name)}: ${reason}`, { cause: error });
  }
}

function* readChunk(bytes: RandomBytes, group: RowGroup, column: ParquetColumn): Generator<Page> {
  const rowCount = Number(group.num_rows);
  if (rowCount === 0) return;
  const chunk = group.columns[column.position];
  if (chunk?.crypto_metadata || chunk?.encrypted_column_metadata) throw new Error('is encrypted');
  if (chunk?.file_path) throw new Error(`is in another file, ${JSON.stringify(chunk.file_path)}`);
  const meta = chunk?.meta_data;
  if (meta?.path_in_schema[0] !== column.name) throw new Error('is not where the schema says');
  if (meta.type !== column.element.type) throw new Error(`holds ${meta.type}, not ${column.element.type}`);

  const dictionaryStart = Number(meta.dictionary_page_offset ?? 0);
  const dataStart = Number(meta.data_page_offset);
  // Some writers put 0, or nothing, where there is no dictionary.
  const start = dictionaryStart > 0 && dictionaryStart < dataStart ? dictionaryStart : dataStart;
  const raw = bytes.read(start, start + Number(meta.total_compressed_size));
  const reader = { view: new DataView(raw.buffer, raw.byteOffset, raw.byteLength), offset: 0 };

  let dictionary: PhysicalValues | undefined;
  for (let row = 0; row < rowCount; ) {
    if (reader.offset >= raw.length) throw new Error(`has ${row} values for ${rowCount} rows`);
    const header = parquetHeader(reader);
    const end = reader.offset + header.compressed_page_size;
    if (!(end >= reader.offset && end <= raw.length)) {
      throw new Error(
        `has a page of ${end - reader.offset} bytes where ${raw.length - reader.offset} are left`,
      );
    }
    const body = raw.subarray(reader.offset, end);
    reader.offset = end;
    if (header.crc !== undefined && crc32(body) !== header.crc >>> 0)
      throw new Error('has a page of a wrong checksum');
    if (header.type === 'DICTIONARY_PAGE') {
      const page = decompress(meta.codec, body, header.uncompressed_page_size);
      // PLAIN_DICTIONARY is the old name of PLAIN here. A dictionary has no more values than the chunk.
      const count = checkCount(header.dictionary_page_header?.num_values, rowCount);
      dictionary = readValues(column, 'PLAIN', page, 0, count);
    } else if (header.type === 'DATA_PAGE' || header.type === 'DATA_PAGE_V2') {
      const page = readDataPage(column, header, body, meta.codec, dictionary, rowCount - row);
      row += page.rowCount;
      yield page;
    }
  }
}

import type { PageHeader } from 'hyparquet/src/types.js';
import { type Codec, decompress } from './codecs.ts';
import type { ParquetColumn } from './footer.ts';
import { readHybrid } from './hybrid.ts';
import { type PhysicalValues, readValues } from './values.ts';

/** A page of a column: what `rowCount` rows hold, in order. */
export interface Page {
  readonly rowCount: number;
  /** 1 for each row that has a value, 0 for a missing one; undefined when none is missing. */
  readonly present: Uint8Array | undefined;
  /** The values of the rows that have one; where `indexes` is there, the dictionary that it points into. */
  readonly values: PhysicalValues;
  readonly indexes: Int32Array | undefined;
}

/**
 * Decodes a data page of either version.
 *
 * @param body what follows the page's header
 * @param mostRows how many rows the page may have
 * @throws Error when it is malformed.
 */
export function readDataPage(
  column: ParquetColumn,
  header: PageHeader,
  body: Uint8Array,
  codec: Codec,
  dictionary: PhysicalValues | undefined,
  mostRows: number,
): Page {
  const v1 = header.data_page_header;
  const v2 = header.data_page_header_v2;
  const { num_values, encoding } = v1 ?? v2 ?? {};
  const rowCount = checkCount(num_values, mostRows);
  const isOptional = column.element.repetition_type === 'OPTIONAL';

  let page: Uint8Array<ArrayBuffer>;
  let offset = 0; // where the values begin in `page`
  let present: Uint8Array | undefined;
  if (v2) {
    // Version 2 leaves the levels uncompressed, before the data.
    const levelsEnd = v2.definition_levels_byte_length + v2.repetition_levels_byte_length;
    if (!(levelsEnd >= 0 && levelsEnd <= body.length)) throw new Error(`has levels of ${levelsEnd} bytes`);
    if (isOptional) present = readPresent(body, v2.repetition_levels_byte_length, levelsEnd, rowCount);
    const dataCodec = v2.is_compressed === false ? 'UNCOMPRESSED' : codec;
    page = decompress(dataCodec, body.subarray(levelsEnd), header.uncompressed_page_size - levelsEnd);
  } else {
    page = decompress(codec, body, header.uncompressed_page_size);
    if (isOptional) {
      if (v1?.definition_level_encoding !== 'RLE')
        throw new Error(`has levels in ${v1?.definition_level_encoding}`);
      offset = 4 + new DataView(page.buffer).getUint32(0, true);
      present = readPresent(page, 4, offset, rowCount);
    }
  }

  let count = rowCount;
  if (present) {
    count = 0;
    for (let row = 0; row < rowCount; row++) count += present[row]!;
    if (count === rowCount) present = undefined;
  }
  if (encoding === 'PLAIN_DICTIONARY' || encoding === 'RLE_DICTIONARY') {
    if (!dictionary) throw new Error('has a page of dictionary indexes and no dictionary');
    const indexes = readIndexes(page, offset, count, dictionary.length);
    return { rowCount, present, values: dictionary, indexes };
  }
  return { rowCount, present, values: readValues(column, encoding, page, offset, count), indexes: undefined };
}

/** The definition levels of a flat column: 1 is a value, 0 is a missing one. */
function readPresent(bytes: Uint8Array, start: number, end: number, rowCount: number): Uint8Array {
  const present = new Uint8Array(rowCount);
  readHybrid(bytes, start, end, 1, present);
  return present;
}

function readIndexes(page: Uint8Array, offset: number, count: number, dictionarySize: number): Int32Array {
  const indexes = new Int32Array(count);
  const bitWidth = count > 0 ? page[offset] : 0;
  if (bitWidth === undefined) throw new Error('has a page that ends before its dictionary indexes');
  if (bitWidth > 0) readHybrid(page, offset + 1, page.length, bitWidth, indexes);
  for (let position = 0; position < count; position++) {
    const index = indexes[position]!;
    if (index < 0 || index >= dictionarySize) {
      throw new Error(`has the dictionary index ${index}; the dictionary holds ${dictionarySize}`);
    }
  }
  return indexes;
}

/** A page may declare any number: no more than there are rows left is believed, before anything is allocated. */
export function checkCount(declared: number | undefined, most: number): number {
  if (declared !== undefined && declared >= 0 && declared <= most) return declared;
  throw new Error(`has a page of ${declared} values where ${most} are left`);
}

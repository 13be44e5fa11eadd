import { deltaBinaryUnpack, deltaByteArray, deltaLengthByteArray } from 'hyparquet/src/delta.js';
import { byteStreamSplit } from 'hyparquet/src/encoding.js';
import { readPlain } from 'hyparquet/src/plain.js';
import type { Encoding } from 'hyparquet/src/types.js';
import type { ParquetColumn } from './footer.ts';
import { readHybrid } from './hybrid.ts';

/**
 * Values as they are stored, before their logical type is looked at: BOOLEAN as Uint8Array of 0 and 1, byte arrays and
 * INT96 (12 bytes) as Uint8Array[], the others as the typed array of their name.
 */
export type PhysicalValues =
  | Uint8Array
  | Int32Array
  | BigInt64Array
  | Float32Array
  | Float64Array
  | readonly Uint8Array[];

/**
 * Decodes `count` values of a page from `offset`.
 *
 * @param page in a buffer of its own, so that a value that is not there is a RangeError.
 * @throws Error for an encoding that is not supported and for a page that is too short.
 */
export function readValues(
  { element: { type, type_length: width } }: ParquetColumn,
  encoding: Encoding | undefined,
  page: Uint8Array<ArrayBuffer>,
  offset: number,
  count: number,
): PhysicalValues {
  if (count === 0) return [];
  const reader = { view: new DataView(page.buffer), offset };
  switch (encoding) {
    case 'PLAIN':
      if (type === 'BOOLEAN') return readBits(page, offset, count);
      // hyparquet's own INT96 loses the days where the nanoseconds are negative, as Spark writes them.
      if (type === 'INT96') return readPlain(reader, 'FIXED_LEN_BYTE_ARRAY', count, 12) as Uint8Array[];
      return readPlain(reader, type!, count, width) as PhysicalValues;
    case 'RLE': {
      if (type !== 'BOOLEAN') break;
      const booleans = new Uint8Array(count);
      readHybrid(page, offset + 4, offset + 4 + reader.view.getUint32(offset, true), 1, booleans);
      return booleans;
    }
    case 'BYTE_STREAM_SPLIT':
      return byteStreamSplit(reader, count, type!, width) as PhysicalValues;
    case 'DELTA_BINARY_PACKED': {
      if (type !== 'INT32' && type !== 'INT64') break;
      const integers = type === 'INT32' ? new Int32Array(count) : new BigInt64Array(count);
      deltaBinaryUnpack(reader, count, integers);
      return integers;
    }
    case 'DELTA_LENGTH_BYTE_ARRAY':
    case 'DELTA_BYTE_ARRAY': {
      if (type !== 'BYTE_ARRAY' && type !== 'FIXED_LEN_BYTE_ARRAY') break;
      const arrays: Uint8Array[] = new Array(count);
      (encoding === 'DELTA_BYTE_ARRAY' ? deltaByteArray : deltaLengthByteArray)(reader, count, arrays);
      return arrays;
    }
  }
  throw new Error(`has ${type} values in the encoding ${encoding}, which is not supported`);
}

/** PLAIN booleans: one bit each, the lowest first. */
function readBits(page: Uint8Array, offset: number, count: number): Uint8Array {
  if (offset + Math.ceil(count / 8) > page.length)
    throw new Error(`has a page that ends before its ${count} booleans`);
  const booleans = new Uint8Array(count);
  for (let index = 0; index < count; index++)
    booleans[index] = (page[offset + (index >> 3)]! >> (index & 7)) & 1;
  return booleans;
}

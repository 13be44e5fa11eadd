import { parseDecimal, parseFloat16 } from 'hyparquet/src/convert.js';
import type { Page } from './data-page.ts';
import type { ParquetColumn } from './footer.ts';
import type { PhysicalValues } from './values.ts';

/**
 * Reads a column as numbers into an array of `numberArrayOf` its type, a missing one as NaN. Booleans are 0 and 1; text
 * that is no number is missing.
 */
export function readNumbers(
  pages: Iterable<Page>,
  column: ParquetColumn,
  into: Float32Array | Float64Array,
): void {
  fillNumbers(into, pages, (values) => numbersOf(values, column));
}

/** Writes what `convert` makes of each page's values (a dictionary's once) into `into`, NaN where a row has none. */
export function fillNumbers(
  into: Float32Array | Float64Array,
  pages: Iterable<Page>,
  convert: (values: PhysicalValues) => ArrayLike<number>,
): void {
  let row = 0;
  let converted: PhysicalValues | undefined;
  let numbers: ArrayLike<number> = [];
  for (const { rowCount, present, values, indexes } of pages) {
    if (converted !== values) {
      numbers = convert(values);
      converted = values;
    }
    if (present) {
      for (let index = 0, next = 0; index < rowCount; index++) {
        into[row + index] = present[index] === 0 ? Number.NaN : numbers[indexes ? indexes[next++]! : next++]!;
      }
    } else if (indexes) {
      for (let index = 0; index < rowCount; index++) into[row + index] = numbers[indexes[index]!]!;
    } else {
      into.set(numbers, row);
    }
    row += rowCount;
  }
}

/** The numbers that stored values stand for, by their logical type. */
export function numbersOf(values: PhysicalValues, { element, kind }: ParquetColumn): ArrayLike<number> {
  const { converted_type: converted, logical_type: logical } = element;
  const isDecimal = converted === 'DECIMAL' || logical?.type === 'DECIMAL';
  const isUnsigned = converted?.startsWith('UINT_') || (logical?.type === 'INTEGER' && !logical.isSigned);
  // Dividing by a power of ten rounds once; multiplying by 10 ** -scale would round twice.
  const divisor = isDecimal ? 10 ** ((logical?.type === 'DECIMAL' ? logical.scale : element.scale) ?? 0) : 1;
  if (values instanceof BigInt64Array) {
    const integers = isUnsigned
      ? new BigUint64Array(values.buffer, values.byteOffset, values.length)
      : values;
    return map(integers as ArrayLike<bigint>, (value) => Number(value) / divisor);
  }
  if (values instanceof Int32Array) {
    if (isUnsigned) return new Uint32Array(values.buffer, values.byteOffset, values.length);
    return isDecimal ? map(values, (value) => value / divisor) : values;
  }
  if (!isArrays(values)) return values as ArrayLike<number>;
  if (isDecimal) return map(values, (bytes) => parseDecimal(bytes) / divisor);
  if (kind === 'text') return map(values, parseNumber);
  return map(values, (bytes) => parseFloat16(bytes) ?? Number.NaN);
}

/** `Float64Array.from(values, convert)` goes through an iterator and takes many times as long. */
function map<T>(values: ArrayLike<T>, convert: (value: T) => number): Float64Array {
  const numbers = new Float64Array(values.length);
  for (let index = 0; index < values.length; index++) numbers[index] = convert(values[index]!);
  return numbers;
}

function isArrays(values: PhysicalValues): values is readonly Uint8Array[] {
  return Array.isArray(values);
}

/** Text as pandas or a person writes it: `2`, `2.0`, `true`, `False`; NaN for all that is no number. */
function parseNumber(bytes: Uint8Array): number {
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString().trim();
  if (/^true$/i.test(text)) return 1;
  if (/^false$/i.test(text)) return 0;
  return text === '' ? Number.NaN : Number(text);
}

/** The narrower array where every value of the column's type fits; integers are in floats, for they may be missing. */
export function numberArrayOf({ element }: ParquetColumn): Float32ArrayConstructor | Float64ArrayConstructor {
  const { type, converted_type: converted, logical_type: logical } = element;
  if (type === 'FLOAT' || type === 'BOOLEAN' || logical?.type === 'FLOAT16') return Float32Array;
  if (logical?.type === 'INTEGER') return logical.bitWidth <= 16 ? Float32Array : Float64Array;
  return converted !== undefined && /^U?INT_(8|16)$/.test(converted) ? Float32Array : Float64Array;
}

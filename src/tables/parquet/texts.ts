import type { TextColumn } from '../table.ts';
import type { Page } from './data-page.ts';
import type { ParquetColumn } from './footer.ts';
import { numbersOf } from './numbers.ts';
import { TextPool } from './text-pool.ts';
import { timestampText } from './timestamps.ts';
import type { PhysicalValues } from './values.ts';

/**
 * Reads a column as text: text as it is, timestamps as ISO 8601, numbers in their shortest form, booleans as `true` and
 * `false`; a NaN and a NaT are missing. A dictionary's entries are kept once, however many rows point at them.
 */
export function readTexts(pages: Iterable<Page>, column: ParquetColumn, rowCount: number): TextColumn {
  const codes = new Int32Array(rowCount);
  const pool = new TextPool();
  let row = 0;
  let dictionary: PhysicalValues | undefined;
  let entries = new Int32Array(0);
  for (const { rowCount: count, present, values, indexes } of pages) {
    if (!indexes || dictionary !== values) entries = addAll(pool, values, column);
    dictionary = indexes && values;
    for (let index = 0, next = 0; index < count; index++) {
      codes[row + index] = present?.[index] === 0 ? -1 : entries[indexes ? indexes[next++]! : next++]!;
    }
    row += count;
  }
  return { name: column.name, codes, ...pool.build() };
}

/** The code of each value. */
function addAll(pool: TextPool, values: PhysicalValues, column: ParquetColumn): Int32Array<ArrayBuffer> {
  const codes = new Int32Array(values.length);
  const numbers = column.kind === 'number' ? numbersOf(values, column) : [];
  for (let index = 0; index < codes.length; index++) {
    let entry: Uint8Array | string | undefined;
    if (column.kind === 'text') entry = values[index] as Uint8Array;
    else if (column.kind === 'timestamp') entry = timestampText(values[index]!, column);
    else entry = numberText(numbers[index]!, column);
    codes[index] = pool.add(entry);
  }
  return codes;
}

function numberText(value: number, { element }: ParquetColumn): string | undefined {
  if (element.type === 'BOOLEAN') return String(value === 1);
  return Number.isNaN(value) ? undefined : String(value);
}

import type { Page } from './parquet/data-page.ts';
import type { PandasIndex, ParquetColumn, ParquetFooter } from './parquet/footer.ts';
import { fillNumbers, numbersOf } from './parquet/numbers.ts';
import type { PhysicalValues } from './parquet/values.ts';

/** pandas writes an index that has no name under this one. */
const UNNAMED_INDEX = '__index_level_0__';

/** Where a file's match ids are: in a column, or in its pandas metadata as a range. */
export type MatchIdSource = { readonly column: ParquetColumn } | { readonly range: IndexRange };
type IndexRange = NonNullable<PandasIndex['range']>;

/**
 * Finds the match ids: the index that the file's pandas metadata names, else the column `match_id`, else pandas' unnamed
 * index, else the column `id`. Consecutive ids are a named range, which pandas keeps in the metadata alone; a range
 * without a name is row numbers. The unnamed index comes after `match_id`, because filtering a frame turns its row
 * numbers into one, and they would pass for ids.
 *
 * @throws Error when there is none, and when pandas names several (a multi-index).
 */
export function findMatchIds({ columns, skipped, pandasIndex }: ParquetFooter): MatchIdSource {
  const levels = pandasIndex.map(({ name }) => name ?? '(no name)');
  if (levels.length > 1)
    throw new Error(`has an index of ${levels.length} levels (${levels.join(', ')}), not match ids`);
  const [index] = pandasIndex.filter(({ name }) => name !== undefined && name !== UNNAMED_INDEX);
  const find = (name: string | undefined) => columns.find((column) => column.name === name);
  const named = find(index?.name);
  if (!named && index?.range) return { range: index.range };
  const column = named ?? find('match_id') ?? find(UNNAMED_INDEX) ?? find('id');
  if (!column) {
    const unread = skipped.length === 0 ? '' : ` (columns that cannot be read: ${skipped.join(', ')})`;
    throw new Error(`has no match ids: there is no named pandas index and no column match_id or id${unread}`);
  }
  if (column.kind === 'timestamp' || column.element.type === 'BOOLEAN') {
    throw new Error(
      `has no match ids: its index ${column.name} holds ${column.element.type} ${column.kind}s`,
    );
  }
  return { column };
}

/** The ids of a range. @throws Error when it has not one integer for each row. */
export function rangeIds({ start, stop, step }: IndexRange, rowCount: number): Float64Array<ArrayBuffer> {
  const length = Math.max(0, Math.ceil((stop - start) / step));
  if (
    length !== rowCount ||
    !Number.isSafeInteger(start) ||
    !Number.isSafeInteger(step) ||
    !Number.isSafeInteger(stop)
  ) {
    throw new Error(`has the range ${start} to ${stop} by ${step} as match ids of its ${rowCount} rows`);
  }
  const ids = new Float64Array(rowCount);
  for (let row = 0; row < rowCount; row++) ids[row] = start + row * step;
  return ids;
}

/**
 * Reads the match ids of a column: integers of any width, whole floats, or text of digits.
 *
 * @throws Error that names the first id that is missing, fractional, no number, or beyond ±(2^53−1).
 */
export function readMatchIds(
  pages: Iterable<Page>,
  column: ParquetColumn,
  rowCount: number,
): Float64Array<ArrayBuffer> {
  const ids = new Float64Array(rowCount);
  fillNumbers(ids, pages, (values) => idsOf(values, column));
  const missing = ids.findIndex(Number.isNaN);
  if (missing >= 0) throw new Error(`has no match id in row ${missing}`);
  return ids;
}

function idsOf(values: PhysicalValues, column: ParquetColumn): ArrayLike<number> {
  const isText = column.kind === 'text';
  const ids = isText ? Float64Array.from(values as Uint8Array[], parseId) : numbersOf(values, column);
  for (let index = 0; index < ids.length; index++) {
    const id = ids[index]!;
    if (Number.isSafeInteger(id) || Number.isNaN(id)) continue;
    const stored = values[index]; // beyond 2^53 the number is not what is stored
    const named = typeof stored !== 'bigint' ? id : id > 0 ? BigInt.asUintN(64, stored) : stored;
    throw new Error(`has the match id ${named}, not an integer within ±(2^53−1)`);
  }
  return ids;
}

function parseId(bytes: Uint8Array): number {
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString();
  if (!/^[+-]?\d+$/.test(text)) throw new Error(`has the match id ${JSON.stringify(text)}, not an integer`);
  const id = Number(text);
  if (!Number.isSafeInteger(id)) throw new Error(`has the match id ${text}, not an integer within ±(2^53−1)`);
  return id;
}

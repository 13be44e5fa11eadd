import { findRow, type MatchIndex } from './match-index.ts';

/** A column of numbers, NaN where one is missing. */
export interface NumberColumn {
  readonly name: string;
  readonly values: Float32Array<ArrayBuffer> | Float64Array<ArrayBuffer>;
}

/** A column of text: each row's entry in a pool of UTF-8 bytes, decoded only when a row is shown. */
export interface TextColumn {
  readonly name: string;
  /** The entry of each row, -1 where it is missing. */
  readonly codes: Int32Array<ArrayBuffer>;
  /** Where each entry ends in `bytes`; it begins where the one before ends. */
  readonly ends: Uint32Array<ArrayBuffer>;
  readonly bytes: Uint8Array<ArrayBuffer>;
}

/**
 * A table as plain data: a few objects and, however many rows there are, one to three buffers a column. It crosses from
 * the reading thread by transfer, so that the main thread does no work that grows with the rows.
 */
export interface TableData {
  readonly rowCount: number;
  readonly index: MatchIndex;
  /** In the file's order. */
  readonly numbers: readonly NumberColumn[];
  readonly texts: readonly TextColumn[];
  /** Rows in which the column `TableLayout.blankIn` is empty, in the file's order. */
  readonly blankRows: Int32Array<ArrayBuffer>;
}

/** Which columns of a file a table holds. */
export interface TableLayout {
  /** Columns to hold as numbers; `'all'` is every numeric or boolean one, without the match id. */
  readonly numbers: 'all' | readonly string[];
  /** Columns that `'all'` leaves out. */
  readonly except?: readonly string[];
  /** Columns to hold as text, whatever they are in the file. One that is held as numbers may be among them. */
  readonly texts: readonly string[];
  /** Columns without which the table is unreadable. */
  readonly required?: readonly string[];
  /** Column whose empty cells (null, NaN, NaT, '') make `blankRows`; where there is no such column, all rows do. */
  readonly blankIn?: string;
}

/** What a missing file is: a table with no rows and no columns. */
export function emptyTable(): TableData {
  const index = { ids: new Float64Array(0), slots: new Int32Array(1) };
  return { rowCount: 0, index, numbers: [], texts: [], blankRows: new Int32Array(0) };
}

/** Every buffer of a table: what to transfer with it. */
export function buffersOf({ index, numbers, texts, blankRows }: TableData): ArrayBuffer[] {
  const arrays = [
    index.ids,
    index.slots,
    blankRows,
    ...numbers.map(({ values }) => values),
    ...texts.flatMap(({ codes, ends, bytes }) => [codes, ends, bytes]),
  ];
  return [...new Set(arrays.map(({ buffer }) => buffer))]; // all numbers share one
}

/** Lookups in a table. Immutable: a newer file is a newer Table. */
export class Table {
  readonly #data: TableData;
  readonly #numbers: ReadonlyMap<string, NumberColumn['values']>;
  readonly #texts: ReadonlyMap<string, ShownColumn>;

  constructor(data: TableData) {
    this.#data = data;
    this.#numbers = new Map(data.numbers.map(({ name, values }) => [name, values]));
    this.#texts = new Map(
      data.texts.map((column) => [
        column.name,
        {
          ...column,
          buffer: Buffer.from(column.bytes.buffer),
          decoded: column.ends.length <= MOST_DECODED ? [] : undefined,
        },
      ]),
    );
  }

  get rowCount(): number {
    return this.#data.rowCount;
  }

  get numberColumns(): readonly NumberColumn[] {
    return this.#data.numbers;
  }

  get blankRows(): Int32Array {
    return this.#data.blankRows;
  }

  /** The row of a match id, in O(1); undefined when it is not there. */
  find(matchId: number): number | undefined {
    return findRow(this.#data.index, matchId);
  }

  matchId(row: number): number {
    return this.#data.index.ids[row]!;
  }

  /** A column's numbers; undefined when there is no such column. */
  numbers(name: string): NumberColumn['values'] | undefined {
    return this.#numbers.get(name);
  }

  hasText(name: string): boolean {
    return this.#texts.has(name);
  }

  /** A cell as text; null when it is missing or there is no such column. */
  text(name: string, row: number): string | null {
    const column = this.#texts.get(name);
    const code = column?.codes[row] ?? -1;
    if (!column || code < 0) return null;
    const { buffer, ends, decoded } = column;
    const known = decoded?.[code];
    if (known !== undefined) return known;
    const text = buffer.toString('utf8', code === 0 ? 0 : ends[code - 1]!, ends[code]!);
    if (decoded) decoded[code] = text;
    return text;
  }
}

/** Columns of so few different texts (teams, labels, runs) keep what was decoded; a table of any size stays small. */
const MOST_DECODED = 4096;

interface ShownColumn extends TextColumn {
  readonly buffer: Buffer;
  /** Entry → its text, where it was shown before. */
  readonly decoded: string[] | undefined;
}

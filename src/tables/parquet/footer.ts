import { parquetMetadata, parquetSchema } from 'hyparquet';
import type { FileMetaData, RowGroup, SchemaElement, SchemaTree } from 'hyparquet/src/types.js';
import type { RandomBytes } from '../table-bytes.ts';

/** What a flat column can be read as. Others (nested, TIME, UUID, BSON, ...) cannot be read, and nobody needs them. */
export type ColumnKind = 'number' | 'text' | 'timestamp';

export interface ParquetColumn {
  readonly name: string;
  readonly kind: ColumnKind;
  readonly element: SchemaElement;
  /** Which of a row group's column chunks it is. */
  readonly position: number;
}

/** A level of a pandas index: a column of the file, or a range, of which the metadata is all there is. */
export interface PandasIndex {
  readonly name: string | undefined;
  readonly range?: { readonly start: number; readonly stop: number; readonly step: number };
}

export interface ParquetFooter {
  readonly rowCount: number;
  readonly columns: readonly ParquetColumn[];
  /** Names of the columns that cannot be read. */
  readonly skipped: readonly string[];
  readonly rowGroups: readonly RowGroup[];
  /** The levels of the index that the file's pandas metadata names; empty without such metadata. */
  readonly pandasIndex: readonly PandasIndex[];
}

/** Far above any real table; it keeps what a lying footer makes us reserve within bounds. */
const MOST_ROWS = 2 ** 27;

/**
 * Reads the footer: columns, row groups, pandas metadata.
 *
 * @throws Error when the bytes are not Parquet, are encrypted, or contradict themselves.
 */
export function readFooter(bytes: RandomBytes): ParquetFooter {
  const metadata = parseMetadata(footerBytes(bytes));
  const rowCount = Number(metadata.num_rows);
  let groupRows = 0;
  for (const group of metadata.row_groups) {
    if (group.num_rows < 0n) throw new Error(`a row group declares ${group.num_rows} rows`);
    groupRows += Number(group.num_rows);
  }
  if (rowCount !== groupRows) throw new Error(`declares ${rowCount} rows, its row groups ${groupRows}`);
  if (rowCount > MOST_ROWS)
    throw new Error(`declares ${rowCount} rows; ${MOST_ROWS} are the most that are read`);

  const columns: ParquetColumn[] = [];
  const skipped: string[] = [];
  let position = 0;
  for (const tree of parquetSchema(metadata).children) {
    const name = tree.element.name;
    const kind = kindOf(tree);
    if (kind) columns.push({ name, kind, element: tree.element, position });
    else skipped.push(name);
    position += leafCount(tree);
  }
  const pandas = metadata.key_value_metadata?.find(({ key }) => key === 'pandas')?.value;
  return { rowCount, columns, skipped, rowGroups: metadata.row_groups, pandasIndex: pandasIndexOf(pandas) };
}

function parseMetadata(footer: Uint8Array): FileMetaData {
  try {
    return parquetMetadata(footer, { geoparquet: false });
  } catch (error) {
    throw new Error(`has a malformed footer (${error instanceof Error ? error.message : error})`, {
      cause: error,
    });
  }
}

/** The footer alone: metadata, its length in 4 bytes, `PAR1`. */
function footerBytes(bytes: RandomBytes): Uint8Array {
  if (bytes.size < 12) throw new Error(`has ${bytes.size} bytes, too few for a Parquet file`);
  const tail = bytes.read(bytes.size - 8, bytes.size);
  const magic = Buffer.from(tail.subarray(4)).toString('latin1');
  if (magic === 'PARE') throw new Error('is an encrypted Parquet file');
  if (magic !== 'PAR1')
    throw new Error(`does not end as a Parquet file does: ${JSON.stringify(magic)} for "PAR1"`);
  const length = new DataView(tail.buffer, tail.byteOffset).getUint32(0, true);
  if (length > bytes.size - 12)
    throw new Error(`declares a footer of ${length} bytes in a file of ${bytes.size}`);
  return bytes.read(bytes.size - 8 - length, bytes.size);
}

function kindOf({ element, children }: SchemaTree): ColumnKind | undefined {
  const logical = element.logical_type?.type;
  const converted = element.converted_type;
  if (children.length > 0 || element.repetition_type === 'REPEATED') return undefined;
  const isDecimal = converted === 'DECIMAL' || logical === 'DECIMAL';
  switch (element.type) {
    case 'BOOLEAN':
    case 'FLOAT':
    case 'DOUBLE':
      return 'number';
    case 'INT32':
    case 'INT64':
      if (logical === 'TIME' || converted?.startsWith('TIME_')) return undefined;
      if (logical === 'TIMESTAMP' || logical === 'DATE') return 'timestamp';
      return converted === 'DATE' || converted?.startsWith('TIMESTAMP_') ? 'timestamp' : 'number';
    case 'INT96': // deprecated, and only ever used for timestamps
      return 'timestamp';
    case 'BYTE_ARRAY':
      if (isDecimal) return 'number';
      if (logical === 'BSON' || logical === 'GEOMETRY' || logical === 'GEOGRAPHY') return undefined;
      return converted === 'BSON' ? undefined : 'text';
    case 'FIXED_LEN_BYTE_ARRAY':
      return isDecimal || logical === 'FLOAT16' ? 'number' : undefined;
    default:
      return undefined;
  }
}

function leafCount({ element, children }: SchemaTree): number {
  if (children.length === 0) return element.type ? 1 : 0;
  return children.reduce((count, child) => count + leafCount(child), 0);
}

/** https://pandas.pydata.org/docs/development/developer.html#storing-pandas-dataframe-objects-in-apache-parquet-format */
function pandasIndexOf(metadata: string | undefined): PandasIndex[] {
  const levels = parseObject(metadata)?.index_columns;
  return Array.isArray(levels) ? levels.map(pandasLevel) : [];
}

function pandasLevel(level: unknown): PandasIndex {
  if (typeof level === 'string') return { name: level };
  const { name, start, stop, step } = { ...(level as Record<string, unknown>) };
  const range = { start: Number(start), stop: Number(stop), step: Number(step) };
  return { name: typeof name === 'string' ? name : undefined, range };
}

/** The metadata is a hint: a file is not unreadable because another tool left it broken. */
function parseObject(json: string | undefined): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(json ?? 'null');
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : undefined;
  } catch {
    return undefined;
  }
}

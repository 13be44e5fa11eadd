import { readFooter } from '../../src/tables/parquet/footer.ts';
import { numberArrayOf, readNumbers } from '../../src/tables/parquet/numbers.ts';
import { readPages } from '../../src/tables/parquet/pages.ts';
import { readTexts } from '../../src/tables/parquet/texts.ts';
import { Table } from '../../src/tables/table.ts';
import { openBytes } from '../../src/tables/table-bytes.ts';

/** Every column of a file that can be read, numbers as numbers and the others as text, without regard to match ids. */
export function readAllColumns(file: Uint8Array): Record<string, (number | string | null)[]> {
  using bytes = openBytes({ buffer: new Uint8Array(file).buffer });
  const footer = readFooter(bytes);
  const columns: Record<string, (number | string | null)[]> = {};
  for (const column of footer.columns) {
    const pages = readPages(bytes, footer, column);
    if (column.kind === 'number') {
      const values = new (numberArrayOf(column))(footer.rowCount);
      readNumbers(pages, column, values);
      columns[column.name] = [...values];
    } else {
      const { name } = column;
      const index = { ids: new Float64Array(0), slots: new Int32Array(1) };
      const texts = [readTexts(pages, column, footer.rowCount)];
      const table = new Table({
        rowCount: footer.rowCount,
        index,
        numbers: [],
        texts,
        blankRows: new Int32Array(0),
      });
      columns[name] = Array.from({ length: footer.rowCount }, (_, row) => table.text(name, row));
    }
  }
  return columns;
}

import { buildMatchIndex } from '../../src/tables/match-index.ts';
import { TextPool } from '../../src/tables/parquet/text-pool.ts';
import type { TableData } from '../../src/tables/table.ts';

interface Columns {
  ids: number[];
  numbers?: Record<string, number[]>;
  texts?: Record<string, (string | undefined)[]>;
  blankRows?: number[];
}

/** A table made by hand: what the reader would make of a file with these columns. */
export function tableOf({ ids, numbers = {}, texts = {}, blankRows = [] }: Columns): TableData {
  return {
    rowCount: ids.length,
    index: buildMatchIndex(Float64Array.from(ids)),
    numbers: Object.entries(numbers).map(([name, values]) => ({ name, values: Float64Array.from(values) })),
    texts: Object.entries(texts).map(([name, cells]) => {
      const pool = new TextPool();
      const codes = Int32Array.from(cells, (cell) => pool.add(cell === undefined ? cell : Buffer.from(cell)));
      return { name, codes, ...pool.build() };
    }),
    blankRows: Int32Array.from(blankRows),
  };
}

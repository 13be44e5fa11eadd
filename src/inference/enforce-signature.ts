import { Tensor } from 'onnxruntime-node';
import type { Cast, InputPlan, TensorType } from '../models/input-plan.ts';

/** A row that has no probabilities, and why. */
export interface RowFailure {
  readonly row: number;
  readonly code: string;
  readonly message: string;
}

/** Rows that are ready to run. */
export interface CastRows {
  readonly feeds: Readonly<Record<string, Tensor>>;
  /** Which row of the matrix each row of the feeds is. */
  readonly rows: readonly number[];
  /** The rows that could not be cast; they are left out of the feeds. */
  readonly failures: readonly RowFailure[];
}

/**
 * Casts rows to the signature's types and on to the tensors' types. NaN is a missing value; an integer has none, so a
 * row without a value in an integer column fails, and no other row with it.
 *
 * @param matrix row-major, `rowCount` × the plan's width
 */
export function castRows(plan: InputPlan, matrix: Float64Array, rowCount: number): CastRows {
  const rows: number[] = [];
  const failures: RowFailure[] = [];
  const columns = plan.inputs.length === 1 ? plan.width : 1;
  const targets = plan.inputs.map(({ type }) => new Target(type, rowCount * columns));
  const [only] = targets;
  if (only && targets.length === 1 && plan.casts.every(({ kind, single }) => kind === 'float' && !single)) {
    only.values.set(matrix);
    for (let row = 0; row < rowCount; row++) rows.push(row);
  } else {
    for (let row = 0; row < rowCount; row++) {
      const column = castRow(plan, matrix, row, rows.length, targets);
      if (column === -1) rows.push(row);
      else failures.push({ row, code: 'INVALID_INPUT', message: describe(plan, matrix, row, column) });
    }
  }
  // Without a prototype: an input may be called __proto__.
  const feeds: Record<string, Tensor> = Object.create(null);
  plan.inputs.forEach(({ name, type, rank }, index) => {
    const data = (targets[index] as Target).data.subarray(0, rows.length * columns);
    feeds[name] = new Tensor(type, data, rank === 1 ? [rows.length] : [rows.length, columns]);
  });
  return { feeds, rows, failures };
}

/** The memory of one tensor. */
class Target {
  readonly data: Float32Array | Float64Array | Int32Array | BigInt64Array;
  /** The same memory as numbers; of int64 as pairs of 32-bit words, the lower first: no BigInt is made for a value. */
  readonly values: Float32Array | Float64Array | Int32Array;
  readonly #wide: boolean;

  constructor(type: TensorType, length: number) {
    this.#wide = type === 'int64';
    if (type === 'float32') this.data = this.values = new Float32Array(length);
    else if (type === 'float64') this.data = this.values = new Float64Array(length);
    else if (type === 'int32') this.data = this.values = new Int32Array(length);
    else {
      this.data = new BigInt64Array(length);
      this.values = new Int32Array(this.data.buffer);
    }
  }

  set(index: number, value: number): void {
    if (!this.#wide) {
      this.values[index] = value;
      return;
    }
    this.values[index * 2] = value; // a typed array keeps the lower 32 bits of a whole number
    this.values[index * 2 + 1] = Math.floor(value / 2 ** 32);
  }
}

/** Casts a row into the feeds' row `position`; gives the column that could not be cast, or -1. */
function castRow(
  plan: InputPlan,
  matrix: Float64Array,
  row: number,
  position: number,
  targets: Target[],
): number {
  const { width, casts } = plan;
  for (let column = 0; column < width; column++) {
    const cast = casts[column] as Cast;
    const value = castValue(matrix[row * width + column] as number, cast);
    if (Number.isNaN(value) && cast.kind !== 'float') return column;
    if (targets.length === 1) (targets[0] as Target).set(position * width + column, value);
    else (targets[column] as Target).set(position, value);
  }
  return -1;
}

/** As numpy's astype, but NaN where that would give an arbitrary integer. */
function castValue(value: number, { single, kind, low, high }: Cast): number {
  const rounded = single ? Math.fround(value) : value;
  if (kind === 'float' || Number.isNaN(rounded)) return rounded;
  if (kind === 'boolean') return Number(rounded !== 0);
  const whole = Math.trunc(rounded);
  return whole >= low && whole <= high ? whole : NaN;
}

function describe(plan: InputPlan, matrix: Float64Array, row: number, column: number): string {
  const name = plan.columns ? `feature "${plan.columns[column]}"` : `feature number ${column + 1}`;
  const value = matrix[row * plan.width + column] as number;
  const type = (plan.casts[column] as Cast).type;
  return Number.isNaN(value)
    ? `${name} is missing, and ${type} has no missing value`
    : `${name} is ${value}, which is no ${type}`;
}

import { ModelRefusedError } from '../errors.ts';
import { describeValue, type OnnxValue } from './onnx-value.ts';
import type { ColumnType, Signature } from './signature.ts';

/** How the columns of a row of numbers become what a model's inputs take. */
export interface InputPlan {
  /** The columns' names in the order of a row; undefined for a model that has none. */
  readonly columns: readonly string[] | undefined;
  readonly width: number;
  /** Whether a run takes exactly one row. */
  readonly rowByRow: boolean;
  /** One input that takes the whole row, or one input a column. */
  readonly inputs: readonly PlannedInput[];
  /** What happens to the values of each column. */
  readonly casts: readonly Cast[];
}

export interface PlannedInput {
  readonly name: string;
  readonly type: TensorType;
  /** 2 for a tensor of [rows, columns], 1 for one of [rows]. */
  readonly rank: 1 | 2;
}

/** A tensor's type in onnxruntime's words. */
export type TensorType = 'float32' | 'float64' | 'int32' | 'int64';

/** A column's way from the signature's type to its tensor's type. */
export interface Cast {
  /** Rounded to a 32-bit float before anything else. */
  readonly single: boolean;
  readonly kind: 'float' | 'integer' | 'boolean';
  /** What an integer must lie within once it is truncated. */
  readonly low: number;
  readonly high: number;
  /** The narrowest type on the way, to be named in errors. */
  readonly type: string;
}

const TENSOR_TYPES: Readonly<Record<string, TensorType>> = {
  float: 'float32',
  double: 'float64',
  int32: 'int32',
  int64: 'int64',
};
const INT32 = { kind: 'integer', low: -(2 ** 31), high: 2 ** 31 - 1, type: 'int32' } as const;
// 2^63 − 1024 is the largest double below 2^63.
const INT64 = { kind: 'integer', low: -(2 ** 63), high: 2 ** 63 - 1024, type: 'int64' } as const;

/**
 * Lays the signature's columns against the graph's inputs, as MLflow does: one input takes the whole row in the
 * signature's order; of several inputs each takes the column of its name.
 *
 * @throws ModelRefusedError when the two do not fit, or an input is not for numbers
 */
export function planInputs(signature: Signature | undefined, inputs: readonly OnnxValue[]): InputPlan {
  const [first] = inputs;
  if (!first) throw new ModelRefusedError('the model has no input');
  const rowByRow = inputs.map(rowsPerRun).includes(1);
  if (inputs.length > 1) return { ...planColumnInputs(signature, inputs), rowByRow };

  const input = planInput(first);
  const width = rowWidth(first, signature);
  const columns = signature?.columns ?? Array.from({ length: width }, () => undefined);
  const casts = columns.map((column) => planCast(column?.type, input.type));
  return { columns: columnNames(signature), width, rowByRow, inputs: [input], casts };
}

function planColumnInputs(
  signature: Signature | undefined,
  inputs: readonly OnnxValue[],
): Omit<InputPlan, 'rowByRow'> {
  const wide = inputs.find(({ shape }) => (shape?.[1] ?? 1) !== 1);
  if (wide) {
    throw new ModelRefusedError(
      `the model has ${inputs.length} inputs, of which each must take one column, not ${describeValue(wide)}`,
    );
  }
  const byName = new Map(inputs.map((input) => [input.name, planInput(input)]));
  if (signature && !columnNames(signature)) {
    throw new ModelRefusedError(
      `the model has ${inputs.length} inputs, and its signature does not name the columns`,
    );
  }
  const columns = columnNames(signature) ?? [...byName.keys()];
  const withoutInput = columns.filter((name) => !byName.has(name));
  const withoutColumn = [...byName.keys()].filter((name) => !columns.includes(name));
  if (withoutInput.length > 0 || withoutColumn.length > 0) {
    throw new ModelRefusedError(
      `the signature and the model's inputs have different names: ${list(withoutInput)} only in the signature, ` +
        `${list(withoutColumn)} only in the model`,
    );
  }
  const planned = columns.map((name) => byName.get(name) as PlannedInput);
  const casts = planned.map(({ type }, index) => planCast(signature?.columns[index]?.type, type));
  return { columns, width: columns.length, inputs: planned, casts };
}

function planInput(value: OnnxValue): PlannedInput {
  const type = Object.hasOwn(TENSOR_TYPES, value.type) ? TENSOR_TYPES[value.type] : undefined;
  const rank = value.shape?.length ?? 2;
  if (!type || (rank !== 1 && rank !== 2)) {
    throw new ModelRefusedError(
      `the model's input ${describeValue(value)} is not for features: ` +
        `it must be a ${Object.keys(TENSOR_TYPES).join(', ')} tensor of [rows, columns]`,
    );
  }
  return { name: value.name, type, rank };
}

function rowsPerRun(input: OnnxValue): number | undefined {
  const rows = input.shape?.[0];
  if (rows === undefined || rows === 1) return rows;
  throw new ModelRefusedError(
    `the model's input ${describeValue(input)} takes exactly ${rows} rows: export it with an open first dimension`,
  );
}

function rowWidth(input: OnnxValue, signature: Signature | undefined): number {
  const inGraph = input.shape?.length === 1 ? 1 : input.shape?.[1];
  const inSignature = signature?.columns.length;
  const width = inGraph ?? inSignature;
  if (width === undefined) {
    throw new ModelRefusedError(
      `the number of features is unknown: the model's input is ${describeValue(input)}, and there is no signature`,
    );
  }
  if (inSignature !== undefined && inSignature !== width) {
    throw new ModelRefusedError(
      `the signature has ${inSignature} columns, and the model's input ${describeValue(input)} takes ${width}`,
    );
  }
  return width;
}

function columnNames(signature: Signature | undefined): string[] | undefined {
  const names = signature?.columns.map(({ name }) => name).filter((name) => name !== undefined) ?? [];
  return names.length > 0 ? names : undefined;
}

function planCast(column: ColumnType | undefined, tensor: TensorType): Cast {
  if (column === 'boolean') return { single: false, kind: 'boolean', low: 0, high: 1, type: 'boolean' };
  const single = column === 'float' && tensor !== 'float32';
  if (tensor === 'int32' || column === 'integer') return { single, ...INT32 };
  if (tensor === 'int64' || column === 'long') return { single, ...INT64 };
  return { single, kind: 'float', low: -Infinity, high: Infinity, type: tensor };
}

function list(names: readonly string[]): string {
  if (names.length === 0) return 'none';
  const more = names.length > 10 ? ` and ${names.length - 10} more` : '';
  return (
    names
      .slice(0, 10)
      .map((name) => JSON.stringify(name))
      .join(', ') + more
  );
}

import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { parse } from 'yaml';
import { z } from 'zod';
import { ModelRefusedError, ModelUnavailableError } from '../errors.ts';

/** The columns that a model was trained on, in order: what MLflow calls the input schema. */
export interface Signature {
  readonly columns: readonly SignatureColumn[];
}

export interface SignatureColumn {
  /** Undefined in a signature without names, where the position counts; never for some columns only. */
  readonly name: string | undefined;
  readonly type: ColumnType;
  readonly required: boolean;
}

/** The types that a feature can be cast to: 32 and 64 bits wide, integer and float in turn. */
export type ColumnType = 'boolean' | 'integer' | 'long' | 'float' | 'double';

/** What the service takes from an MLmodel file. */
export interface MlModel {
  readonly signature: Signature | undefined;
  readonly runId: string | undefined;
}

const COLUMN_TYPES: readonly string[] = ['boolean', 'integer', 'long', 'float', 'double'];
const TENSOR_TYPES: Readonly<Record<string, ColumnType>> = {
  bool: 'boolean',
  int32: 'integer',
  int64: 'long',
  float32: 'float',
  float64: 'double',
};
const MOST_BYTES = 4 * 1024 * 1024;
const MOST_COLUMNS = 10_000;

// Written by hand, by MLflow 2 and by MLflow 1: `required`, before that `optional`, before that neither.
const Column = z.object({
  type: z.string(),
  name: z.string().optional(),
  required: z.boolean().optional(),
  optional: z.boolean().optional(),
});
const TensorColumn = z.object({
  type: z.literal('tensor'),
  name: z.string().optional(),
  'tensor-spec': z.object({ dtype: z.string(), shape: z.array(z.int()) }),
});
const Inputs = z.array(z.union([TensorColumn, Column])).min(1);
// Without types of YAML's own ("failsafe") every scalar is text: a run id such as 12e4 stays one.
const MlModelFile = z.object({
  run_id: z.string().optional(),
  signature: z.union([z.object({ inputs: z.string().optional() }), z.literal(['null', '~', ''])]).optional(),
});

/**
 * Reads the MLmodel file of a model's folder.
 *
 * @returns undefined when the folder has none
 * @throws ModelRefusedError when the file is malformed, or a column is not a number
 * @throws ModelUnavailableError when it cannot be read
 */
export async function readMlModel(folder: string): Promise<MlModel | undefined> {
  const path = join(folder, 'MLmodel');
  try {
    const { size } = await stat(path);
    if (size > MOST_BYTES) throw new ModelRefusedError(`${path} has ${size} bytes, more than ${MOST_BYTES}`);
    return parseMlModel(await readFile(path, 'utf8'), path);
  } catch (error) {
    if (error instanceof ModelRefusedError) throw error;
    const { code, message } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT') return undefined;
    throw new ModelUnavailableError(`${path} cannot be read: ${message}`, { cause: error });
  }
}

/**
 * Reads the text of an MLmodel file, as MLflow 1, 2 and 3 write it.
 *
 * @param path how errors name the file
 * @throws ModelRefusedError when the text is malformed, or a column is not a number
 */
export function parseMlModel(text: string, path: string): MlModel {
  const file = checked(MlModelFile, path, () => parse(text, { schema: 'failsafe', logLevel: 'error' }));
  const runId = file.run_id && !['null', '~'].includes(file.run_id) ? file.run_id : undefined;
  const inputs = typeof file.signature === 'object' ? file.signature.inputs : undefined;
  if (inputs === undefined || ['null', '~', ''].includes(inputs)) return { signature: undefined, runId };
  return { signature: parseInputs(inputs, `signature.inputs of ${path}`), runId };
}

function parseInputs(text: string, where: string): Signature | undefined {
  const inputs = checked(Inputs, where, () => JSON.parse(text));
  if (inputs.length > MOST_COLUMNS) throw new ModelRefusedError(`${where} lists ${inputs.length} columns`);
  const [only] = inputs;
  if (inputs.length === 1 && only && isTensor(only)) return matrixSignature(only, where);
  const columns = inputs.map((input) =>
    isTensor(input) ? oneColumn(input, where) : namedColumn(input, where),
  );
  const names = columns.map(({ name }) => name).filter((name) => name !== undefined);
  const twice = names.find((name, index) => names.indexOf(name) !== index);
  if (twice !== undefined) throw new ModelRefusedError(`${where} lists the column "${twice}" twice`);
  if (names.length > 0 && names.length < columns.length) {
    throw new ModelRefusedError(`${where} has names for ${names.length} of its ${columns.length} columns`);
  }
  return { columns };
}

type Input = z.infer<typeof Inputs>[number];
type TensorInput = z.infer<typeof TensorColumn>;

function isTensor(input: Input): input is TensorInput {
  return 'tensor-spec' in input;
}

function namedColumn(column: z.infer<typeof Column>, where: string): SignatureColumn {
  const { name, type } = column;
  if (!COLUMN_TYPES.includes(type)) {
    throw new ModelRefusedError(
      `${where}: the column "${name ?? ''}" is of type ${type}; features are numbers (${COLUMN_TYPES.join(', ')})`,
    );
  }
  return { name, type: type as ColumnType, required: column.required ?? !(column.optional ?? false) };
}

/** One tensor of shape [-1, N] is N columns without names; of an unknown width it says nothing to hold a model to. */
function matrixSignature(tensor: TensorInput, where: string): Signature | undefined {
  const { shape } = tensor['tensor-spec'];
  const width = shape.length === 1 ? 1 : (shape[1] ?? 0);
  if (shape.length > 2 || width === 0 || width > MOST_COLUMNS) {
    throw new ModelRefusedError(
      `${where} is a tensor of shape [${shape}]; it must be [-1, number of features]`,
    );
  }
  if (width < 0) return undefined;
  const column = { name: undefined, type: tensorType(tensor, where), required: true };
  return { columns: Array.from({ length: width }, () => column) };
}

/** Of several tensors each is a column, as a model with one input per feature is saved. */
function oneColumn(tensor: TensorInput, where: string): SignatureColumn {
  const { shape } = tensor['tensor-spec'];
  if (shape.length > 2 || (shape[1] ?? 1) !== 1) {
    throw new ModelRefusedError(
      `${where}: of several tensors each must be one column, "${tensor.name}" is [${shape}]`,
    );
  }
  return { name: tensor.name, type: tensorType(tensor, where), required: true };
}

function tensorType(tensor: TensorInput, where: string): ColumnType {
  const { dtype } = tensor['tensor-spec'];
  const type = Object.hasOwn(TENSOR_TYPES, dtype) ? TENSOR_TYPES[dtype] : undefined;
  if (type) return type;
  throw new ModelRefusedError(
    `${where} is of type ${dtype}; it must be one of ${Object.keys(TENSOR_TYPES).join(', ')}`,
  );
}

/** What `read` gives, if it is of the schema's shape. */
function checked<T>(schema: z.ZodType<T>, where: string, read: () => unknown): T {
  let value: unknown;
  try {
    value = read();
  } catch (error) {
    const [reason] = (error as Error).message.split('\n');
    throw new ModelRefusedError(`${where} is malformed: ${reason}`, { cause: error });
  }
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  throw new ModelRefusedError(
    `${where} is malformed: ${z.prettifyError(result.error).replaceAll('\n', ' ')}`,
  );
}

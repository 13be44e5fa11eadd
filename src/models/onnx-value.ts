import { bytesField, integerField, wireFields } from './protobuf.ts';

/** A graph's input or output. A dimension that the file leaves open is undefined; so is a shape that it does not give. */
export interface OnnxValue {
  readonly name: string;
  /** `float`, `int64`, …, or `sequence`, `map` and the like for what is not a tensor. */
  readonly type: string;
  readonly shape: readonly (number | undefined)[] | undefined;
}

/** TensorProto.DataType: the index is its number. */
export const ELEMENT_TYPES =
  'undefined float uint8 int8 uint16 int16 int32 int64 string bool float16 double'.split(' ');

// ValueInfoProto, TypeProto and TypeProto.Tensor of onnx-ml.proto.
const VALUE = { name: 1, type: 2 } as const;
const TYPE = { tensor: 1 } as const;
const OTHER_TYPES = new Map(Object.entries({ 4: 'sequence', 5: 'map', 8: 'sparse tensor', 9: 'optional' }));
const TENSOR_TYPE = { element: 1, shape: 2 } as const;
const SHAPE = { dimension: 1 } as const;
const DIMENSION = { size: 1 } as const;

/** A value in words: `X float [?, 30]`. */
export function describeValue({ name, type, shape }: OnnxValue): string {
  return `${name} ${type}${shape ? ` [${shape.map((size) => size ?? '?').join(', ')}]` : ''}`;
}

/** Reads a ValueInfoProto. */
export function decodeValue(bytes: Uint8Array): OnnxValue {
  let value: OnnxValue = { name: '', type: 'undefined', shape: undefined };
  for (const field of wireFields(bytes)) {
    if (field.number === VALUE.name) value = { ...value, name: field.text };
    if (field.number !== VALUE.type) continue;
    for (const kind of wireFields(field.bytes)) {
      const other = OTHER_TYPES.get(String(kind.number));
      if (kind.number === TYPE.tensor) value = { ...value, ...decodeTensorType(kind.bytes) };
      else if (other) value = { ...value, type: other, shape: undefined };
    }
  }
  return value;
}

/** Writes a ValueInfoProto: a tensor of floats, any number of rows by `columns`, or by any number of them. */
export function encodeFloatMatrix(name: string, columns: number | undefined): Uint8Array {
  const size = columns === undefined ? [] : [integerField(DIMENSION.size, columns)];
  const shape = [bytesField(SHAPE.dimension), bytesField(SHAPE.dimension, ...size)];
  const element = integerField(TENSOR_TYPE.element, ELEMENT_TYPES.indexOf('float'));
  const tensor = bytesField(TYPE.tensor, element, bytesField(TENSOR_TYPE.shape, ...shape));
  return Buffer.concat([bytesField(VALUE.name, Buffer.from(name)), bytesField(VALUE.type, tensor)]);
}

function decodeTensorType(bytes: Uint8Array): Pick<OnnxValue, 'type' | 'shape'> {
  let type = 'undefined';
  let shape: (number | undefined)[] | undefined;
  for (const field of wireFields(bytes)) {
    if (field.number === TENSOR_TYPE.element) {
      type = ELEMENT_TYPES[Number(field.integer)] ?? `type ${field.integer}`;
    }
    if (field.number !== TENSOR_TYPE.shape) continue;
    shape = [];
    for (const part of wireFields(field.bytes)) {
      if (part.number === SHAPE.dimension) shape.push(decodeDimension(part.bytes));
    }
  }
  return { type, shape };
}

/** A dimension's size; undefined when it is a symbol, absent, or the 0 or -1 that some converters write for "any". */
function decodeDimension(bytes: Uint8Array): number | undefined {
  let size = 0;
  for (const field of wireFields(bytes)) if (field.number === DIMENSION.size) size = Number(field.integer);
  return size > 0 ? size : undefined;
}

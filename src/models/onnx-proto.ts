import { ModelRefusedError } from '../errors.ts';
import { decodeValue, ELEMENT_TYPES, type OnnxValue } from './onnx-value.ts';
import type { ClassLabel } from './outcome.ts';
import { wireFields } from './protobuf.ts';

/** A model file's graph as far as the service must know it. Field numbers are those of onnx-ml.proto, in its order. */
export interface OnnxProto {
  readonly nodes: readonly OnnxNode[];
  /** The graph's inputs, without those that only repeat an initializer's name. */
  readonly inputs: readonly OnnxValue[];
  readonly outputs: readonly OnnxValue[];
  /** Short one-dimensional constants of integers or text, by the tensor's name: they may be class labels. */
  readonly labelConstants: ReadonlyMap<string, readonly ClassLabel[]>;
  readonly metadata: ReadonlyMap<string, string>;
}

/** An operation of the graph. */
export interface OnnxNode {
  readonly operator: string;
  readonly inputs: readonly string[];
  readonly outputs: readonly string[];
  /** `classlabels_*` of a classifier or a ZipMap: the labels in the order of the columns. */
  readonly labels: readonly ClassLabel[] | undefined;
  /** What a Constant holds, if that is a short list of integers or text. */
  readonly constant: readonly ClassLabel[] | undefined;
}

/** ModelProto's fields for the graph and for the file's own notes. */
export const MODEL = { graph: 7, metadata: 14 } as const;
export const GRAPH = { node: 1, initializer: 5, input: 11, output: 12 } as const;
const NODE = { input: 1, output: 2, operator: 4, attribute: 5 } as const;
const ATTRIBUTE = { name: 1, tensor: 5, integers: 8, strings: 9 } as const;
const TENSOR = { dimensions: 1, type: 2, int32s: 5, strings: 6, int64s: 7, name: 8, raw: 9 } as const;

const LABEL_ATTRIBUTE = /^classlabels_(int64s|ints|strings)$/;
const CONSTANT_ATTRIBUTE = /^value(_ints|_strings)?$/;
// A longer constant is a weight.
const MOST_LABELS = 64;

/**
 * Reads a model file's graph; nothing of it is run and its weights are passed over.
 *
 * @throws ModelRefusedError when the bytes are not a well-formed ModelProto with one graph
 */
export function decodeOnnx(bytes: Uint8Array): OnnxProto {
  const metadata = new Map<string, string>();
  let graph: Omit<OnnxProto, 'metadata'> | undefined;
  for (const field of wireFields(bytes)) {
    if (field.number === MODEL.metadata) metadata.set(...decodeEntry(field.bytes));
    if (field.number !== MODEL.graph) continue;
    // Protobuf merges a repeated message: reading one of the two would check another graph than the one that runs.
    if (graph) throw new ModelRefusedError('not a readable ONNX file: it has two graphs');
    graph = decodeGraph(field.bytes);
  }
  if (!graph) throw new ModelRefusedError('not a readable ONNX file: it has no graph');
  return { ...graph, metadata };
}

/** A StringStringEntryProto as key and value. */
export function decodeEntry(bytes: Uint8Array): [key: string, value: string] {
  const entry: [string, string] = ['', ''];
  for (const field of wireFields(bytes)) {
    if (field.number === 1 || field.number === 2) entry[field.number - 1] = field.text;
  }
  return entry;
}

function decodeGraph(bytes: Uint8Array): Omit<OnnxProto, 'metadata'> {
  const nodes: OnnxNode[] = [];
  const inputs: OnnxValue[] = [];
  const outputs: OnnxValue[] = [];
  const initializers = new Map<string, readonly ClassLabel[] | undefined>();
  for (const field of wireFields(bytes)) {
    if (field.number === GRAPH.node) nodes.push(decodeNode(field.bytes));
    if (field.number === GRAPH.initializer) initializers.set(...decodeTensor(field.bytes));
    if (field.number === GRAPH.input) inputs.push(decodeValue(field.bytes));
    if (field.number === GRAPH.output) outputs.push(decodeValue(field.bytes));
  }
  const labelConstants = new Map<string, readonly ClassLabel[]>();
  for (const [name, labels] of initializers) if (labels) labelConstants.set(name, labels);
  for (const {
    constant,
    outputs: [name],
  } of nodes)
    if (constant && name) labelConstants.set(name, constant);
  return { nodes, inputs: inputs.filter(({ name }) => !initializers.has(name)), outputs, labelConstants };
}

function decodeNode(bytes: Uint8Array): OnnxNode {
  const inputs: string[] = [];
  const outputs: string[] = [];
  let operator = '';
  let labels: readonly ClassLabel[] | undefined;
  let constant: readonly ClassLabel[] | undefined;
  for (const field of wireFields(bytes)) {
    if (field.number === NODE.input) inputs.push(field.text);
    if (field.number === NODE.output) outputs.push(field.text);
    if (field.number === NODE.operator) operator = field.text;
    if (field.number !== NODE.attribute) continue;
    labels ??= decodeList(field.bytes, LABEL_ATTRIBUTE);
    constant ??= decodeList(field.bytes, CONSTANT_ATTRIBUTE);
  }
  return { operator, inputs, outputs, labels, constant: operator === 'Constant' ? constant : undefined };
}

/** The integers or text that an attribute holds; undefined when it has another name, or is no short list. */
function decodeList(attribute: Uint8Array, wanted: RegExp): readonly ClassLabel[] | undefined {
  const values: ClassLabel[] = [];
  let name: string | undefined;
  for (const field of wireFields(attribute)) {
    if (field.number === ATTRIBUTE.name) name = field.text;
    // The name comes first in every known writer: a tree's million thresholds are not looked at.
    if ((name !== undefined && !wanted.test(name)) || values.length > MOST_LABELS) return undefined;
    if (field.number === ATTRIBUTE.integers) values.push(...field.integers(MOST_LABELS + 1));
    if (field.number === ATTRIBUTE.strings) values.push(field.text);
    if (field.number === ATTRIBUTE.tensor) values.push(...(decodeTensor(field.bytes)[1] ?? []));
  }
  return values.length > 0 && name !== undefined ? values : undefined;
}

/** A tensor's name, and its values if it is a short list of integers or text. */
function decodeTensor(bytes: Uint8Array): [name: string, labels: readonly ClassLabel[] | undefined] {
  const dimensions: bigint[] = [];
  const values: ClassLabel[] = [];
  let name = '';
  let type: string | undefined;
  let raw: Uint8Array | undefined;
  for (const field of wireFields(bytes)) {
    if (field.number === TENSOR.dimensions) dimensions.push(...field.integers(MOST_LABELS));
    if (field.number === TENSOR.type) type = ELEMENT_TYPES[Number(field.integer)];
    if (field.number === TENSOR.name) name = field.text;
    if (field.number === TENSOR.raw) raw = field.bytes;
    if (values.length > MOST_LABELS) continue;
    if (field.number === TENSOR.strings) values.push(field.text);
    if (field.number === TENSOR.int32s || field.number === TENSOR.int64s)
      values.push(...field.integers(MOST_LABELS));
  }
  const length = dimensions.length === 1 ? Number(dimensions[0]) : 0;
  const labels = raw === undefined ? values : rawIntegers(raw, type);
  return [name, length > 0 && length <= MOST_LABELS && labels.length === length ? labels : undefined];
}

function rawIntegers(raw: Uint8Array, type: string | undefined): ClassLabel[] {
  if ((type !== 'int32' && type !== 'int64') || raw.length > MOST_LABELS * 8) return [];
  const view = new DataView(raw.buffer, raw.byteOffset, raw.byteLength);
  const width = type === 'int64' ? 8 : 4;
  return Array.from({ length: Math.floor(raw.length / width) }, (_, index) =>
    type === 'int64' ? view.getBigInt64(index * 8, true) : BigInt(view.getInt32(index * 4, true)),
  );
}

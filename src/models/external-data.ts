import { ModelRefusedError } from '../errors.ts';
import { decodeEntry } from './onnx-proto.ts';
import { wireFields } from './protobuf.ts';

/**
 * Which fields of which message of onnx-ml.proto lead to a tensor: the way to every place where a file can name another
 * file, subgraphs, functions and training graphs included.
 */
const WAYS = {
  model: { 7: 'graph', 20: 'training', 25: 'function' },
  training: { 1: 'graph', 2: 'graph' },
  function: { 7: 'node', 11: 'attribute' },
  graph: { 1: 'node', 5: 'tensor', 15: 'sparseTensor' },
  node: { 5: 'attribute' },
  attribute: { 5: 'tensor', 6: 'graph', 10: 'tensor', 11: 'graph', 22: 'sparseTensor', 23: 'sparseTensor' },
  sparseTensor: { 1: 'tensor', 2: 'tensor' },
  tensor: { 13: 'externalData' },
} as const satisfies Record<string, Record<number, string>>;

type Message = keyof typeof WAYS;

// A graph within a graph is three messages further down; protobuf itself stops at 100.
const DEEPEST = 60;

/**
 * The files beside the model that hold weights of it, as relative paths; none for a model that is one file. (MLflow
 * saves every initializer over 1 kB outside of the model file by default.)
 *
 * @throws ModelRefusedError when a location could lead out of the model's folder
 */
export function externalDataFiles(model: Uint8Array): string[] {
  const locations = new Set<string>();
  collect(model, 'model', 0, locations);
  for (const location of locations) {
    if (!isInside(location)) {
      throw new ModelRefusedError(
        `weights are said to be in ${JSON.stringify(location)}, which is not a plain path inside the model's folder`,
      );
    }
  }
  return [...locations];
}

function collect(bytes: Uint8Array, message: Message, depth: number, locations: Set<string>): void {
  if (depth > DEEPEST) throw new ModelRefusedError('graphs are nested too deep');
  const ways: Readonly<Record<number, Message | 'externalData'>> = WAYS[message];
  for (const field of wireFields(bytes)) {
    const next = ways[field.number];
    if (next === undefined) continue;
    if (next !== 'externalData') {
      collect(field.bytes, next, depth + 1, locations);
      continue;
    }
    // Whether the tensor says that its data is external or not: a path that must not be read must not be there at all.
    const [key, value] = decodeEntry(field.bytes);
    if (key === 'location') locations.add(value);
  }
}

function isInside(location: string): boolean {
  // "*" is in the location by which onnxruntime marks raw memory addresses; no exporter writes it.
  if (/[\\:*\0]/.test(location)) return false;
  return location.split('/').every((part) => part !== '' && part !== '..');
}

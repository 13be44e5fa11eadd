import { ModelRefusedError } from '../errors.ts';
import { type ClassOrder, readClassOrder } from './class-order.ts';
import { externalDataFiles } from './external-data.ts';
import { decodeOnnx } from './onnx-proto.ts';
import { describeValue, type OnnxValue } from './onnx-value.ts';
import { withoutZipMap } from './zipmap.ts';

/** A model that gives three probabilities whose order is known. */
export interface OnnxGraph {
  /** The ModelProto to run: the file's own bytes, or a copy without the ZipMap. */
  readonly model: Uint8Array;
  readonly inputs: readonly OnnxValue[];
  /** The output that holds the probabilities, rows by three. */
  readonly probabilities: OnnxValue;
  /** The output that holds the class label of each row, if the model has one. */
  readonly label: OnnxValue | undefined;
  readonly classOrder: ClassOrder;
  /** Files beside the model that hold its weights, as relative paths that stay inside its folder. */
  readonly externalFiles: readonly string[];
}

/**
 * Reads what a model file says about itself, and makes it readable for onnxruntime-node (`withoutZipMap`).
 *
 * @param bytes the content of model.onnx
 * @throws ModelRefusedError when it is not an ONNX file, does not give three probabilities, or the order of its classes
 *   is not sure
 */
export function readOnnxGraph(bytes: Uint8Array): OnnxGraph {
  refuseOtherFiles(bytes);
  const externalFiles = externalDataFiles(bytes);
  let model = bytes;
  let proto = decodeOnnx(bytes);
  const [zipMap, ...otherZipMaps] = proto.nodes.filter(({ operator }) => operator === 'ZipMap');
  if (otherZipMaps.length > 0) {
    throw new ModelRefusedError(
      `the graph has ${otherZipMaps.length + 1} ZipMaps: export the model with zipmap=False`,
    );
  }
  if (zipMap) {
    model = withoutZipMap(bytes, proto, zipMap);
    proto = decodeOnnx(model);
  }
  const probabilities = probabilityOutput(proto.outputs, zipMap?.inputs[0]);
  const label = proto.outputs.find(
    ({ type, shape }) => /^(string|int32|int64)$/.test(type) && (shape?.length ?? 1) < 3,
  );
  const classOrder = readClassOrder(proto, {
    probabilities: probabilities.name,
    label,
    zipMapLabels: zipMap?.labels,
  });
  return { model, inputs: proto.inputs, probabilities, label, classOrder, externalFiles };
}

function refuseOtherFiles(bytes: Uint8Array): void {
  if (bytes.length === 0) throw new ModelRefusedError('not an ONNX file: it is empty');
  const start = Buffer.from(bytes.subarray(0, 64)).toString('latin1');
  if (start.startsWith('version https://git-lfs')) {
    throw new ModelRefusedError(
      'not an ONNX file but a Git LFS pointer to one: fetch it with "git lfs pull"',
    );
  }
  // A ModelProto never begins with these: their low bits are a wire type that ONNX does not use.
  if (/^\s*[<{]/.test(start)) {
    throw new ModelRefusedError(
      `not an ONNX file but text, such as an error page saved under its name: ${JSON.stringify(start.slice(0, 40))}`,
    );
  }
}

function probabilityOutput(outputs: readonly OnnxValue[], zipMapInput: string | undefined): OnnxValue {
  const candidates = outputs.filter(
    ({ type, shape }) =>
      (type === 'float' || type === 'double') && (!shape || (shape.length === 2 && (shape[1] ?? 3) === 3)),
  );
  // Raw scores may stand beside the probabilities: what the file says most about is what counts.
  const ranked = [
    candidates.filter(({ name }) => name === zipMapInput),
    candidates.filter(({ shape }) => shape?.[1] === 3),
    candidates.filter(({ name }) => /prob/i.test(name)),
    candidates,
  ];
  const chosen = ranked.find((group) => group.length === 1)?.[0];
  if (chosen) return chosen;
  throw new ModelRefusedError(
    `the model gives ${outputs.map(describeValue).join(', ') || 'nothing'}; it must have one output of three ` +
      'probabilities, float [?, 3], in any place',
  );
}

import { ModelRefusedError } from '../errors.ts';
import { GRAPH, MODEL, type OnnxNode, type OnnxProto } from './onnx-proto.ts';
import { encodeFloatMatrix } from './onnx-value.ts';
import { bytesField, type WireField, wireFields } from './protobuf.ts';

/**
 * The model with its ZipMap taken out: where the ZipMap made a list of maps, which onnxruntime-node cannot read, the
 * graph now puts out the tensor of probabilities that went into it.
 *
 * @param model a ModelProto
 * @param proto the same, decoded
 * @param zipMap the one ZipMap node of it
 * @returns a new ModelProto; `model` stays as it is
 * @throws ModelRefusedError when the graph itself goes on to use the maps
 */
export function withoutZipMap(model: Uint8Array, proto: OnnxProto, zipMap: OnnxNode): Uint8Array {
  const [tensor = ''] = zipMap.inputs;
  const [maps = ''] = zipMap.outputs;
  const isOutput = (wanted: string) => proto.outputs.some(({ name }) => name === wanted);
  if (!isOutput(maps) || proto.nodes.some(({ inputs }) => inputs.includes(maps))) {
    throw new ModelRefusedError(
      `the ZipMap's output ${maps} is used inside the graph: export the model with zipmap=False`,
    );
  }
  const replacement = isOutput(tensor)
    ? []
    : [bytesField(GRAPH.output, encodeFloatMatrix(tensor, zipMap.labels?.length))];

  let node = 0;
  let output = 0;
  const edited = (field: WireField): readonly Uint8Array[] => {
    if (field.number === GRAPH.node && proto.nodes[node++] === zipMap) return [];
    if (field.number === GRAPH.output && proto.outputs[output++]?.name === maps) return replacement;
    return [field.raw];
  };
  const parts = Array.from(wireFields(model), (field) =>
    field.number === MODEL.graph
      ? bytesField(MODEL.graph, ...[...wireFields(field.bytes)].flatMap(edited))
      : field.raw,
  );
  return Buffer.concat(parts);
}

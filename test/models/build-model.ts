import { bytesField, integerField } from '../../src/models/protobuf.ts';

/** What a test wants of a model. */
export interface ModelParts {
  /** The class label of each column, as the label output gives it; none: no label output. */
  readonly labels?: readonly (string | number)[] | undefined;
  readonly metadata?: string | undefined;
  /** The probabilities as a list of maps, as converters put them out by default. */
  readonly zipMap?: boolean;
  /** Keeps the weights in this file instead of in the model. */
  readonly weightsFile?: string;
  /** Lets every row's probabilities depend on the other rows of its batch. */
  readonly mixesRows?: boolean;
  /** The first dimension, when it is not open. */
  readonly batch?: number;
  /** A feature per input instead of three in one. */
  readonly inputs?: readonly {
    name: string;
    type: keyof typeof TYPES;
    shape: readonly (number | undefined)[];
  }[];
}

export const TYPES = { float: 1, int32: 6, int64: 7, string: 8, bool: 9, double: 11 } as const;

/** The weights of `buildModel`: the identity, so that the highest of three features is the most probable column. */
export const WEIGHTS = new Uint8Array(Float32Array.of(1, 0, 0, 0, 1, 0, 0, 0, 1).buffer);

/** A real, if small, model: softmax of three features, written byte by byte as ONNX. */
export function buildModel(parts: ModelParts = {}): Uint8Array {
  const { labels = [0, 1, 2], zipMap, batch, inputs } = parts;
  const features = inputs ?? [{ name: 'X', type: 'float', shape: [batch, 3] } as const];
  const text = typeof labels[0] === 'string';
  const graph = [
    ...(inputs ? joined(inputs.map(({ name }) => name)) : []),
    node('MatMul', [inputs ? 'joined' : 'X', 'W'], ['scores']),
    node('ReduceMean', ['scores'], ['means'], [integersAttribute('axes', 0)]),
    node('Sub', ['scores', 'means'], ['centred']),
    node(
      'Softmax',
      [parts.mixesRows ? 'centred' : 'scores'],
      ['probabilities'],
      [integerAttribute('axis', 1)],
    ),
    ...(labels.length > 0
      ? [
          node(
            'ArgMax',
            ['probabilities'],
            ['best'],
            [integerAttribute('axis', 1), integerAttribute('keepdims', 0)],
          ),
          node('Gather', ['classes', 'best'], ['label']),
          bytesField(5, labelTensor('classes', labels)),
          bytesField(12, tensorValue('label', text ? 'string' : 'int64', [batch])),
        ]
      : []),
    bytesField(5, weights(parts.weightsFile)),
    ...features.map(({ name, type, shape }) => bytesField(11, tensorValue(name, type, shape))),
    ...(zipMap
      ? [zipMapNode(labels), bytesField(12, mapsValue('maps'))]
      : [bytesField(12, tensorValue('probabilities', 'float', [batch, 3]))]),
    bytesField(2, Buffer.from('test')),
  ];
  return Buffer.concat([
    integerField(1, 7),
    bytesField(7, ...graph),
    opset('', 13),
    opset('ai.onnx.ml', 1),
    ...(parts.metadata === undefined ? [] : [metadata('class_labels', parts.metadata)]),
  ]);
}

/** A metadata entry; as the last bytes of a model file it adds the entry to that model. */
export function metadata(key: string, value: string): Uint8Array {
  return bytesField(14, bytesField(1, Buffer.from(key)), bytesField(2, Buffer.from(value)));
}

export function node(
  operator: string,
  inputs: readonly string[],
  outputs: readonly string[],
  attributes: readonly Uint8Array[] = [],
  domain = '',
): Uint8Array {
  return bytesField(
    1,
    ...inputs.map((name) => bytesField(1, Buffer.from(name))),
    ...outputs.map((name) => bytesField(2, Buffer.from(name))),
    bytesField(4, Buffer.from(operator)),
    ...attributes,
    bytesField(7, Buffer.from(domain)),
  );
}

export function labelsAttribute(labels: readonly (string | number)[]): Uint8Array {
  const text = typeof labels[0] === 'string';
  return bytesField(
    5,
    bytesField(1, Buffer.from(text ? 'classlabels_strings' : 'classlabels_int64s')),
    ...labels.map((label) =>
      typeof label === 'string' ? bytesField(9, Buffer.from(label)) : integerField(8, label),
    ),
    integerField(20, text ? 8 : 7),
  );
}

export function tensorValue(
  name: string,
  type: keyof typeof TYPES,
  shape: readonly (number | undefined)[],
): Uint8Array {
  const dimensions = shape.map((size) =>
    bytesField(1, ...(size === undefined ? [] : [integerField(1, size)])),
  );
  const tensor = bytesField(1, integerField(1, TYPES[type]), bytesField(2, ...dimensions));
  return Buffer.concat([bytesField(1, Buffer.from(name)), bytesField(2, tensor)]);
}

function integerAttribute(name: string, value: number): Uint8Array {
  return bytesField(5, bytesField(1, Buffer.from(name)), integerField(3, value), integerField(20, 2));
}

function integersAttribute(name: string, value: number): Uint8Array {
  return bytesField(5, bytesField(1, Buffer.from(name)), integerField(8, value), integerField(20, 7));
}

function zipMapNode(labels: readonly (string | number)[]): Uint8Array {
  return node('ZipMap', ['probabilities'], ['maps'], [labelsAttribute(labels)], 'ai.onnx.ml');
}

/** Each feature cast to float and joined to a row. */
function joined(names: readonly string[]): Uint8Array[] {
  const toFloat = integerAttribute('to', TYPES.float);
  const shape = bytesField(
    5,
    integerField(1, 2),
    integerField(2, 7),
    bytesField(8, Buffer.from('column')),
    bytesField(9, Uint8Array.of(...new Array(8).fill(0xff), 1, 0, 0, 0, 0, 0, 0, 0)),
  );
  return [
    shape,
    ...names.flatMap((name) => [
      node('Cast', [name], [`${name} float`], [toFloat]),
      node('Reshape', [`${name} float`, 'column'], [`${name} column`]),
    ]),
    node(
      'Concat',
      names.map((name) => `${name} column`),
      ['joined'],
      [integerAttribute('axis', 1)],
    ),
  ];
}

function labelTensor(name: string, labels: readonly (string | number)[]): Uint8Array {
  const text = typeof labels[0] === 'string';
  return Buffer.concat([
    integerField(1, labels.length),
    integerField(2, text ? TYPES.string : TYPES.int64),
    ...labels.map((label) =>
      typeof label === 'string' ? bytesField(6, Buffer.from(label)) : integerField(7, label),
    ),
    bytesField(8, Buffer.from(name)),
  ]);
}

function weights(file: string | undefined): Uint8Array {
  const entry = (key: string, value: string) =>
    bytesField(13, bytesField(1, Buffer.from(key)), bytesField(2, Buffer.from(value)));
  return Buffer.concat([
    integerField(1, 3),
    integerField(1, 3),
    integerField(2, TYPES.float),
    bytesField(8, Buffer.from('W')),
    ...(file === undefined ? [bytesField(9, WEIGHTS)] : [entry('location', file), integerField(14, 1)]),
  ]);
}

/** A list of maps of integers to floats; onnxruntime never sees it. */
function mapsValue(name: string): Uint8Array {
  const float = bytesField(2, bytesField(1, integerField(1, TYPES.float)));
  const map = bytesField(1, bytesField(5, integerField(1, TYPES.int64), float));
  return Buffer.concat([bytesField(1, Buffer.from(name)), bytesField(2, bytesField(4, map))]);
}

function opset(domain: string, version: number): Uint8Array {
  return bytesField(8, bytesField(1, Buffer.from(domain)), integerField(2, version));
}

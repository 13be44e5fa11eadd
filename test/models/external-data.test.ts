import { describe, expect, test } from 'vitest';
import { externalDataFiles } from '../../src/models/external-data.ts';
import { bytesField } from '../../src/models/protobuf.ts';
import { buildModel } from './build-model.ts';

test('a model that is one file has no external data', () => {
  expect(externalDataFiles(buildModel())).toEqual([]);
});

test.each(['weights.bin', 'model.onnx.data', 'weights/part 1.bin', './weights.bin', '..data'])(
  'weights may be in %s',
  (location) => {
    expect(externalDataFiles(buildModel({ weightsFile: location }))).toEqual([location]);
  },
);

test.each([
  '../weights.bin',
  'a/../../b',
  '/etc/passwd',
  'a//b',
  '',
  '..\\weights',
  'C:weights',
  '*/_ORT_MEM_ADDR_/*',
  'a\0b',
])('weights cannot be in %j', (location) => {
  expect(() => externalDataFiles(buildModel({ weightsFile: location }))).toThrow(
    `${JSON.stringify(location)}, which is not a plain path inside the model's folder`,
  );
});

describe('a bad location is found', () => {
  const tensor = bytesField(
    13,
    bytesField(1, Buffer.from('location')),
    bytesField(2, Buffer.from('../secret')),
  );
  const inGraph = (graph: Uint8Array) => bytesField(7, graph);
  const subgraph = (depth: number, inner: Uint8Array): Uint8Array =>
    depth === 0 ? inner : bytesField(1, bytesField(5, bytesField(6, subgraph(depth - 1, inner))));

  test.each([
    ['in the tensor of a Constant', inGraph(bytesField(1, bytesField(5, bytesField(5, tensor))))],
    ['in a sparse tensor', inGraph(bytesField(15, bytesField(1, tensor)))],
    ['in a graph within graphs', inGraph(subgraph(3, bytesField(5, tensor)))],
    ['in a function', bytesField(25, bytesField(7, bytesField(5, bytesField(5, tensor))))],
    ['in a training graph', bytesField(20, bytesField(2, bytesField(5, tensor)))],
  ])('%s', (_, model) => {
    expect(() => externalDataFiles(model)).toThrow('../secret');
  });

  test('unless graphs are nested deeper than any real one, which is refused', () => {
    expect(() => externalDataFiles(inGraph(subgraph(1000, new Uint8Array())))).toThrow('nested too deep');
  });
});

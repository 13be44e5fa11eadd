import { describe, expect, test } from 'vitest';
import { ModelRefusedError } from '../../src/errors.ts';
import { readOnnxGraph } from '../../src/models/onnx-graph.ts';
import { bytesField } from '../../src/models/protobuf.ts';
import { buildModel, labelsAttribute, metadata, node, tensorValue } from './build-model.ts';

const value = (field: number, ...args: Parameters<typeof tensorValue>) =>
  bytesField(field, tensorValue(...args));
const probabilities = value(12, 'p', 'float', [undefined, 3]);
const model = (...graph: readonly Uint8Array[]) => bytesField(7, ...graph);
const classifier = (labels: readonly (string | number)[]) =>
  node('TreeEnsembleClassifier', ['X'], ['l', 'q'], [labelsAttribute(labels)]);

describe('a graph', () => {
  test('tells its inputs, its outputs and the order of its classes', () => {
    const graph = readOnnxGraph(buildModel({ labels: ['away', 'draw', 'home'] }));
    expect(graph.inputs).toEqual([{ name: 'X', type: 'float', shape: [undefined, 3] }]);
    expect(graph.probabilities).toEqual({ name: 'probabilities', type: 'float', shape: [undefined, 3] });
    expect(graph.label).toEqual({ name: 'label', type: 'string', shape: [undefined] });
    expect(graph.classOrder).toEqual({ outcomes: [2, 1, 0], labels: ['away', 'draw', 'home'] });
  });

  test('stays as it is when it has no ZipMap', () => {
    const bytes = buildModel();
    expect(readOnnxGraph(bytes).model).toBe(bytes);
  });

  test('has no input for an initializer that is listed among its inputs', () => {
    const bytes = buildModel({
      inputs: [
        { name: 'W', type: 'float', shape: [3, 3] },
        { name: 'X', type: 'float', shape: [undefined, 1] },
      ],
    });
    expect(readOnnxGraph(bytes).inputs.map(({ name }) => name)).toEqual(['X']);
  });

  test('gives its probabilities wherever they stand among the outputs', () => {
    const graph = readOnnxGraph(
      Buffer.concat([
        model(
          value(12, 'scores', 'float', [undefined, 3]),
          probabilities,
          value(12, 'prob', 'double', [undefined, 3]),
        ),
        metadata('class_labels', '0,1,2'),
      ]),
    );
    expect(graph.probabilities.name).toBe('prob');
    expect(graph.label).toBeUndefined();
  });

  test.each([
    ['two probabilities', [value(12, 'p', 'float', [undefined, 2])], 'p float [?, 2]'],
    ['a label only', [value(12, 'label', 'int64', [undefined])], 'label int64 [?]'],
    ['nothing', [], 'nothing'],
    [
      'two outputs that may be probabilities',
      [probabilities, value(12, 'q', 'float', [undefined, 3])],
      'p float [?, 3], q',
    ],
  ])('is refused when it gives %s', (_, graph, has) => {
    expect(() => readOnnxGraph(model(...graph))).toThrow(`the model gives ${has}`);
  });
});

describe('the order of the classes', () => {
  test.each([
    [
      ['home', 'draw', 'away'],
      [0, 1, 2],
    ],
    [
      ['A', 'D', 'H'],
      [2, 1, 0],
    ],
    [
      ['1', '2', 'X'],
      [0, 2, 1],
    ],
    [
      [2, 0, 1],
      [2, 0, 1],
    ],
  ])("is that of the labels' list: %j is %j", (labels, outcomes) => {
    expect(readOnnxGraph(buildModel({ labels })).classOrder.outcomes).toEqual(outcomes);
  });

  test.each(['Identity', 'Cast', 'Normalizer'])('is that of a classifier behind %s', (operator) => {
    const graph = model(classifier(['away', 'draw', 'home']), node(operator, ['q'], ['p']), probabilities);
    expect(readOnnxGraph(graph).classOrder.outcomes).toEqual([2, 1, 0]);
  });

  test('is unknown behind an operator that may move the columns', () => {
    const graph = model(classifier([0, 1, 2]), node('Gather', ['q', 'order'], ['p']), probabilities);
    expect(() => readOnnxGraph(graph)).toThrow("order of the model's classes is unknown");
  });

  test('is not that of a classifier inside a model whose labels are text', () => {
    const labels = ['away', 'draw', 'home'];
    const inside = model(
      classifier([0, 1, 2]),
      node('Mul', ['q', 'weight'], ['p']),
      probabilities,
      node('Constant', [], ['names'], [constantAttribute(labels)]),
      node('ArrayFeatureExtractor', ['names', 'best'], ['label']),
      value(12, 'label', 'string', [undefined]),
    );
    expect(readOnnxGraph(inside).classOrder).toEqual({ outcomes: [2, 1, 0], labels });
  });

  test.each([
    ['0,1,2', [0, 1, 2]],
    ['[2, 1, 0]', [2, 1, 0]],
    ['["away", "draw", "home"]', [2, 1, 0]],
    ['1, X, 2', [0, 1, 2]],
    ['home,draw,away', [0, 1, 2]],
  ])('may be told by the metadata: %s', (text, outcomes) => {
    expect(readOnnxGraph(buildModel({ labels: [], metadata: text })).classOrder.outcomes).toEqual(outcomes);
  });

  test('may be told by the metadata for labels that are foreign words', () => {
    const labels = ['Auswärts', 'Heim', 'Remis'];
    const { classOrder } = readOnnxGraph(buildModel({ labels, metadata: 'away,home,draw' }));
    expect(classOrder).toEqual({ outcomes: [2, 0, 1], labels });
  });

  test.each([
    [{ labels: [] }, "the order of the model's classes is unknown"],
    [{ labels: ['0', '1', '2'] }, `the model's classes are "0", "1", "2" (the constant classes)`],
    [{ labels: [1, 2, 3] }, "the model's classes are 1, 2, 3"],
    [{ labels: ['home', 'home_win', 'away'] }, 'the model\'s classes are "home", "home_win", "away"'],
    [{ labels: [0, 1, 2, 3] }, "the model's classes are 0, 1, 2, 3"],
    [{ labels: [], metadata: 'home,away' }, "the model's classes are"],
    [{ labels: [], metadata: '["0","1","2"]' }, "the model's classes are"],
    [{ labels: [0, 1, 2], metadata: '2,1,0' }, 'the model contradicts itself about its classes: 0, 1, 2'],
    [{ labels: ['0', '1', '2'], metadata: '0,1,2' }, 'the model contradicts itself'],
  ])('is refused when it is not sure: %j', (parts, message) => {
    expect(() => readOnnxGraph(buildModel(parts))).toThrow(message);
  });
});

describe('a ZipMap', () => {
  test('is taken out, and what it was made of is put out', () => {
    const zipped = readOnnxGraph(buildModel({ zipMap: true }));
    const plain = readOnnxGraph(buildModel({ zipMap: false }));
    expect(zipped).toEqual({ ...plain, model: zipped.model });
    expect(Buffer.from(zipped.model).includes('ZipMap')).toBe(false);
  });

  test('gives the order of the classes', () => {
    const labels = ['away', 'draw', 'home'];
    const zipMap = node('ZipMap', ['p'], ['maps'], [labelsAttribute(labels)]);
    const graph = readOnnxGraph(model(zipMap, bytesField(12, bytesField(1, Buffer.from('maps')))));
    expect(graph.classOrder).toEqual({ outcomes: [2, 1, 0], labels });
  });

  test('is taken out with its output when the probabilities are put out as well', () => {
    const zipMap = node('ZipMap', ['p'], ['maps'], [labelsAttribute([0, 1, 2])]);
    const both = readOnnxGraph(
      model(zipMap, probabilities, bytesField(12, bytesField(1, Buffer.from('maps')))),
    );
    expect(both.probabilities.name).toBe('p');
    expect(
      readOnnxGraph(Buffer.concat([both.model, metadata('class_labels', '0,1,2')])).label,
    ).toBeUndefined();
  });

  test('is refused when the graph itself uses its maps', () => {
    const zipMap = node('ZipMap', ['p'], ['maps'], [labelsAttribute([0, 1, 2])]);
    expect(() => readOnnxGraph(model(zipMap, node('Identity', ['maps'], ['out'])))).toThrow('zipmap=False');
  });
});

describe('a file is refused', () => {
  test.each([
    ['empty', '', 'it is empty'],
    ['a Git LFS pointer', 'version https://git-lfs.github.com/spec/v1\noid sha256:0', 'git lfs pull'],
    ['an error page', '\n<!doctype html><title>404</title>', 'an error page'],
    ['an error in JSON', '{"detail": "Not Found"}', 'an error page'],
    ['text', 'no model', 'not a readable ONNX file'],
  ])('that is %s', (_, text, message) => {
    expect(() => readOnnxGraph(Buffer.from(text))).toThrow(message);
  });

  test('that holds two graphs', () => {
    expect(() => readOnnxGraph(Buffer.concat([buildModel(), buildModel()]))).toThrow('two graphs');
  });

  test('or read, whichever bytes of it are changed or missing, and nothing else happens', () => {
    const good = buildModel({ labels: ['away', 'draw', 'home'], zipMap: true, metadata: 'away,draw,home' });
    const random = sequence(20_260_101);
    for (let length = 0; length < good.length; length++) expectReadOrRefused(good.subarray(0, length));
    for (let round = 0; round < 20_000; round++) {
      const changed = Uint8Array.from(good);
      for (let flips = 1 + random(4); flips > 0; flips--) changed[random(good.length)] = random(256);
      expectReadOrRefused(changed);
    }
  });
});

function constantAttribute(values: readonly string[]): Uint8Array {
  return bytesField(
    5,
    bytesField(1, Buffer.from('value_strings')),
    ...values.map((text) => bytesField(9, Buffer.from(text))),
  );
}

function expectReadOrRefused(bytes: Uint8Array): void {
  try {
    readOnnxGraph(bytes);
  } catch (error) {
    if (!(error instanceof ModelRefusedError)) throw error;
  }
}

/** Whole numbers below a limit, the same ones for the same seed. */
function sequence(seed: number): (limit: number) => number {
  let state = seed;
  return (limit) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * limit);
  };
}

import { execFile } from 'node:child_process';
import { readFile, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, test } from 'vitest';
import { ModelRefusedError, ModelUnavailableError } from '../../src/errors.ts';
import { loadOnnxModel } from '../../src/inference/onnx-model.ts';
import { DirectoryRegistry } from '../../src/models/directory-registry.ts';
import { buildModel, WEIGHTS } from '../models/build-model.ts';
import { folderOf, load, mlModel } from './load-model.ts';

const FIXTURES = join(import.meta.dirname, '../../fixtures');
const TEST_MODELS = join(FIXTURES, 'test-models');
const FEATURES = [
  { name: 'a', type: 'float', shape: [undefined, 1] },
  { name: 'b', type: 'int64', shape: [undefined] },
  { name: 'c', type: 'double', shape: [undefined, 1] },
] as const;

describe('a model', () => {
  test.each([
    [['home', 'draw', 'away'], 0],
    [['away', 'draw', 'home'], 2],
    [['draw', 'away', 'home'], 1],
    [[1, 2, 0], 1],
    [['2', 'X', '1'], 2],
  ])('gives probabilities in the order of the outcomes, whatever its own: %j', async (labels, outcome) => {
    const model = await load({ 'model.onnx': buildModel({ labels }) });
    const { probabilities, failures } = await model.run(Float64Array.of(2, 1, 0), 1);
    expect(failures).toEqual([]);
    expect(probabilities[outcome]).toBeCloseTo(Math.exp(2) / (Math.exp(2) + Math.exp(1) + 1), 6);
    expect(Math.max(...probabilities)).toBe(probabilities[outcome]);
  });

  test('gives the same with and without a ZipMap, and for its weights in a file of their own', async () => {
    const models = await Promise.all([
      load({ 'model.onnx': buildModel() }),
      load({ 'model.onnx': buildModel({ zipMap: true }) }),
      load({ 'model.onnx': buildModel({ weightsFile: 'weights.bin' }), 'weights.bin': WEIGHTS }),
      load({
        'model.onnx': buildModel({ zipMap: true, weightsFile: 'weights.bin' }),
        'weights.bin': WEIGHTS,
      }),
    ]);
    const rows = Float64Array.of(0.1, 0.2, 0.3, 5, 4, 0);
    const [first, ...others] = await Promise.all(models.map((model) => model.run(rows, 2)));
    for (const other of others) expect(other).toEqual(first);
    expect(new Set(models.map(({ digest }) => digest)).size).toBe(4);
  });

  test('runs row by row when it takes one row only', async () => {
    const single = await load({ 'model.onnx': buildModel({ batch: 1 }) });
    const open = await load({ 'model.onnx': buildModel() });
    const rows = Float64Array.of(1, 0, 0, 0, 1, 0, NaN, 0, 0);
    const [{ probabilities, failures }, expected] = [await single.run(rows, 3), await open.run(rows, 3)];
    expect(probabilities).toEqual(expected.probabilities);
    expect(failures).toMatchObject([{ row: 2, code: 'INVALID_PROBABILITIES' }]);
  });

  test('takes a feature per input, each of its own type, and a row without an integer fails alone', async () => {
    const model = await load({
      'model.onnx': buildModel({ inputs: FEATURES }),
      MLmodel: mlModel('cba', 'double'),
    });
    expect(model).toMatchObject({ columns: ['c', 'b', 'a'], width: 3 });
    const { probabilities, failures } = await model.run(Float64Array.of(0, 1.9, 5, 0, NaN, 0, 9, 0, 0), 3);
    expect(failures).toEqual([
      { row: 1, code: 'INVALID_INPUT', message: 'feature "b" is missing, and int64 has no missing value' },
    ]);
    expect([...probabilities.subarray(3, 6)]).toEqual([NaN, NaN, NaN]);
    expect(probabilities[0]).toBeGreaterThan(0.9);
    expect(probabilities[8]).toBeGreaterThan(0.9);
  });

  test('gives an empty batch for no rows, and refuses a matrix of another size', async () => {
    const model = await load({ 'model.onnx': buildModel() });
    await expect(model.run(new Float64Array(), 0)).resolves.toEqual({
      probabilities: new Float64Array(),
      failures: [],
    });
    await expect(model.run(new Float64Array(4), 1)).rejects.toThrow('4 values is not 1 rows of 3');
  });

  test('has another digest when its signature changes, for that changes what its columns mean', async () => {
    const bytes = buildModel();
    const [one, other] = [
      await load({ 'model.onnx': bytes, MLmodel: mlModel('abc', 'float') }),
      await load({ 'model.onnx': bytes, MLmodel: mlModel('bac', 'float') }),
    ];
    expect(one.digest).toMatch(/^[0-9a-f]{64}$/);
    expect(one.digest).not.toBe(other.digest);
  });
});

describe('a model is refused', () => {
  test('when its label is not the class that its probabilities say', async () => {
    const swapped = buildModel({ labels: ['home', 'draw', 'away'] });
    const at = Buffer.from(swapped).indexOf('ArgMax');
    const argMin = Buffer.from(swapped);
    argMin.write('ArgMin', at);
    await expect(load({ 'model.onnx': argMin })).rejects.toThrow(
      /the model's label is "\w+" \(\w+\) where .* would be swapped/,
    );
    await expect(load({ 'model.onnx': argMin })).rejects.toThrow(ModelRefusedError);
  });

  test.each([
    ['labels-swapped.onnx', /contradicts itself about its classes: 2, 1, 0 .*; 0, 1, 2/],
    ['labels-unknown.onnx', 'metadata entry class_labels'],
  ])('when it is %s', async (file, message) => {
    const bytes = await readFile(join(TEST_MODELS, file));
    await expect(load({ 'model.onnx': bytes })).rejects.toThrow(message);
  });

  test('when the probabilities of a row depend on the rows that it runs with', async () => {
    await expect(load({ 'model.onnx': buildModel({ mixesRows: true }) })).rejects.toThrow(
      'its neighbours change it',
    );
  });

  test('when its weights are a link out of its folder', async () => {
    const folder = await folderOf({ 'model.onnx': buildModel({ weightsFile: 'weights.bin' }) });
    const secret = await folderOf({ secret: WEIGHTS });
    await symlink(join(secret, 'secret'), join(folder, 'weights.bin'));
    await expect(loadOnnxModel(folder)).rejects.toThrow(ModelRefusedError);
  });

  test('when its weights are too short', async () => {
    const files = { 'model.onnx': buildModel({ weightsFile: 'w' }), w: WEIGHTS.subarray(0, 20) };
    await expect(load(files)).rejects.toThrow('onnxruntime cannot load the model');
  });

  test('when its signature has another width than its input', async () => {
    await expect(load({ 'model.onnx': buildModel(), MLmodel: mlModel('ab', 'double') })).rejects.toThrow(
      'the signature has 2 columns',
    );
  });
});

test('a model is unavailable when a file of it is not there', async () => {
  await expect(load({})).rejects.toThrow(ModelUnavailableError);
  await expect(load({ 'model.onnx': buildModel({ weightsFile: 'w.bin' }) })).rejects.toThrow('w.bin');
});

describe('a row that breaks the run', () => {
  test.each([
    ['fails-when-negative.onnx', 'RUN_FAILED', 'out of data bounds'],
    ['nan-when-negative.onnx', 'INVALID_PROBABILITIES', 'home_win NaN, draw NaN, away_win NaN'],
  ])('of %s fails alone', async (file, code, message) => {
    const model = await load({ 'model.onnx': await readFile(join(TEST_MODELS, file)) });
    const good = await model.run(Float64Array.of(1, 2, 3, 4), 2);
    expect(good.failures).toEqual([]);
    const { probabilities, failures } = await model.run(Float64Array.of(1, 2, -2e8, 0, 3, 4), 3);
    expect(failures).toEqual([{ row: 1, code, message: expect.stringContaining(message) }]);
    expect([...probabilities]).toEqual([
      ...good.probabilities.subarray(0, 3),
      ...[NaN, NaN, NaN],
      ...good.probabilities.subarray(3, 6),
    ]);
    expect(failures[0]?.message).not.toContain('\n');
  });
});

test("the models of the repository's own registry load and run", async () => {
  const registry = new DirectoryRegistry({
    directory: join(FIXTURES, 'registry'),
    modelName: 'match-outcome',
  });
  for (const alias of ['champion', 'challenger', 'Staging']) {
    const version = await registry.resolve(alias);
    const model = await loadOnnxModel(await registry.fetch(version!));
    const { failures } = await model.run(new Float64Array(model.width).fill(1), 1);
    expect(failures).toEqual([]);
    await model.release();
  }
});

test('nothing is printed, and a process that has run models ends as any other', async () => {
  const module = new URL('../../src/inference/onnx-model.ts', import.meta.url);
  const folder = await folderOf({
    'model.onnx': await readFile(join(TEST_MODELS, 'fails-when-negative.onnx')),
  });
  const script = `
    const { loadOnnxModel } = await import(${JSON.stringify(module)});
    const model = await loadOnnxModel(${JSON.stringify(folder)});
    const { failures } = await model.run(Float64Array.of(-2e8, 0, 1, 1), 2);
    console.log(failures.length);`;
  const child = promisify(execFile)(process.execPath, ['--input-type=module', '--eval', script]);
  await expect(child).resolves.toEqual({ stdout: '1\n', stderr: '' });
});

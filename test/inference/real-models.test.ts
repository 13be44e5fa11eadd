import { execFile } from 'node:child_process';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { ModelRefusedError } from '../../src/errors.ts';
import { outcomeOf } from '../../src/models/outcome.ts';
import { metadata } from '../models/build-model.ts';
import { describeShared } from '../shared-data.ts';
import { folderOf, load, mlModel } from './load-model.ts';

interface ModelsFile {
  readonly features: readonly string[];
  readonly sample_rows: readonly number[][];
  readonly models: readonly {
    readonly file: string;
    readonly labels: readonly (string | number)[];
    readonly expected_first5: readonly number[][];
  }[];
}

describeShared('the models that scikit-learn and LightGBM made', (shared) => {
  const folder = join(shared, 'onnx/football');
  const described = readFile(join(folder, 'MODELS.json'), 'utf8').then(
    (text) => JSON.parse(text) as ModelsFile,
  );

  test.each(['double', 'float', undefined])(
    'give what they gave there, with a signature of %s',
    async (type) => {
      const { features, sample_rows, models } = await described;
      const rows = Float64Array.from(sample_rows.flat());
      for (const { file, labels, expected_first5 } of models.filter((known) => known.labels.length === 3)) {
        const bytes = await readFile(join(folder, file));
        const model = await load({ 'model.onnx': bytes, ...(type && { MLmodel: mlModel(features, type) }) });
        const { probabilities, failures } = await model.run(rows, sample_rows.length);
        expect(failures, file).toEqual([]);
        expected_first5.forEach((expected, row) => {
          for (const [column, probability] of expected.entries()) {
            const outcome = outcomeOf(labels[column] as string | number) as number;
            expect(Math.abs((probabilities[row * 3 + outcome] as number) - probability), file).toBeLessThan(
              1e-5,
            );
          }
        });
      }
    },
  );

  test('find their columns by name when each is an input, whatever the order of the signature', async () => {
    const { features, sample_rows } = await described;
    const bytes = await readFile(join(folder, 'percolumn_mixed_int_nozipmap.onnx'));
    const inOrder = await load({ 'model.onnx': bytes });
    expect(inOrder.columns).toEqual(features);
    const reversed = await load({ 'model.onnx': bytes, MLmodel: mlModel(features.toReversed(), 'double') });
    const expected = await inOrder.run(Float64Array.from(sample_rows.flat()), sample_rows.length);
    const backwards = sample_rows.flatMap((row) => row.toReversed());
    expect(await reversed.run(Float64Array.from(backwards), sample_rows.length)).toEqual(expected);
  });

  test('are refused when they know two classes only', async () => {
    const bytes = await readFile(join(folder, 'binary_homewin_nozipmap.onnx'));
    await expect(load({ 'model.onnx': bytes })).rejects.toThrow('probabilities float [?, 2]');
  });
});

describeShared('a hostile model', (shared) => {
  const folder = join(shared, 'onnx/hostile');
  const order = metadata('class_labels', '0,1,2');

  test('is refused and never takes the process down', async () => {
    const files = (await readdir(folder)).filter(
      (file) => file.endsWith('.onnx') && !file.startsWith('infinite_loop'),
    );
    expect(files.length).toBeGreaterThan(10);
    for (const file of files) {
      const bytes = await readFile(join(folder, file));
      await expect(load({ 'model.onnx': bytes }), file).rejects.toThrow(ModelRefusedError);
      // Its classes told, it goes further: to onnxruntime, and to its first runs.
      const known = bytes.length === 0 ? bytes : Buffer.concat([bytes, order]);
      if (file === 'outputs_swapped.onnx') continue;
      await expect(load({ 'model.onnx': known }), file).rejects.toThrow(ModelRefusedError);
    }
  });

  test.each([
    ['huge_alloc.onnx', 'fails for each of 32 rows that were tried: .*Failed to allocate memory'],
    ['probs_nan.onnx', 'fails for each of 32 rows that were tried: the model gave home_win NaN'],
    ['probs_sum_gt1.onnx', 'home_win 0.89.*no probabilities'],
    ['cycle.onnx', 'not acyclic'],
    ['unknown_op.onnx', 'EvilOp'],
  ])('is refused for its own fault: %s', async (file, message) => {
    const bytes = Buffer.concat([await readFile(join(folder, file)), order]);
    await expect(load({ 'model.onnx': bytes })).rejects.toThrow(new RegExp(message));
  });

  test('is none when only its outputs are in another order', async () => {
    const bytes = Buffer.concat([await readFile(join(folder, 'outputs_swapped.onnx')), order]);
    const model = await load({ 'model.onnx': bytes });
    const { probabilities } = await model.run(new Float64Array(model.width), 1);
    expect([...probabilities].map((value) => value.toFixed(2))).toEqual(['0.20', '0.30', '0.50']);
  });

  test('that never ends is stopped with its process', async () => {
    const bytes = Buffer.concat([await readFile(join(folder, 'infinite_loop.onnx')), order]);
    const temporary = await folderOf({ 'model.onnx': bytes });
    const module = new URL('../../src/inference/onnx-model.ts', import.meta.url);
    const script = `
      const { loadOnnxModel } = await import(${JSON.stringify(module)});
      console.log('loading');
      console.log(await loadOnnxModel(${JSON.stringify(temporary)}).then(() => 'loaded', String));`;
    const child = promisify(execFile)(process.execPath, ['--input-type=module', '--eval', script], {
      timeout: 2000,
      killSignal: 'SIGKILL',
    });
    await expect(child).rejects.toMatchObject({ signal: 'SIGKILL', stdout: 'loading\n', stderr: '' });
  });
});

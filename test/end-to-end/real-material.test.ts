import { readdirSync, readFileSync } from 'node:fs';
import { appendFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { metadata } from '../models/build-model.ts';
import {
  addVersion,
  fixtures,
  registryOf,
  type ServiceClient,
  serviceForTest,
  setAliases,
} from '../service.ts';
import { describeShared } from '../shared-data.ts';
import { spawnService } from '../spawned-service.ts';

interface RealModel {
  readonly file: string;
  readonly features: readonly string[];
  readonly labels: readonly (number | string)[];
  readonly expected_first5: readonly (readonly number[])[];
}
interface RealModels {
  readonly sample_match_ids: readonly number[];
  readonly sample_rows: readonly (readonly number[])[];
  readonly models: readonly RealModel[];
}

const steady = join(fixtures, 'test-models/constant-a.onnx');
const quick = {
  MODEL_REFRESH_SECONDS: '0.05',
  PREDICT_RETRY_DELAY_SECONDS: '0.01',
  MODEL_TRIAL_SECONDS: '2',
};
const model = async (service: ServiceClient) =>
  (await service.get('/healthcheck/')).body.checks['model:champion'];

describeShared('the real material', (folder) => {
  const { models, sample_rows, sample_match_ids } = JSON.parse(
    readFileSync(join(folder, 'onnx/football/MODELS.json'), 'utf8'),
  ) as RealModels;
  const football = (file: string) => join(folder, 'onnx/football', file);
  const good = models.filter(({ labels }) => labels.length === 3);

  /** Expected probabilities in the order home win, draw, away win, whatever the model's own. */
  const expectedOf = ({ labels, expected_first5 }: RealModel) => {
    const order = labels.map((label) =>
      typeof label === 'number' ? label : ['home', 'draw', 'away'].indexOf(label),
    );
    return expected_first5.map((row) => [0, 1, 2].map((outcome) => row[order.indexOf(outcome)]!));
  };
  const expectClose = (
    answer: { status: number; body: { prediction: { probabilities: object } } },
    row: readonly number[],
  ) => {
    expect(answer.status).toBe(200);
    Object.values(answer.body.prediction.probabilities).forEach((value, i) => {
      expect(Math.abs(value - row[i]!)).toBeLessThan(1e-5);
    });
  };

  test('every football model answers through the service what its maker expects, as the alias goes from one to the next', async () => {
    const registry = await registryOf({ 0: steady }, { champion: '0' });
    for (const { file } of models) await addVersion(registry, file, football(file));
    const service = await serviceForTest({ MODEL_REGISTRY_DIR: registry, ...quick });
    for (const real of good) {
      await setAliases(registry, { champion: real.file });
      await expect.poll(() => model(service), { timeout: 10_000 }).toMatchObject({ version: real.file });
      const rows = expectedOf(real);
      const requests = rows.map((_, i) => {
        const features = Object.fromEntries(
          real.features.map((name, column) => [name, sample_rows[i]![column]!]),
        );
        return service.post('/predict/', { match_id: i, features });
      });
      for (const [i, answer] of (await Promise.all(requests)).entries()) expectClose(answer, rows[i]!);
    }
    await setAliases(registry, { champion: 'binary_homewin_nozipmap.onnx' });
    await expect
      .poll(async () => (await model(service)).fault, { timeout: 10_000 })
      .toMatch(/three probabilities|3 columns|2/);
    expect((await service.get('/healthcheck/')).status).toBe(200);
  });

  test('matches of the real features table are predicted by name as from the rows themselves', async () => {
    const real = models.find(({ file }) => file.startsWith('percolumn'))!;
    const registry = await registryOf({ 1: football(real.file) }, { champion: '1' });
    const service = await serviceForTest({
      MODEL_REGISTRY_DIR: registry,
      FEATURES_PATH: join(folder, 'features/features_pandas_snappy.parquet'),
      PREDICTIONS_PATH: join(folder, 'features/predictions_pandas.parquet'),
    });
    expect((await service.get('/predict/matches/')).body).toHaveLength(78);
    for (const [i, row] of expectedOf(real).entries()) {
      expectClose(await service.get(`/predict/${sample_match_ids[i]}`), row);
    }
  });

  describe('a hostile model', () => {
    const hostile = readdirSync(join(folder, 'onnx/hostile')).filter((file) => file.endsWith('.onnx'));

    test('as a new version is refused or fails its predictions, and never harms the service', async () => {
      const registry = await registryOf({ 0: steady }, { champion: '0' });
      const service = await spawnService({ MODEL_REGISTRY_DIR: registry, ...quick });
      await expect.poll(() => model(service), { timeout: 10_000 }).toMatchObject({ version: '0' });
      for (const file of hostile) {
        await addVersion(registry, file, join(folder, 'onnx/hostile', file));
        await setAliases(registry, { champion: file });
        await expect
          .poll(
            async () => {
              const { version, fault } = await model(service);
              return version === file || String(fault).startsWith(`Version ${file}`);
            },
            { timeout: 10_000 },
          )
          .toBe(true);
        const { status, body } = await service.post('/predict/', { match_id: 1, features: { a: 1, b: 2 } });
        if (status !== 200)
          expect([status, body.detail]).toEqual([500, expect.stringMatching(/^Prediction failed: /)]);
        expect((await service.get('/healthcheck/')).status).toBe(200);
        expect(service.process.exitCode).toBeNull();
      }
    });

    test('as the first version, whose run never returns: callers get 504, health is 503, the process lives', async () => {
      const registry = await registryOf(
        { 1: join(folder, 'onnx/hostile/infinite_loop.onnx') },
        { champion: '1' },
      );
      // Its classes are told, so that it is run at all.
      await appendFile(join(registry, 'match-outcome/1/model.onnx'), metadata('class_labels', '0,1,2'));
      const service = await spawnService({ MODEL_REGISTRY_DIR: registry, SYNC_TIMEOUT_SECONDS: '2' });
      const { status, body } = await service.post('/predict/', { match_id: 1, features: { a: 1 } });
      expect([status, body.detail]).toEqual([
        504,
        expect.stringMatching(/^ML worker did not respond in time/),
      ]);
      const health = await service.get('/healthcheck/');
      expect([health.status, health.body.status]).toEqual([503, 'starting']); // it is still being tried
      expect(service.process.exitCode).toBeNull();
      service.process.kill('SIGTERM');
      expect(await service.exited).toEqual([0, null]);
    });
  });
});

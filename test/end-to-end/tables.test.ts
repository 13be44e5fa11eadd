import { copyFile, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { fixtures, type ServiceClient, serviceForTest, startService, temporaryFolder } from '../service.ts';

const featuresFile = join(fixtures, 'match_features.parquet');
const upcoming = (service: ServiceClient) => service.get('/predict/matches/').then(({ body }) => body.length);
const check = async (service: ServiceClient, table: string) =>
  (await service.get('/healthcheck/')).body.checks[`table:${table}`];

test('a missing file is an empty table: the list is empty, lookups are 404, and the service is healthy', async () => {
  const folder = await temporaryFolder();
  const service = await serviceForTest({
    FEATURES_PATH: join(folder, 'none.parquet'),
    PREDICTIONS_PATH: join(folder, 'none.parquet'),
  });
  expect(await service.get('/predict/matches/')).toMatchObject({ status: 200, body: [] });
  expect((await service.get('/predict/1')).status).toBe(404);
  expect((await service.get('/predict/precomputed/1')).status).toBe(404);
  expect((await service.post('/predict/async/', { match_id: 1 })).status).toBe(404);
  expect((await service.get('/healthcheck/')).status).toBe(200);
  expect((await service.post('/predict/', { match_id: 1, features: {} })).status).toBe(200);
});

test('a file that appears is served without a restart, and a half-written one leaves what is served', async () => {
  const folder = await temporaryFolder();
  const path = join(folder, 'features.parquet');
  const service = await serviceForTest({ FEATURES_PATH: path, TABLE_REFRESH_SECONDS: '0.05' });
  expect(await upcoming(service)).toBe(0);

  await copyFile(featuresFile, join(folder, 'new'));
  await rename(join(folder, 'new'), path);
  await expect.poll(() => upcoming(service)).toBeGreaterThan(40);
  const count = await upcoming(service);

  const whole = await readFile(featuresFile);
  await writeFile(path, whole.subarray(0, whole.length / 2));
  await expect.poll(() => check(service, 'features')).toMatchObject({ ok: false, fault: expect.any(String) });
  expect(await upcoming(service)).toBe(count);
  expect(service.logs.filter(({ level }) => level === 50)).toEqual([
    expect.objectContaining({ table: 'features', fault: expect.stringContaining(path) }),
  ]);

  await rm(path);
  await expect.poll(async () => (await check(service, 'features')).fault).toMatch(/gone/);
  expect(await upcoming(service)).toBe(count);

  await writeFile(path, whole);
  await expect.poll(() => check(service, 'features')).toMatchObject({ ok: true, fault: null });
});

test('a file that is no table at the start is the empty table, and the log says why', async () => {
  const path = join(await temporaryFolder(), 'predictions.parquet');
  await writeFile(path, '<html>502 Bad Gateway</html>');
  const service = await serviceForTest({ PREDICTIONS_PATH: path });
  expect((await service.get('/predict/precomputed/1')).status).toBe(404);
  expect(service.logs.find(({ level }) => level === 50)).toMatchObject({ table: 'predictions' });
});

test('while the first table is still being read its matches are 503, not 404', async () => {
  await using service = await startService();
  const early = await Promise.all(
    ['/predict/matches/', '/predict/1', '/predict/precomputed/1'].map((path) => service.get(path)),
  );
  for (const { status, headers, body } of early) {
    expect([status, headers.get('retry-after')]).toEqual([503, '1']);
    expect(body.detail).toMatch(/table is still being loaded/);
  }
  expect((await service.post('/predict/', { match_id: 1, features: {} })).status).toBe(200); // waits for the model
  await service.loaded;
  expect(await upcoming(service)).toBeGreaterThan(40);
});

test('features and the time they were written at never belong to two different files', async () => {
  const path = join(await temporaryFolder(), 'features.parquet');
  await copyFile(featuresFile, path);
  const service = await serviceForTest({ FEATURES_PATH: path, TABLE_REFRESH_SECONDS: '0.02' });
  const [{ match_id }] = (await service.get('/predict/matches/')).body;
  const first = (await service.get(`/predict/${match_id}`)).body.features_computed_at;
  await copyFile(featuresFile, path);
  await expect
    .poll(async () => (await service.get(`/predict/${match_id}`)).body.features_computed_at)
    .not.toBe(first);
});

import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import {
  addVersion,
  fixtures,
  registryOf,
  type ServiceClient,
  serviceForTest,
  setAliases,
  startService,
  temporaryFolder,
} from '../service.ts';
import { spawnService } from '../spawned-service.ts';

const champion = join(fixtures, 'registry/match-outcome/2');
const testModel = (name: string) => join(fixtures, 'test-models', `${name}.onnx`);
/** Retries and refreshes so short that no test waits for them. */
const quick = {
  PREDICT_RETRY_DELAY_SECONDS: '0.01',
  MODEL_INFO_RETRY_DELAY_SECONDS: '0.01',
  MODEL_REFRESH_SECONDS: '0.05',
};

/** A prediction by a test model, which takes two features by position. */
const predictPair = (service: ServiceClient, first: number, matchId = 1) =>
  service.post('/predict/', { match_id: matchId, features: { a: first, b: 1 } });
const serviceOn = (registry: string, settings: Record<string, string> = {}) =>
  serviceForTest({ MODEL_REGISTRY_DIR: registry, ...quick, ...settings });
const statusOf = (service: ServiceClient) => service.get('/healthcheck/').then(({ status }) => status);

describe('a registry without a model for the stage', () => {
  test('that is empty: the service runs, health says what is missing, predict is a clear 500', async () => {
    const service = await serviceOn(await temporaryFolder());
    const health = await service.get('/healthcheck/');
    expect([health.status, health.body.status]).toEqual([503, 'unhealthy']);
    expect(health.body.checks['model:champion']).toMatchObject({
      ok: false,
      fault: expect.stringContaining("registered for 'champion'"),
    });
    const { status, body } = await service.post('/predict/', { match_id: 1, features: {} });
    expect(status).toBe(500);
    expect(body.detail).toMatch(/^Prediction failed: .*registered for 'champion'/);
    expect((await service.get('/healthcheck/live')).status).toBe(200);
  });

  test('with a dangling alias: the same, and it recovers by itself when the registry is mended', async () => {
    const registry = await registryOf({ 2: champion }, { champion: '9' });
    const service = await serviceOn(registry);
    const { status, body } = await service.post('/predict/', { match_id: 1, features: {} });
    expect([status, body.detail]).toEqual([500, expect.stringMatching(/^Prediction failed: .*version 9/)]);
    expect(await statusOf(service)).toBe(503);
    await setAliases(registry, { champion: '2' });
    await expect.poll(() => statusOf(service), { timeout: 10_000 }).toBe(200);
    expect((await service.post('/predict/', { match_id: 1, features: {} })).status).toBe(200);
    const faults = service.logs.filter(({ msg }) => msg === 'model version not rolled out');
    expect(faults).toHaveLength(1); // one line a change of state, however often it looked
  });

  test('whose aliases.json is not JSON: the same', async () => {
    const registry = await registryOf({ 2: champion }, {});
    await writeFile(join(registry, 'match-outcome/aliases.json'), '{"champion": ');
    const service = await serviceOn(registry);
    expect((await service.get('/healthcheck/')).body.checks['model:champion'].fault).toMatch(
      /aliases\.json is not JSON/,
    );
  });

  test('model info is "unknown" for a stage without a version', async () => {
    const service = await serviceOn(await temporaryFolder());
    expect(await service.get('/predict/model/info')).toMatchObject({
      status: 200,
      body: {
        model_name: 'match-outcome',
        stage: 'champion',
        version: 'unknown',
        run_id: 'unknown',
        metrics: {},
        params: {},
        feature_names: [],
        created_at: null,
      },
    });
  });

  test('model info is 500 with the cause when the registry cannot be read', async () => {
    const service = await serviceOn(await registryOf({ 2: champion }, { champion: '9' }));
    const { status, body } = await service.get('/predict/model/info');
    expect([status, body.detail]).toEqual([
      500,
      expect.stringMatching(/^Could not retrieve model info: .*version 9/),
    ]);
  });
});

test('model info of a version without a run id is 500, as it was where this service comes from', async () => {
  const registry = await registryOf({ 1: testModel('constant-a') }, { champion: '1' });
  const service = await serviceOn(registry);
  const { status, body } = await service.get('/predict/model/info');
  expect(status).toBe(500);
  expect(body.detail).toMatch(/^Could not retrieve model info: .*model_name.*run_id/);
  expect((await predictPair(service, 1)).body.prediction.model_run_id).toBe('unknown');
});

test('a full queue is 503 with Retry-After at once, and what it had taken is answered', async () => {
  await using service = await startService({ MAX_QUEUE: '1' });
  const request = { match_id: 1, features: {} };
  const answers = await Promise.all([1, 2, 3].map(() => service.post('/predict/', request))); // the model still loads
  expect(answers.map(({ status }) => status).sort()).toEqual([200, 503, 503]);
  const refused = answers.find(({ status }) => status === 503)!;
  expect([refused.headers.get('retry-after'), refused.body.detail]).toEqual([
    '1',
    expect.stringMatching(/queue is full/),
  ]);
  expect((await service.post('/predict/', request)).status).toBe(200);
});

describe('stages', () => {
  test('challenger is 500 at once where the worker does not list it, without a retry', async () => {
    const service = await serviceForTest({ PREDICT_RETRY_DELAY_SECONDS: '1000' });
    const { status, body } = await service.post('/predict/?stage=challenger', { match_id: 1, features: {} });
    expect(status).toBe(500);
    expect(body.detail).toMatch(/^Prediction failed: Unknown stage 'challenger'.*MODEL_STAGES/);
  });

  test('any alias or stage can be the default: Staging, whose labels are text and whose ZipMap is on', async () => {
    const service = await serviceForTest({ MODEL_STAGES: 'Staging', MODEL_STAGE: 'Staging' });
    const { status, body } = await service.post('/predict/', { match_id: 1, features: {} });
    expect(status).toBe(200);
    expect(body.prediction.model_version).toBe('Staging');
    expect((await service.post('/predict/?stage=champion', { match_id: 1, features: {} })).status).toBe(500);
  });
});

describe('one bad row', () => {
  test('of probabilities that are none fails alone and at once, its neighbours are answered', async () => {
    const service = await serviceOn(
      await registryOf({ 1: testModel('nan-when-negative') }, { champion: '1' }),
      {
        PREDICT_RETRY_DELAY_SECONDS: '1000',
      },
    );
    const answers = await Promise.all([3, -1, 4, -2, 5].map((first, id) => predictPair(service, first, id)));
    expect(answers.map(({ status }) => status)).toEqual([200, 500, 200, 500, 200]);
    expect(answers[1]!.body.detail).toMatch(/^Prediction failed: .*NaN/);
    expect(answers[4]!.body.match_id).toBe(4);
  });

  test('that breaks the run fails alone, after its retries', async () => {
    const service = await serviceOn(
      await registryOf({ 1: testModel('fails-when-negative') }, { champion: '1' }),
    );
    const answers = await Promise.all([1, -1e9, 2].map((first, id) => predictPair(service, first, id)));
    expect(answers.map(({ status }) => status)).toEqual([200, 500, 200]);
    expect(answers[1]!.body.detail).toMatch(/^Prediction failed: \S/);
  });

  test('with another number of features than a model without names takes fails at once', async () => {
    const service = await serviceOn(await registryOf({ 1: testModel('constant-a') }, { champion: '1' }), {
      PREDICT_RETRY_DELAY_SECONDS: '1000',
    });
    const { status, body } = await service.post('/predict/', { match_id: 1, features: { a: 1 } });
    expect([status, body.detail]).toEqual([
      500,
      expect.stringMatching(/takes 2 features by position, and 1/),
    ]);
  });

  test('without a value for an integer column fails at once and says which', async () => {
    const service = await serviceForTest({
      MODEL_STAGES: 'champion,challenger',
      PREDICT_RETRY_DELAY_SECONDS: '1000',
    });
    const { status, body } = await service.post('/predict/?stage=challenger', { match_id: 1, features: {} });
    expect([status, body.detail]).toEqual([500, expect.stringMatching(/^Prediction failed: .*h2h_matches/)]);
  });
});

describe('a run that never returns', () => {
  test('gives its callers 504, turns health to 503, and the process lives', async () => {
    const registry = await registryOf({ 1: testModel('loops-when-negative') }, { champion: '1' });
    // In a process of its own: a thread that is in such a run cannot be ended.
    const service = await spawnService({
      MODEL_REGISTRY_DIR: registry,
      SYNC_TIMEOUT_SECONDS: '0.5',
      ...quick,
    });
    await expect.poll(() => statusOf(service), { timeout: 10_000 }).toBe(200);
    expect((await predictPair(service, 1)).status).toBe(200);
    const stuck = await predictPair(service, -1e9);
    expect([stuck.status, stuck.body]).toEqual([
      504,
      { detail: 'ML worker did not respond in time. Try /predict/async/ instead.' },
    ]);
    await expect.poll(() => statusOf(service)).toBe(503);
    expect((await service.get('/healthcheck/')).body.checks.threads).toEqual({
      ok: false,
      total: 1,
      stuck: 1,
    });
    expect((await predictPair(service, 1)).status).toBe(504);
    const info = await service.get('/predict/model/info');
    expect([info.status, info.body]).toEqual([504, { detail: 'ML worker did not respond in time.' }]);
    expect((await service.get('/healthcheck/live')).status).toBe(200);
    expect(service.process.exitCode).toBeNull();
  });

  test('in a new version is met in the trial, and the version before serves on', async () => {
    const registry = await registryOf({ 1: testModel('constant-a') }, { champion: '1' });
    const service = await serviceOn(registry, { MODEL_TRIAL_SECONDS: '1' });
    await addVersion(registry, '2', testModel('loops-always'));
    await setAliases(registry, { champion: '2' });
    await expect
      .poll(async () => (await service.get('/healthcheck/')).body.checks['model:champion'].fault, {
        timeout: 10_000,
      })
      .toMatch(/Version 2: .*within 1 s/);
    expect(await statusOf(service)).toBe(200);
    expect((await predictPair(service, 1)).status).toBe(200);
  });
});

describe('following an alias', () => {
  const probabilitiesOf = async (service: ServiceClient) =>
    (await predictPair(service, 1)).body.prediction.probabilities as Record<string, number>;

  test('under load, back and forth: no error, no retry, no mixture', async () => {
    const registry = await registryOf(
      { 1: testModel('constant-a'), 2: testModel('constant-b') },
      { champion: '1' },
    );
    // A retry would take so long that its request ended with 504.
    const slow = { PREDICT_RETRY_DELAY_SECONDS: '1000', SYNC_TIMEOUT_SECONDS: '5' };
    const service = await serviceOn(registry, slow);
    const answers = { 1: await probabilitiesOf(service), 2: {} as Record<string, number> };
    let running = true;
    const seen = new Set<string>();
    const load = Array.from({ length: 64 }, async () => {
      while (running) {
        const { status, body } = await predictPair(service, 1);
        seen.add(`${status} ${JSON.stringify(body.prediction?.probabilities)}`);
      }
    });
    for (const version of ['2', '1', '2', '1', '2'] as const) {
      const before = await probabilitiesOf(service);
      await setAliases(registry, { champion: version });
      await expect.poll(() => probabilitiesOf(service), { timeout: 10_000 }).not.toEqual(before);
      answers[version] = await probabilitiesOf(service);
    }
    running = false;
    await Promise.all(load);
    expect([...seen].sort()).toEqual(
      Object.values(answers)
        .map((one) => `200 ${JSON.stringify(one)}`)
        .sort(),
    );
  });

  test('a version that must be refused is refused, once in the log, and the one before serves on', async () => {
    const registry = await registryOf({ 1: testModel('constant-a') }, { champion: '1' });
    const service = await serviceOn(registry);
    const before = await probabilitiesOf(service);
    for (const [version, model, cause] of [
      ['2', 'labels-swapped', /label/],
      ['3', 'labels-unknown', /class_labels/],
    ] as const) {
      await addVersion(registry, version, testModel(model));
      await setAliases(registry, { champion: version });
      await expect
        .poll(async () => (await service.get('/healthcheck/')).body.checks['model:champion'].fault, {
          timeout: 10_000,
        })
        .toMatch(new RegExp(`Version ${version}`));
      const refusals = service.logs.filter(({ fault }) => String(fault).startsWith(`Version ${version}`));
      expect(refusals).toEqual([expect.objectContaining({ level: 50, fault: expect.stringMatching(cause) })]);
      expect(await probabilitiesOf(service)).toEqual(before);
    }
    await setAliases(registry, { champion: '1' });
    await expect
      .poll(async () => (await service.get('/healthcheck/')).body.checks['model:champion'])
      .toMatchObject({ ok: true, version: '1', fault: null });
  });

  test('a registry that is gone leaves the model that serves', async () => {
    const registry = await registryOf({ 1: testModel('constant-a') }, { champion: '1' });
    const service = await serviceOn(registry);
    await rm(registry, { recursive: true });
    await expect
      .poll(async () => (await service.get('/healthcheck/')).body.checks['model:champion'].fault)
      .toMatch(/registered/);
    expect((await predictPair(service, 1)).status).toBe(200);
    expect(await statusOf(service)).toBe(200);
  });
});

import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { fixtures, type RunningService, startService } from '../service.ts';

let service: RunningService;
/** An upcoming match, and the features that the champion wants of it. */
let matchId: number;
let featureNames: string[];
const run = async (version: number) =>
  JSON.parse(await readFile(join(fixtures, `registry/match-outcome/${version}/run.json`), 'utf8'));

beforeAll(async () => {
  service = await startService({ MODEL_STAGES: 'champion,challenger' });
  await service.loaded;
  matchId = (await service.get('/predict/matches/')).body[0].match_id;
  featureNames = (await service.get('/predict/model/info')).body.feature_names;
});
afterAll(() => service[Symbol.asyncDispose]());

const someFeatures = () => Object.fromEntries(featureNames.map((name, i) => [name, i / 2]));

function expectProbabilities(probabilities: Record<string, number>, predictedClass: number): void {
  expect(Object.keys(probabilities)).toEqual(['0', '1', '2']);
  const values = Object.values(probabilities);
  expect(values.reduce((sum, value) => sum + value, 0)).toBeCloseTo(1, 3);
  expect(values[predictedClass]).toBe(Math.max(...values));
}

describe('GET /predict/matches/', () => {
  test('lists the matches without an outcome with their five display columns', async () => {
    const { status, body } = await service.get('/predict/matches/');
    expect(status).toBe(200);
    expect(body.length).toBeGreaterThanOrEqual(40);
    for (const match of body) {
      expect(match).toEqual({
        match_id: expect.any(Number),
        startTimeUtc: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/),
        homeTeamName: expect.any(String),
        awayTeamName: expect.any(String),
        homeTeamId: expect.any(Number),
        awayTeamId: expect.any(Number),
      });
      expect(match.homeTeamId).not.toBe(match.awayTeamId);
    }
  });
});

describe('POST /predict/', () => {
  test('predicts from the features sent', async () => {
    const { status, body } = await service.post('/predict/', { match_id: 42, features: someFeatures() });
    expect(status).toBe(200);
    expect(body).toEqual({
      match_id: 42,
      cached: false,
      features_computed_at: null,
      prediction: {
        predicted_class: expect.any(Number),
        probabilities: expect.any(Object),
        model_version: 'champion',
        model_run_id: (await run(2)).run_id,
      },
    });
    expectProbabilities(body.prediction.probabilities, body.prediction.predicted_class);
  });

  test('takes missing features as missing and ignores unknown ones', async () => {
    const none = await service.post('/predict/', { match_id: 1, features: {} });
    const unknown = await service.post('/predict/', { match_id: 1, features: { no_such_feature: 5 } });
    expect(none.status).toBe(200);
    expect(unknown.body).toEqual(none.body);
  });

  test('uses the stage that is asked for', async () => {
    const names = (await service.get('/predict/model/info?stage=challenger')).body.feature_names as string[];
    const features = Object.fromEntries(names.map((name) => [name, 2]));
    const { body } = await service.post('/predict/?stage=challenger', { match_id: 1, features });
    expect(body.prediction).toMatchObject({
      model_version: 'challenger',
      model_run_id: (await run(1)).run_id,
    });
  });

  test('answers many requests at once each with its own prediction', async () => {
    const alone = new Map<number, unknown>();
    const ids = Array.from({ length: 100 }, (_, i) => i);
    const request = (id: number) => ({
      match_id: id,
      features: { ...someFeatures(), [featureNames[0]!]: 1300 + 4 * id },
    });
    for (const id of ids) alone.set(id, (await service.post('/predict/', request(id))).body);
    expect(new Set([...alone.values()].map((body) => JSON.stringify(body))).size).toBeGreaterThan(50);
    const together = await Promise.all(ids.map((id) => service.post('/predict/', request(id))));
    together.forEach(({ body }, id) => {
      expect(body).toEqual(alone.get(id));
    });
  });

  test('answers with and without a trailing slash', async () => {
    expect((await service.post('/predict', { match_id: 1, features: {} })).status).toBe(200);
    expect((await service.get(`/predict/${matchId}/`)).status).toBe(200);
    expect((await service.get('/predict/matches')).status).toBe(200);
    expect((await service.get('/healthcheck')).status).toBe(200);
    expect((await service.get('/predict/model/info/')).status).toBe(200);
  });
});

describe('GET /predict/{match_id}', () => {
  test('predicts from the precomputed features and says when these were written', async () => {
    const { status, body } = await service.get(`/predict/${matchId}`);
    expect(status).toBe(200);
    expect(body).toMatchObject({ match_id: matchId, cached: false });
    expect(body.features_computed_at).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/);
    expectProbabilities(body.prediction.probabilities, body.prediction.predicted_class);
  });

  test('serves the challenger too', async () => {
    const { body } = await service.get(`/predict/${matchId}?stage=challenger`);
    expect(body.prediction.model_version).toBe('challenger');
  });

  test('is 404 for a match that is not in the table', async () => {
    const { status, body } = await service.get('/predict/999999999');
    expect(status).toBe(404);
    expect(body.detail).toMatch(/999999999 was not found in precomputed features.*batch stage must have run/);
  });

  test('agrees with the precomputed prediction of every upcoming match', async () => {
    const upcoming = (await service.get('/predict/matches/')).body;
    for (const { match_id } of upcoming) {
      const { prediction } = (await service.get(`/predict/${match_id}`)).body;
      const stored = (await service.get(`/predict/precomputed/${match_id}`)).body;
      expect(prediction.probabilities[0]).toBeCloseTo(stored.proba_home, 5);
      expect(prediction.probabilities[1]).toBeCloseTo(stored.proba_draw, 5);
      expect(prediction.probabilities[2]).toBeCloseTo(stored.proba_away, 5);
      expect(prediction.predicted_class).toBe(stored.predicted_class);
      expect(stored.predicted_label).toBe(['home_win', 'draw', 'away_win'][prediction.predicted_class]);
      expect(stored.model_run_id).toBe(prediction.model_run_id);
      expect(stored.is_future).toBe(true);
    }
  });
});

describe('GET /predict/precomputed/{match_id}', () => {
  test('gives the stored row and when the table was written', async () => {
    const { status, body } = await service.get(`/predict/precomputed/${matchId}`);
    const [match] = (await service.get('/predict/matches/')).body;
    expect(status).toBe(200);
    expect(body).toEqual({
      match_id: matchId,
      proba_home: expect.any(Number),
      proba_draw: expect.any(Number),
      proba_away: expect.any(Number),
      predicted_class: expect.any(Number),
      predicted_label: expect.stringMatching(/^(home_win|draw|away_win)$/),
      is_future: true,
      start_time_utc: match.startTimeUtc,
      home_team_name: match.homeTeamName,
      away_team_name: match.awayTeamName,
      model_run_id: (await run(2)).run_id,
      model_stage: 'champion',
      predictions_computed_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/),
    });
  });

  test('is 404 for a match that is not in the table', async () => {
    const { status, body } = await service.get('/predict/precomputed/999999999');
    expect(status).toBe(404);
    expect(body.detail).toMatch(
      /999999999 was not found in precomputed predictions.*batch stage must have run.*predictions bucket must be configured/,
    );
  });
});

describe('GET /predict/model/info', () => {
  test('gives what the registry knows of the champion', async () => {
    const { status, body } = await service.get('/predict/model/info');
    const { run_id, created_at, metrics, params } = await run(2);
    expect(status).toBe(200);
    expect(body).toEqual({
      model_name: 'match-outcome',
      stage: 'champion',
      version: '2',
      run_id,
      metrics,
      params,
      feature_names: expect.any(Array),
      created_at,
    });
    expect(body.feature_names).toHaveLength(30);
  });

  test('and of the challenger', async () => {
    const { body } = await service.get('/predict/model/info?stage=challenger');
    expect(body).toMatchObject({ stage: 'challenger', version: '1' });
  });
});

describe('POST /predict/async/', () => {
  test('answers 202 at once, and the task ends with the prediction that the synchronous route gives', async () => {
    const { status, body } = await service.post('/predict/async/', { match_id: matchId });
    expect(status).toBe(202);
    expect(body).toEqual({
      task_id: expect.any(String),
      status: 'submitted',
      status_url: `/monitoring/task_status/${body.task_id}`,
    });
    await expect.poll(async () => (await service.get(body.status_url)).body.status).toBe('SUCCESS');
    const task = await service.get(body.status_url);
    expect(task.status).toBe(200);
    expect(task.body).toEqual({
      task_id: body.task_id,
      status: 'SUCCESS',
      result: (await service.get(`/predict/${matchId}`)).body,
      meta: null,
      error: null,
      date_done: expect.stringMatching(/Z$/),
      known: true,
    });
  });

  test('is 404 for a match without precomputed features', async () => {
    const { status, body } = await service.post('/predict/async/', { match_id: 999999999 });
    expect(status).toBe(404);
    expect(body.detail).toMatch(/not found in precomputed features/);
  });
});

describe('GET /monitoring/task_status/{task_id}', () => {
  test('is PENDING and not known for an id that was never given out', async () => {
    const { status, body } = await service.get('/monitoring/task_status/no-such-task');
    expect(status).toBe(200);
    expect(body).toEqual({
      task_id: 'no-such-task',
      status: 'PENDING',
      result: null,
      meta: null,
      error: null,
      date_done: null,
      known: false,
    });
  });
});

describe('health', () => {
  test('is 200 with version, process, memory and checks', async () => {
    const { status, body } = await service.get('/healthcheck/');
    expect(status).toBe(200);
    expect(body).toMatchObject({
      status: 'healthy',
      version: '1.0.0',
      worker_id: process.pid,
      memory_usage_mb: expect.any(Number),
      uptime_seconds: expect.any(Number),
      checks: {
        'model:champion': { ok: true, version: '2' },
        'model:challenger': { ok: true, version: '1' },
        'table:features': { ok: true },
        'table:predictions': { ok: true },
        threads: { ok: true, stuck: 0 },
      },
    });
  });

  test('liveness is 200', async () => {
    expect((await service.get('/healthcheck/live')).body).toEqual({ status: 'alive' });
  });
});

describe('documentation', () => {
  test('is served as a page and as a document', async () => {
    expect((await service.get('/docs/')).headers.get('content-type')).toMatch(/text\/html/);
    expect((await service.get('/openapi.json')).body.openapi).toBe('3.1.0');
  });
});

/** Config → the whole service. Everything is made here and handed on by argument; who makes it closes it. */
import type { Logger } from 'pino';
import type { Config } from './config.ts';
import { buildApp, closeApp } from './http/app.ts';
import { API_VERSION } from './http/openapi.ts';
import { ModelRollout } from './inference/model-rollout.ts';
import { ThreadPool } from './inference/pool.ts';
import { tryModel } from './inference/trial.ts';
import { openRegistry } from './models/open-registry.ts';
import { Health } from './observability/health.ts';
import { PredictionService } from './predictions/prediction-service.ts';
import { FEATURE_LAYOUT, FeatureTable } from './tables/feature-table.ts';
import { FileSource } from './tables/file-source.ts';
import { PREDICTION_LAYOUT, PredictionTable } from './tables/prediction-table.ts';
import { emptyTable } from './tables/table.ts';
import { TableReader } from './tables/table-reader.ts';
import { TableStore } from './tables/table-store.ts';
import { EmbeddedQueue } from './tasks/embedded-queue.ts';
import { retryPolicies } from './tasks/retry-policy.ts';

/** The running parts that the process itself needs. */
export type Service = Awaited<ReturnType<typeof compose>>;

/** Makes the service and starts to load tables and models; the app can listen at once, and says when it is ready. */
export async function compose(config: Config, logger: Logger) {
  const owned = new AsyncDisposableStack();

  const registrySettings = { directory: config.MODEL_REGISTRY_DIR, modelName: config.MODEL_NAME };
  const pool = new ThreadPool({
    threads: config.WORKER_THREADS,
    maxBatchSize: config.MAX_BATCH_SIZE,
    stages: config.MODEL_STAGES,
    defaultStage: config.MODEL_STAGE,
    stuckAfterMs: config.SYNC_TIMEOUT_SECONDS * 1000,
    thread: { registry: registrySettings },
  });
  owned.defer(() => pool.close());

  const registry = openRegistry(registrySettings);
  const rollouts = config.MODEL_STAGES.map((stage) =>
    owned.use(
      new ModelRollout({
        stage,
        registry,
        server: pool,
        trial: (folder, signal) => tryModel(folder, config.MODEL_TRIAL_SECONDS * 1000, signal),
        refreshSeconds: config.MODEL_REFRESH_SECONDS,
        logger,
      }),
    ),
  );

  const reader = owned.use(new TableReader());
  const { TABLE_REFRESH_SECONDS: refreshSeconds } = config;
  const features = owned.use(
    new TableStore({
      name: 'features',
      source: new FileSource(config.FEATURES_PATH),
      read: async (bytes) => new FeatureTable(await reader.read(bytes, config.FEATURES_PATH, FEATURE_LAYOUT)),
      empty: new FeatureTable(emptyTable()),
      refreshSeconds,
      logger,
    }),
  );
  const precomputed = owned.use(
    new TableStore({
      name: 'predictions',
      source: new FileSource(config.PREDICTIONS_PATH),
      read: async (bytes) =>
        new PredictionTable(await reader.read(bytes, config.PREDICTIONS_PATH, PREDICTION_LAYOUT)),
      empty: new PredictionTable(emptyTable()),
      refreshSeconds,
      logger,
    }),
  );

  const tasks = new EmbeddedQueue({
    runner: pool,
    policies: retryPolicies(config.PREDICT_RETRY_DELAY_SECONDS, config.MODEL_INFO_RETRY_DELAY_SECONDS),
    syncTimeoutMs: config.SYNC_TIMEOUT_SECONDS * 1000,
    maxOpen: config.MAX_QUEUE,
    resultTtlMs: config.TASK_RESULT_TTL * 1000,
    maxResults: config.TASK_RESULT_LIMIT,
  });
  owned.defer(() => tasks.drain());

  const health = new Health({
    version: API_VERSION,
    defaultStage: config.MODEL_STAGE,
    rollouts,
    tables: [features, precomputed],
    threads: () => pool.threads,
  });
  const predictions = new PredictionService({ tasks, features, predictions: precomputed });
  const app = await buildApp({
    predictions,
    health,
    logger,
    bodyLimitBytes: config.BODY_LIMIT_BYTES,
    requestTimeoutMs: config.REQUEST_TIMEOUT_SECONDS * 1000,
  });
  owned.defer(() => closeApp(app));
  owned.defer(() => health.drain());

  const loaded = Promise.all([...rollouts, features, precomputed].map((part) => part.start()));
  return { app, loaded, [Symbol.asyncDispose]: () => owned.disposeAsync() };
}

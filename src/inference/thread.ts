/**
 * What a worker thread does, one exported function a message. It answers with plain data, for Piscina would strip the
 * class and code off an error. Nothing is imported eagerly that could fail: a thread file that throws on import leaves a
 * pool without threads, and calls that never end.
 */
import { workerData } from 'node:worker_threads';
import type { RegistrySettings } from '../models/open-registry.ts';
import type { Failure, ModelInfo } from './job.ts';
import type { LoadedModels } from './loaded-models.ts';
import type { BatchResult } from './onnx-model.ts';

/** What a thread is told when it starts. */
export interface ThreadSettings {
  readonly registry: RegistrySettings;
}

/** What a loaded model wants: how many values a row has, and their names where the model has names. */
export interface ModelShape {
  readonly columns: readonly string[] | undefined;
  readonly width: number;
  /** SHA-256 of the model file, to be sure that every thread and the trial read the same one. */
  readonly digest: string;
}

export type Reply<Value> = { readonly ok: true; readonly value: Value } | Failure;

/** Loads and warms a model version, once; `key` is its name from now on. */
export async function load(message: { key: string; folder: string }): Promise<Reply<ModelShape>> {
  return answer(async () => {
    const { columns, width, digest } = await (await loadedModels()).load(message.key, message.folder);
    return { columns, width, digest };
  });
}

/** Runs one batch. The matrix is row-major, `rowCount` × the model's width, NaN for a missing value. */
export async function predict(message: {
  key: string;
  matrix: Float64Array;
  rowCount: number;
}): Promise<Reply<BatchResult>> {
  return answer(async () => (await loadedModels()).get(message.key).run(message.matrix, message.rowCount));
}

/** Frees a model version that takes no traffic any more. */
export async function release(message: { key: string }): Promise<Reply<void>> {
  return answer(async () => (await loadedModels()).release(message.key));
}

/** Asks the registry what it knows of the model behind `stage`. */
export async function getModelInfo(message: { stage: string }): Promise<Reply<ModelInfo>> {
  return answer(async () => {
    const [{ openRegistry }, { getModelInfo }] = await Promise.all([
      import('../models/open-registry.ts'),
      import('./get-model-info.ts'),
    ]);
    const { registry } = workerData as ThreadSettings;
    return getModelInfo(openRegistry(registry), registry.modelName, message.stage);
  });
}

// The one state of a thread: what it has loaded. It lives as long as the thread, so it may live in the module.
let loaded: Promise<LoadedModels> | undefined;

function loadedModels() {
  loaded ??= import('./loaded-models.ts').then(({ LoadedModels }) => new LoadedModels());
  return loaded;
}

async function answer<Value>(work: () => Promise<Value>): Promise<Reply<Value>> {
  try {
    return { ok: true, value: await work() };
  } catch (error) {
    const code = (error as { code?: unknown }).code;
    return {
      ok: false,
      code: typeof code === 'string' ? code : 'RUN_FAILED',
      message: error instanceof Error ? error.message : String(error),
    };
  }
}

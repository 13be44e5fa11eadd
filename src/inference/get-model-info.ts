import type { ModelRegistry } from '../models/model-registry.ts';
import { readMlModel } from '../models/signature.ts';
import type { ModelInfo } from './job.ts';

/**
 * What the registry knows of the model behind a stage or alias: "unknown" where no version is registered, and without a
 * run id only params, feature names and the creation time, as the service that this one replaces answers.
 * @throws ModelUnavailableError when the registry cannot be read
 */
export async function getModelInfo(
  registry: ModelRegistry,
  modelName: string,
  stage: string,
): Promise<ModelInfo> {
  const found = await registry.resolve(stage);
  if (found === undefined) {
    const nothing = { metrics: {}, params: {}, featureNames: [], createdAt: null };
    return { modelName, stage, version: 'unknown', runId: 'unknown', ...nothing };
  }
  const [{ metrics, params }, folder] = await Promise.all([registry.describe(found), registry.fetch(found)]);
  const columns = (await readMlModel(folder))?.signature?.columns ?? [];
  const featureNames = columns.flatMap(({ name }) => name ?? []);
  const { version, runId, createdAt = null } = found;
  if (runId === undefined) return { params, featureNames, createdAt };
  return { modelName, stage, version, runId, metrics, params, featureNames, createdAt };
}

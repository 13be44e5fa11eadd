import { ModelUnavailableError } from '../errors.ts';
import { loadOnnxModel, type OnnxModel } from './onnx-model.ts';

/** The models that one thread (or the trial process) holds, each version loaded and warmed once. */
export class LoadedModels {
  /** Key of a model version → the model. */
  readonly #models = new Map<string, OnnxModel>();

  /**
   * Loads, checks and warms the model in `folder`, unless `key` is loaded already.
   * @throws ModelRefusedError when it must not take traffic, ModelUnavailableError when its files cannot be read
   */
  async load(key: string, folder: string): Promise<OnnxModel> {
    const known = this.#models.get(key);
    if (known !== undefined) return known;
    const model = await loadOnnxModel(folder);
    this.#models.set(key, model);
    return model;
  }

  /** @throws ModelUnavailableError when the version is not loaded here */
  get(key: string): OnnxModel {
    const model = this.#models.get(key);
    if (model === undefined) throw new ModelUnavailableError(`Model ${key} is not loaded in this thread.`);
    return model;
  }

  async release(key: string): Promise<void> {
    const model = this.#models.get(key);
    this.#models.delete(key);
    await model?.release();
  }
}

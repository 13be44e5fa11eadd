import { NotReadyError } from '../errors.ts';
import type { Features } from '../inference/features.ts';
import type { ModelInfo, Prediction } from '../inference/job.ts';
import type { FeatureTable, UpcomingMatch } from '../tables/feature-table.ts';
import type { PrecomputedPrediction, PredictionTable } from '../tables/prediction-table.ts';
import type { TableSnapshot, TableStore } from '../tables/table-store.ts';
import type { TaskQueue, TaskStatus } from '../tasks/task-queue.ts';

/** What the service is made of. */
export interface PredictionServiceParts {
  readonly tasks: TaskQueue;
  readonly features: TableStore<FeatureTable>;
  readonly predictions: TableStore<PredictionTable>;
}

/** A precomputed prediction and the time at which its table was written, ISO 8601 UTC. */
export interface DatedPrecomputedPrediction {
  readonly row: PrecomputedPrediction;
  readonly predictionsComputedAt: string | null;
}

/** What the API does, without a word of HTTP. A match that is not in a table is `undefined`. */
export class PredictionService {
  readonly #parts: PredictionServiceParts;

  constructor(parts: PredictionServiceParts) {
    this.#parts = parts;
  }

  /** Predicts a match from the features that the caller sends. Errors: those of `TaskQueue.run`. */
  predict(matchId: number, features: Features, stage: string | undefined): Promise<Prediction> {
    return this.#parts.tasks.run({
      name: 'predict_match',
      matchId,
      features,
      featuresComputedAt: null,
      stage,
    });
  }

  /** Predicts a match from its precomputed features. Errors: those of `TaskQueue.run`, NotReadyError. */
  async lookUp(matchId: number, stage: string | undefined): Promise<Prediction | undefined> {
    const job = this.#lookUpJob(matchId, stage);
    return job && this.#parts.tasks.run(job);
  }

  /**
   * Has a match predicted from its precomputed features; gives the task's id. Errors: those of `TaskQueue.submit`,
   * NotReadyError.
   */
  async submit(matchId: number): Promise<string | undefined> {
    const job = this.#lookUpJob(matchId, undefined);
    return job && this.#parts.tasks.submit(job);
  }

  /** The stored batch prediction of a match; no worker and no model are asked. @throws NotReadyError */
  precomputed(matchId: number): DatedPrecomputedPrediction | undefined {
    const { table, writtenAt } = snapshotOf(this.#parts.predictions);
    const row = table.find(matchId);
    return row && { row, predictionsComputedAt: writtenAt };
  }

  /** The matches that have features and no outcome yet, in the table's order. @throws NotReadyError */
  upcoming(): readonly UpcomingMatch[] {
    return snapshotOf(this.#parts.features).table.upcoming();
  }

  /** What the registry knows of the model at a stage. Errors: those of `TaskQueue.run`. */
  modelInfo(stage: string | undefined): Promise<ModelInfo> {
    return this.#parts.tasks.run({ name: 'get_model_info', stage });
  }

  taskStatus(taskId: string): Promise<TaskStatus> {
    return this.#parts.tasks.status(taskId);
  }

  #lookUpJob(matchId: number, stage: string | undefined) {
    const { table, writtenAt } = snapshotOf(this.#parts.features);
    const features = table.find(matchId);
    return (
      features &&
      ({ name: 'predict_match', matchId, features, featuresComputedAt: writtenAt, stage } as const)
    );
  }
}

/** A table that was not looked at yet is not an empty one: to say "not found" of its matches would be wrong. */
function snapshotOf<T>(store: TableStore<T>): TableSnapshot<T> {
  if (store.looked) return store.current;
  throw new NotReadyError(`The ${store.name} table is still being loaded. Try again in a moment.`);
}

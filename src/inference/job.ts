/** The two kinds of work that threads do, and what comes of them. Plain data but for `features`, which is read once. */
import type { Outcome } from '../models/outcome.ts';
import type { Features } from './features.ts';

/** Predict one match. */
export interface PredictMatchJob {
  readonly name: 'predict_match';
  readonly matchId: number;
  readonly features: Features;
  /** ISO 8601 UTC time at which the features file was last written; null for features that the caller sent. */
  readonly featuresComputedAt: string | null;
  /** Stage or alias; absent = the worker's own default. */
  readonly stage: string | undefined;
}

/** Tell what the registry knows of the model behind a stage. */
export interface GetModelInfoJob {
  readonly name: 'get_model_info';
  readonly stage: string | undefined;
}

export type Job = PredictMatchJob | GetModelInfoJob;

/** A prediction as the job returns it. */
export interface Prediction {
  readonly matchId: number;
  readonly cached: boolean;
  readonly featuresComputedAt: string | null;
  readonly predictedClass: Outcome;
  /** By outcome: home win, draw, away win; each in [0, 1], their sum 1. */
  readonly probabilities: readonly [number, number, number];
  /** The stage or alias that was used. */
  readonly modelVersion: string;
  /** Registry run id, 'unknown' for a model that carries none. */
  readonly modelRunId: string;
}

/**
 * What the registry knows of a model. Without a run id only the last three are there, as in the service this one
 * replaces; the route's response validation turns that into a 500.
 */
export interface ModelInfo {
  readonly modelName?: string;
  readonly stage?: string;
  readonly version?: string;
  readonly runId?: string;
  readonly metrics?: Readonly<Record<string, number>>;
  readonly params: Readonly<Record<string, string>>;
  readonly featureNames: readonly string[];
  readonly createdAt: string | null;
}

/** What each job gives when it succeeds. */
export interface JobValues {
  predict_match: Prediction;
  get_model_info: ModelInfo;
}

export type JobName = keyof JobValues;

/** Why a job failed: a stable code (see `errors.ts`; RUN_FAILED: the model's run itself) and a sentence. */
export interface Failure {
  readonly ok: false;
  readonly code: string;
  readonly message: string;
}

export type JobOutcome = { readonly ok: true; readonly value: Prediction | ModelInfo } | Failure;

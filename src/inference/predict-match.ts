import { likeliest } from '../models/outcome.ts';
import type { Prediction, PredictMatchJob } from './job.ts';

/**
 * Reads one match's prediction out of a batch.
 * @param probabilities of the whole batch, row-major, 3 a row: home win, draw, away win
 */
export function predictionOfRow(
  row: number,
  probabilities: Float64Array,
  job: PredictMatchJob,
  stage: string,
  runId: string,
): Prediction {
  const offset = row * 3;
  const ofMatch = [probabilities[offset]!, probabilities[offset + 1]!, probabilities[offset + 2]!] as const;
  return {
    matchId: job.matchId,
    cached: false,
    featuresComputedAt: job.featuresComputedAt,
    predictedClass: likeliest(ofMatch),
    probabilities: ofMatch,
    modelVersion: stage,
    modelRunId: runId,
  };
}

/** Domain objects → bodies of the wire, field by field: the names on the left are the contract. */
import type { z } from 'zod';
import type { ModelInfo, Prediction } from '../inference/job.ts';
import type { HealthReport } from '../observability/health.ts';
import type { DatedPrecomputedPrediction } from '../predictions/prediction-service.ts';
import type { UpcomingMatch } from '../tables/feature-table.ts';
import type { TaskStatus } from '../tasks/task-queue.ts';
import type * as schemas from './schemas.ts';

export function predictBody(value: Prediction): z.output<typeof schemas.PredictResponse> {
  const [home, draw, away] = value.probabilities;
  return {
    match_id: value.matchId,
    cached: value.cached,
    features_computed_at: value.featuresComputedAt,
    prediction: {
      predicted_class: value.predictedClass,
      probabilities: { '0': home, '1': draw, '2': away },
      model_version: value.modelVersion,
      model_run_id: value.modelRunId,
    },
  };
}

export function precomputedBody(
  found: DatedPrecomputedPrediction,
): z.output<typeof schemas.PrecomputedPredictResponse> {
  const { row, predictionsComputedAt } = found;
  return {
    match_id: row.matchId,
    proba_home: row.probaHome,
    proba_draw: row.probaDraw,
    proba_away: row.probaAway,
    predicted_class: row.predictedClass,
    predicted_label: row.predictedLabel,
    is_future: row.isFuture,
    start_time_utc: row.startTimeUtc,
    home_team_name: row.homeTeamName,
    away_team_name: row.awayTeamName,
    model_run_id: row.modelRunId,
    model_stage: row.modelStage,
    predictions_computed_at: predictionsComputedAt,
  };
}

export function upcomingBody({ matchId, ...shown }: UpcomingMatch): z.output<typeof schemas.UpcomingMatch> {
  return { match_id: matchId, ...shown };
}

/** Without a run id most of it is missing, and the route's response validation says so with a 500. */
export function modelInfoBody(info: ModelInfo): z.output<typeof schemas.ModelInfoResponse> {
  return {
    model_name: info.modelName as string,
    stage: info.stage as string,
    version: info.version as string,
    run_id: info.runId as string,
    metrics: info.metrics as Record<string, number>,
    params: { ...info.params },
    feature_names: [...info.featureNames],
    created_at: info.createdAt,
  };
}

export function taskStatusBody(status: TaskStatus): z.output<typeof schemas.TaskStatusResponse> {
  const { result } = status;
  return {
    task_id: status.taskId,
    status: status.state,
    result: result !== null && 'matchId' in result ? predictBody(result) : null,
    meta: status.progress === null ? null : { status: status.progress },
    error: status.error,
    date_done: status.doneAt,
    known: status.known,
  };
}

export function healthBody(report: HealthReport): z.output<typeof schemas.HealthResponse> {
  return {
    status: report.status,
    version: report.version,
    worker_id: report.processId,
    memory_usage_mb: report.memoryMegabytes,
    uptime_seconds: report.uptimeSeconds,
    checks: report.checks,
  };
}

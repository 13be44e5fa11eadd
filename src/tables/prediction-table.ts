import { Table, type TableData, type TableLayout } from './table.ts';

/** A row of the predictions table. `startTimeUtc`, `homeTeamName` and `awayTeamName` are the table's own names. */
export interface PrecomputedPrediction {
  readonly matchId: number;
  /** NaN where the cell is missing, as in the three below: it is the service that refuses such a row. */
  readonly probaHome: number;
  readonly probaDraw: number;
  readonly probaAway: number;
  readonly predictedClass: number;
  /** '' where the cell is missing. */
  readonly predictedLabel: string;
  readonly isFuture: boolean | null;
  readonly startTimeUtc: string | null;
  readonly homeTeamName: string | null;
  readonly awayTeamName: string | null;
  readonly modelRunId: string | null;
  readonly modelStage: string | null;
}

const REQUIRED_NUMBERS = ['proba_home', 'proba_draw', 'proba_away', 'predicted_class'] as const;

/** What a predictions table holds. Numbers may be stored as text and the other way round. */
export const PREDICTION_LAYOUT: TableLayout = {
  numbers: [...REQUIRED_NUMBERS, 'is_future'],
  texts: ['predicted_label', 'startTimeUtc', 'homeTeamName', 'awayTeamName', 'model_run_id', 'model_stage'],
  required: [...REQUIRED_NUMBERS, 'predicted_label'],
};

/** Stored batch predictions by match id. */
export class PredictionTable {
  readonly #table: Table;

  constructor(data: TableData) {
    this.#table = new Table(data);
  }

  get rowCount(): number {
    return this.#table.rowCount;
  }

  /** The stored prediction of a match, in O(1); undefined when it is not in the table. */
  find(matchId: number): PrecomputedPrediction | undefined {
    const table = this.#table;
    const row = table.find(matchId);
    if (row === undefined) return undefined;
    const number = (name: string): number => table.numbers(name)?.[row] ?? Number.NaN;
    const isFuture = number('is_future');
    return {
      matchId,
      probaHome: number('proba_home'),
      probaDraw: number('proba_draw'),
      probaAway: number('proba_away'),
      predictedClass: number('predicted_class'),
      predictedLabel: table.text('predicted_label', row) ?? '',
      isFuture: Number.isNaN(isFuture) ? null : isFuture !== 0,
      startTimeUtc: table.text('startTimeUtc', row),
      homeTeamName: table.text('homeTeamName', row),
      awayTeamName: table.text('awayTeamName', row),
      modelRunId: table.text('model_run_id', row),
      modelStage: table.text('model_stage', row),
    };
  }
}

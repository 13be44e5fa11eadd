import { describe, expect, test } from 'vitest';
import { PredictionTable } from '../../src/tables/prediction-table.ts';
import { emptyTable } from '../../src/tables/table.ts';
import { tableOf } from './tables-by-hand.ts';

describe('a row of the predictions table', () => {
  const table = new PredictionTable(
    tableOf({
      ids: [5, 6],
      numbers: {
        proba_home: [0.5, Number.NaN],
        proba_draw: [0.25, 0.25],
        proba_away: [0.25, 0.25],
        predicted_class: [0, Number.NaN],
        is_future: [1, Number.NaN],
      },
      texts: { predicted_label: ['home_win', undefined], startTimeUtc: ['2026-05-15T15:00:00Z', undefined] },
    }),
  );

  test('is what the table holds', () => {
    expect(table.find(5)).toEqual({
      matchId: 5,
      probaHome: 0.5,
      probaDraw: 0.25,
      probaAway: 0.25,
      predictedClass: 0,
      predictedLabel: 'home_win',
      isFuture: true,
      startTimeUtc: '2026-05-15T15:00:00Z',
      homeTeamName: null,
      awayTeamName: null,
      modelRunId: null,
      modelStage: null,
    });
  });

  test('says what is missing: NaN for a number, an empty label, null for the rest', () => {
    expect(table.find(6)).toMatchObject({
      probaHome: Number.NaN,
      predictedClass: Number.NaN,
      predictedLabel: '',
      isFuture: null,
      startTimeUtc: null,
    });
  });

  test('is not there for an unknown id, nor in the empty table', () => {
    expect(table.find(7)).toBeUndefined();
    expect(new PredictionTable(emptyTable()).find(5)).toBeUndefined();
  });
});

import { describe, expect, test } from 'vitest';
import { RequestFeatures } from '../../src/inference/features.ts';
import { FeatureTable } from '../../src/tables/feature-table.ts';
import { emptyTable } from '../../src/tables/table.ts';
import { tableOf } from './tables-by-hand.ts';

const { NaN: NONE, POSITIVE_INFINITY } = Number;

describe('a row of the features table', () => {
  const numbers = {
    elo: [1500, NONE],
    form: [1, POSITIVE_INFINITY],
    ['__proto__']: [7, 8],
    constructor: [9, NONE],
  };
  const table = new FeatureTable(tableOf({ ids: [10, -20], numbers }));

  test('fills the columns that are asked for, in their order, NaN where there is none', () => {
    const into = new Float64Array(6).fill(-1);
    table.find(-20)!.fill(['form', 'unknown', 'elo', '__proto__'], into, 1);
    expect([...into]).toEqual([-1, POSITIVE_INFINITY, NONE, NONE, 8, -1]);
    table.find(10)!.fill(['toString', 'constructor'], into, 0);
    expect([...into.subarray(0, 2)]).toEqual([NONE, 9]);
  });

  test('is an object of all that is not missing, whatever the names', () => {
    const row = table.find(-20)!.toObject();
    expect(Object.entries(row)).toEqual([
      ['form', POSITIVE_INFINITY],
      ['__proto__', 8],
    ]);
  });

  test('is not there for an unknown id, nor in the empty table', () => {
    expect(table.find(11)).toBeUndefined();
    const empty = new FeatureTable(emptyTable());
    expect(empty.find(0)).toBeUndefined();
    expect(empty.rowCount).toBe(0);
    expect(empty.upcoming()).toEqual([]);
  });
});

describe('upcoming matches', () => {
  test('show the columns that the table has, and null for a missing cell', () => {
    const table = new FeatureTable(
      tableOf({
        ids: [1, 2, 3],
        texts: {
          homeTeamName: ['Lyon', undefined, 'Üsküdar'],
          homeTeamId: ['4', undefined, 'x'],
          startTimeUtc: ['t', 'u', 'v'],
        },
        blankRows: [1, 2],
      }),
    );
    expect(table.upcoming()).toEqual([
      { matchId: 2, startTimeUtc: 'u', homeTeamName: null, homeTeamId: null },
      { matchId: 3, startTimeUtc: 'v', homeTeamName: 'Üsküdar', homeTeamId: null },
    ]);
  });

  test('show the team ids as numbers', () => {
    const texts = { homeTeamId: ['4'], awayTeamId: ['-5'] };
    const [match] = new FeatureTable(tableOf({ ids: [1], texts, blankRows: [0] })).upcoming();
    expect(match).toEqual({ matchId: 1, homeTeamId: 4, awayTeamId: -5 });
  });
});

describe('the features of a request', () => {
  const features = new RequestFeatures(
    JSON.parse('{"b": 2, "a": -0.5, "__proto__": 3, "text": "4", "nothing": null}'),
  );

  test('fill the columns that are asked for, NaN for what is no number', () => {
    const into = new Float64Array(7);
    features.fill(['a', 'text', 'b', 'unknown', 'nothing', '__proto__'], into, 1);
    expect([...into]).toEqual([0, -0.5, NONE, 2, NONE, NONE, 3]);
  });

  test('do not take what every object has for a feature', () => {
    const into = new Float64Array(3);
    new RequestFeatures({}).fill(['constructor', '__proto__', 'toString'], into, 0);
    expect([...into]).toEqual([NONE, NONE, NONE]);
  });

  test('are an object of the numbers that were sent', () => {
    expect(Object.entries(features.toObject())).toEqual([
      ['b', 2],
      ['a', -0.5],
      ['__proto__', 3],
    ]);
  });
});

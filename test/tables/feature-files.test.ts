import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { TableUnreadableError } from '../../src/errors.ts';
import { FEATURE_LAYOUT, FeatureTable } from '../../src/tables/feature-table.ts';
import { PREDICTION_LAYOUT, PredictionTable } from '../../src/tables/prediction-table.ts';
import { Table } from '../../src/tables/table.ts';
import { describeShared } from '../shared-data.ts';
import { readTableFile } from './table-file.ts';

interface ManifestEntry {
  path: string;
  rows: number;
}

const REFUSED: Record<string, string> = {
  'variants/pandas_noindex.parquet': 'has no match ids',
  'variants/pandas_index_duplicates.parquet': 'match id 1000001 is in the rows 0 and 1',
};

/** Columns in which a variant differs on purpose, and in how many of its rows. */
const DIFFERENT: Record<string, Record<string, number>> = {
  'variants/pandas_inf.parquet': { elo_diff: 1500 },
  'variants/pandas_ts_nat.parquet': { startTimeUtc: 375 },
  'variants/pandas_string_names_unicode.parquet': { homeTeamName: 1500 },
};

const UPCOMING: Record<string, number> = {
  'variants/pandas_empty.parquet': 0,
  'variants/pandas_all_finished.parquet': 0,
  'variants/pandas_no_outcome_column.parquet': 1500,
};

describeShared('the tables of every writer', (folder) => {
  const manifest: ManifestEntry[] = JSON.parse(readFileSync(join(folder, 'features/MANIFEST.json'), 'utf8'));
  const featureFiles = manifest.filter(({ path }) => !path.includes('predictions'));
  const predictionFiles = manifest.filter(({ path }) => path.includes('predictions'));
  const features = (path: string) => readTableFile(join(folder, 'features', path), FEATURE_LAYOUT);
  const predictions = (path: string) => readTableFile(join(folder, 'features', path), PREDICTION_LAYOUT);

  describe('of features', () => {
    const original = new Table(features('features_pandas_snappy.parquet'));

    test.each(featureFiles.filter(({ path }) => !(path in REFUSED)))(
      '$path holds the same values',
      ({ path, rows }) => {
        const data = features(path);
        expect(data.rowCount).toBe(rows);
        expect(data.numbers).toHaveLength(30);
        const table = new Table(data);
        const different: Record<string, number> = {};
        for (let row = 0; row < rows; row++) {
          const same = original.find(table.matchId(row))!;
          const names = [
            ...data.numbers.filter(
              ({ name, values }) => !Object.is(values[row], original.numbers(name)?.[same]),
            ),
            ...data.texts.filter(({ name }) => table.text(name, row) !== original.text(name, same)),
          ].map(({ name }) => name);
          for (const name of names) different[name] = (different[name] ?? 0) + 1;
        }
        expect(different).toEqual(DIFFERENT[path] ?? {});
        expect(new FeatureTable(data).upcoming()).toHaveLength(UPCOMING[path] ?? 78);
      },
    );

    test.each(Object.entries(REFUSED))('%s is refused: it %s', (path, reason) => {
      expect(() => features(path)).toThrow(TableUnreadableError);
      expect(() => features(path)).toThrow(`${path}: ${reason}`);
    });

    test('infinite and tiny values stay what they are', () => {
      const values = features('variants/pandas_inf.parquet').numbers.find(
        ({ name }) => name === 'elo_diff',
      )!.values;
      expect(values).toContain(Number.POSITIVE_INFINITY);
      expect(values).toContain(Number.NEGATIVE_INFINITY);
      expect([...values].some((value) => value !== 0 && Math.abs(value) < 2 ** -1022)).toBe(true);
    });

    test('names of 10,000 characters, in any script, come back whole', () => {
      const table = new Table(features('variants/pandas_string_names_unicode.parquet'));
      const names = new Set(Array.from({ length: 1500 }, (_, row) => table.text('homeTeamName', row) ?? ''));
      expect(names).toContain('Beşiktaş');
      expect(Math.max(...[...names].map((name) => name.length))).toBeGreaterThanOrEqual(10_000);
      for (const name of names) expect(name).not.toContain('\ufffd');
    });
  });

  describe('of predictions', () => {
    test.each(predictionFiles)('$path holds $rows rows', ({ path, rows }) => {
      const data = predictions(path);
      const table = new PredictionTable(data);
      expect(table.rowCount).toBe(rows);
      for (const id of data.index.ids) {
        const { probaHome, probaDraw, probaAway, predictedClass, predictedLabel } = table.find(id)!;
        const sum = probaHome + probaDraw + probaAway;
        expect(Number.isNaN(sum) || Math.abs(sum - 1) < 1e-6).toBe(true);
        expect(Number.isNaN(predictedClass) || [0, 1, 2].includes(predictedClass)).toBe(true);
        expect(['home', 'draw', 'away', '']).toContain(predictedLabel);
      }
    });

    test('a features table is no predictions table, and the error names the column', () => {
      expect(() => predictions('variants/pandas_snappy.parquet')).toThrow('has no column proba_home');
    });

    test('missing cells are null, and the label is empty', () => {
      const data = predictions('variants/predictions_missing_cells.parquet');
      const table = new PredictionTable(data);
      const rows = Array.from(data.index.ids, (id) => table.find(id)!);
      for (const key of ['isFuture', 'startTimeUtc', 'homeTeamName', 'awayTeamName', 'modelRunId'] as const) {
        expect(rows.some((row) => row[key] === null)).toBe(true);
        expect(rows.some((row) => row[key] !== null)).toBe(true);
      }
      expect(rows.some(({ predictedLabel }) => predictedLabel === '')).toBe(true);
      expect(new Set(rows.map(({ isFuture }) => isFuture))).toEqual(new Set([true, false, null]));
    });

    test('without the optional columns their cells are null', () => {
      const data = predictions('variants/predictions_required_columns_only.parquet');
      expect(new PredictionTable(data).find(data.index.ids[0]!)).toMatchObject({
        predictedLabel: 'away',
        isFuture: null,
        startTimeUtc: null,
        homeTeamName: null,
        awayTeamName: null,
        modelRunId: null,
        modelStage: null,
      });
    });
  });
});

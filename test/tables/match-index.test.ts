import { describe, expect, test } from 'vitest';
import { buildMatchIndex, findRow } from '../../src/tables/match-index.ts';
import { randomNumbers } from './random-numbers.ts';

const MAX = Number.MAX_SAFE_INTEGER;

describe('the match id index', () => {
  test.each([
    ['no ids', []],
    ['one id', [7]],
    [
      'zero, negative ids and the largest there are',
      [0, -1, 1, -MAX, MAX, MAX - 1, -(2 ** 31), 2 ** 31, 2 ** 32],
    ],
    ['consecutive ids', Array.from({ length: 5000 }, (_, index) => 1_000_000 + index)],
    [
      'ids that differ in the high half only',
      Array.from({ length: 2000 }, (_, index) => index * 2 ** 32 + 5),
    ],
    ['ids in steps of a power of two', Array.from({ length: 5000 }, (_, index) => (index - 2500) * 2 ** 20)],
  ])('finds each of %s and nothing else', (_, ids) => {
    const index = buildMatchIndex(Float64Array.from(ids));
    expect(ids.map((id) => findRow(index, id))).toEqual(ids.map((_, row) => row));
    const there = new Set(ids);
    for (const id of [3, -3, MAX - 7, 2 ** 40 + 1, 0.5, Number.NaN, Number.POSITIVE_INFINITY]) {
      if (!there.has(id)) expect(findRow(index, id)).toBeUndefined();
    }
  });

  test('agrees with a Map for random ids of all sizes', () => {
    const random = randomNumbers(1);
    const ids = new Set<number>();
    while (ids.size < 20_000) ids.add(Math.trunc((random() - 0.5) * 2 * 2 ** Math.ceil(random() * 53)));
    const rows = new Map([...ids].map((id, row) => [id, row]));
    const index = buildMatchIndex(Float64Array.from(ids));
    for (const [id, row] of rows) {
      expect(findRow(index, id)).toBe(row);
      expect(findRow(index, id + 1)).toBe(rows.get(id + 1));
    }
  });

  test('takes −0 for 0, as a path parameter may say it', () => {
    expect(findRow(buildMatchIndex(Float64Array.of(5, 0)), -0)).toBe(1);
  });

  test('names an id that is there twice', () => {
    expect(() => buildMatchIndex(Float64Array.of(4, -9, 4))).toThrow('match id 4 is in the rows 0 and 2');
  });
});

import { describe, expect, test } from 'vitest';
import { likeliest, outcomeOf } from '../../src/models/outcome.ts';

describe("a model's own label", () => {
  test.each([
    [0, 0],
    [1n, 1],
    [2n, 2],
    ['home', 0],
    ['HOME_WIN', 0],
    ['H', 0],
    ['Draw', 1],
    ['d', 1],
    ['X', 1],
    ['away', 2],
    ['Away_Win', 2],
    ['a', 2],
  ])('%s is the outcome %i', (label, outcome) => {
    expect(outcomeOf(label)).toBe(outcome);
  });

  test('is 1x2 notation when it is text, where "1" is home and "2" away', () => {
    expect(['1', 'X', '2'].map(outcomeOf)).toEqual([0, 1, 2]);
  });

  test.each(['0', '', 'h2h', '3', '1.0', '__proto__', 3, -1, 0.5, NaN, 2n ** 70n])(
    '%s is no outcome',
    (label) => {
      expect(outcomeOf(label)).toBeUndefined();
    },
  );
});

test('the likeliest outcome is the one with the highest probability, the first of equal ones', () => {
  expect(likeliest([0.2, 0.3, 0.5])).toBe(2);
  expect(likeliest([0.4, 0.4, 0.2])).toBe(0);
});

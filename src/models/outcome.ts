/**
 * The class label set of the service: 0 = home win, 1 = draw, 2 = away win. A probability vector is in this order
 * everywhere outside the model that made it.
 */
export type Outcome = 0 | 1 | 2;

/** The outcomes by name; the index is the outcome. */
export const OUTCOME_NAMES = ['home_win', 'draw', 'away_win'] as const;

/** A class label as a model carries it. */
export type ClassLabel = bigint | number | string;

const TEXT_LABELS: readonly (readonly string[])[] = [
  ['home', 'home_win', 'h', '1'],
  ['draw', 'd', 'x'],
  ['away', 'away_win', 'a', '2'],
];

/**
 * The outcome that a model's own label stands for, or undefined when that is not sure.
 *
 * Integers are the class label set itself. Text is a name or 1x2 notation, in which "1" is home and "2" away. The text
 * "0" is therefore nothing: beside "1" and "2" it may be an integer written as text (0 = home), or the draw of the toto
 * notation 1/0/2.
 */
export function outcomeOf(label: ClassLabel): Outcome | undefined {
  const outcome =
    typeof label === 'string'
      ? TEXT_LABELS.findIndex((names) => names.includes(label.trim().toLowerCase()))
      : [0, 1, 2].indexOf(Number(label));
  return outcome === -1 ? undefined : (outcome as Outcome);
}

/** The outcome with the highest probability; of equal ones the first. */
export function likeliest([home, draw, away]: readonly [number, number, number]): Outcome {
  if (home >= draw && home >= away) return 0;
  return draw >= away ? 1 : 2;
}

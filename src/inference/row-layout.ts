import type { Features } from './features.ts';
import type { Failure } from './job.ts';
import type { ModelShape } from './thread.ts';

/**
 * Writes one match's features as a row of the batch's matrix, in the order of the model's columns, NaN for a missing one.
 * A model without column names takes the features in the order in which they were sent, so their number must be right.
 * @returns why the row cannot be laid out, or undefined
 */
export function layRow(
  features: Features,
  { columns, width }: Pick<ModelShape, 'columns' | 'width'>,
  matrix: Float64Array,
  offset: number,
): Failure | undefined {
  if (columns !== undefined) {
    features.fill(columns, matrix, offset);
    return undefined;
  }
  const values = features.toObject();
  const names = Object.keys(values);
  if (names.length !== width) {
    return invalid(`The model takes ${width} features by position, and ${names.length} were given.`);
  }
  // An object keeps names in the order sent, but whole numbers ascending and first: only 0, 1, 2, … is then certain.
  const misplaced = names.find((name, position) => isWholeNumber(name) && name !== String(position));
  if (misplaced !== undefined) {
    return invalid(
      `The model takes features by position, and the position of feature '${misplaced}' is not certain.`,
    );
  }
  names.forEach((name, position) => {
    matrix[offset + position] = values[name]!;
  });
  return undefined;
}

function isWholeNumber(name: string): boolean {
  return /^(0|[1-9]\d*)$/.test(name);
}

function invalid(message: string): Failure {
  return { ok: false, code: 'INVALID_INPUT', message };
}

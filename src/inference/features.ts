/** One match's features, wherever they come from: a row of the features table or a request's body. */
export interface Features {
  /** Writes the values of `columns`, in that order, into `into` from `offset`; what is not there is NaN. */
  fill(columns: readonly string[], into: Float64Array, offset: number): void;
  /** Feature name → value, missing ones left out, in the source's order. */
  toObject(): Record<string, number>;
}

/** The features of a request, as JSON.parse made them. */
export class RequestFeatures implements Features {
  readonly #values: Readonly<Record<string, number>>;

  constructor(values: Readonly<Record<string, number>>) {
    this.#values = values;
  }

  fill(columns: readonly string[], into: Float64Array, offset: number): void {
    const values = this.#values;
    for (let index = 0; index < columns.length; index++) {
      // A name that is inherited and not sent (`constructor`, `__proto__`) gives a function or an object, never a
      // number: the type tells, without the cost of asking whether the key is its own.
      const value: unknown = values[columns[index]!];
      into[offset + index] = typeof value === 'number' ? value : Number.NaN;
    }
  }

  toObject(): Record<string, number> {
    const entries = Object.entries(this.#values);
    // fromEntries makes own keys even of `__proto__`; assigning would set the prototype.
    return Object.fromEntries(
      entries.filter(([, value]) => typeof value === 'number' && !Number.isNaN(value)),
    );
  }
}

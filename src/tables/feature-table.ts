import type { Features } from '../inference/features.ts';
import { type NumberColumn, Table, type TableData, type TableLayout } from './table.ts';

/** A match that has features and no recorded outcome. Of the five columns only those that the table has are there. */
export interface UpcomingMatch {
  readonly matchId: number;
  readonly startTimeUtc?: string | null;
  readonly homeTeamName?: string | null;
  readonly awayTeamName?: string | null;
  readonly homeTeamId?: number | null;
  readonly awayTeamId?: number | null;
}

const SHOWN_TEXTS = ['startTimeUtc', 'homeTeamName', 'awayTeamName'] as const;
const SHOWN_IDS = ['homeTeamId', 'awayTeamId'] as const;

/**
 * What a features table holds: every numeric or boolean column is a feature, but not what is known only after the match.
 * The team ids are shown and are features; where they are text they are only shown.
 */
export const FEATURE_LAYOUT: TableLayout = {
  numbers: 'all',
  except: ['outcome_1x2', 'homeScore', 'awayScore'],
  texts: [...SHOWN_TEXTS, ...SHOWN_IDS],
  blankIn: 'outcome_1x2',
};

/** Precomputed features by match id. */
export class FeatureTable {
  readonly #table: Table;
  /** The columns of each list of names that was asked for, found once: a model's signature is one list. */
  readonly #resolved = new WeakMap<readonly string[], readonly (NumberColumn['values'] | undefined)[]>();
  #upcoming: readonly UpcomingMatch[] | undefined;

  constructor(data: TableData) {
    this.#table = new Table(data);
  }

  get rowCount(): number {
    return this.#table.rowCount;
  }

  /** The features of a match, in O(1); undefined when it is not in the table. */
  find(matchId: number): FeatureRow | undefined {
    const row = this.#table.find(matchId);
    return row === undefined ? undefined : new FeatureRow(this, this.#table.numberColumns, row);
  }

  /**
   * The matches without a recorded outcome (`outcome_1x2` null, NaN, NaT or ''), in the file's order. In a table without
   * that column no match has one, so all are upcoming.
   */
  upcoming(): readonly UpcomingMatch[] {
    this.#upcoming ??= Array.from(this.#table.blankRows, (row) => this.#show(row));
    return this.#upcoming;
  }

  /** The columns of `names`, in that order, undefined where the table has none. */
  columns(names: readonly string[]): readonly (NumberColumn['values'] | undefined)[] {
    let columns = this.#resolved.get(names);
    if (!columns) {
      columns = names.map((name) => this.#table.numbers(name));
      this.#resolved.set(names, columns);
    }
    return columns;
  }

  #show(row: number): UpcomingMatch {
    const table = this.#table;
    const match: Record<string, string | number | null> = { matchId: table.matchId(row) };
    for (const name of SHOWN_TEXTS) if (table.hasText(name)) match[name] = table.text(name, row);
    for (const name of SHOWN_IDS) if (table.hasText(name)) match[name] = integer(table.text(name, row));
    return match as unknown as UpcomingMatch;
  }
}

/** A match's features, read from the columns when they are asked for. */
export class FeatureRow implements Features {
  readonly #table: FeatureTable;
  readonly #columns: readonly NumberColumn[];
  readonly #row: number;

  constructor(table: FeatureTable, columns: readonly NumberColumn[], row: number) {
    this.#table = table;
    this.#columns = columns;
    this.#row = row;
  }

  fill(names: readonly string[], into: Float64Array, offset: number): void {
    const columns = this.#table.columns(names);
    for (let index = 0; index < columns.length; index++) {
      into[offset + index] = columns[index]?.[this.#row] ?? Number.NaN;
    }
  }

  toObject(): Record<string, number> {
    const entries: [string, number][] = [];
    for (const { name, values } of this.#columns) {
      const value = values[this.#row]!;
      if (!Number.isNaN(value)) entries.push([name, value]);
    }
    return Object.fromEntries(entries); // makes own keys even of `__proto__`
  }
}

function integer(text: string | null): number | null {
  return text !== null && /^[+-]?\d+$/.test(text) ? Number(text) : null;
}

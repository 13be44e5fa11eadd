import type { TableBytes, TableSource, TableStamp } from './table-source.ts';

/** A table and when its file was last written: one object, so that nobody sees one of this and the other of that. */
export interface TableSnapshot<T> {
  readonly table: T;
  /** ISO 8601 UTC; null for the empty table of a file that is not there. */
  readonly writtenAt: string | null;
}

export interface TableStoreOptions<T> {
  /** What logs call it: `features`, `predictions`. */
  readonly name: string;
  readonly source: TableSource;
  readonly read: (bytes: TableBytes) => Promise<T>;
  /** What is served while there is no table. */
  readonly empty: T;
  /** 0 = look once, at the start. */
  readonly refreshSeconds: number;
  readonly logger: StoreLogger;
}

/** What is needed of a logger; pino's and Fastify's are both one. */
export type StoreLogger = Record<'info' | 'warn' | 'error', (fields: object, message: string) => void>;

/** A writer may replace the file while it is read; that often in a row it does not. */
const READS_PER_REFRESH = 3;
/** A longer setTimeout fires at once. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

/**
 * Serves the newest readable version of a table and looks for a newer one in the background, one refresh at a time.
 *
 * Nothing that was loaded is ever lost: when a newer file is malformed, the source cannot be reached or the file is gone
 * (deleting and writing anew leaves a gap), the copy at hand is served on. A state is logged when it begins and when it
 * ends, not at every refresh.
 */
export class TableStore<T> implements AsyncDisposable {
  readonly #options: TableStoreOptions<T>;
  #current: TableSnapshot<T>;
  /** What `#current` was read from; undefined while it is the empty table. */
  #stamp: TableStamp | undefined;
  #fault: string | undefined;
  #looked = false;
  /** The refresh that is running, for others to wait for: there is never a second one. */
  #running: Promise<void> | undefined;
  /** Runs from the end of a refresh to the beginning of the next; undefined when nothing is scheduled. */
  #timer: NodeJS.Timeout | undefined;
  #closed = false;

  constructor(options: TableStoreOptions<T>) {
    this.#options = options;
    this.#current = { table: options.empty, writtenAt: null };
  }

  get name(): string {
    return this.#options.name;
  }

  /** The table to serve, and when it was written. Take it once for all that one answer needs. */
  get current(): TableSnapshot<T> {
    return this.#current;
  }

  /** Whether the source was looked at, with whatever result: from then on, no table means the empty table. */
  get looked(): boolean {
    return this.#looked;
  }

  /** Why the newest version is not the one that is served; undefined when it is. */
  get lastFault(): string | undefined {
    return this.#fault;
  }

  /** Looks at the source and reads the table, then goes on looking in the background. Never rejects. */
  async start(): Promise<void> {
    await this.refresh();
    this.#schedule();
  }

  /**
   * Looks at the source now; waits for the refresh that is running when there is one. Never rejects, and does nothing
   * once the store is disposed of.
   */
  refresh(): Promise<void> {
    if (this.#closed) return Promise.resolve();
    this.#running ??= this.#refresh().finally(() => {
      this.#running = undefined;
    });
    return this.#running;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#closed = true;
    clearTimeout(this.#timer);
    await this.#running;
  }

  #schedule(): void {
    const { refreshSeconds } = this.#options;
    if (this.#closed || refreshSeconds === 0) return;
    const delayMs = Math.min(refreshSeconds * 1000, LONGEST_TIMER_MS);
    this.#timer = setTimeout(() => this.refresh().finally(() => this.#schedule()), delayMs).unref();
  }

  async #refresh(): Promise<void> {
    try {
      const stamp = await this.#options.source.look();
      if (stamp) await this.#load(stamp);
      else this.#missing();
    } catch (error) {
      this.#fail(error instanceof Error ? error.message : String(error), 'error');
    } finally {
      this.#looked = true;
    }
  }

  /** Reads the version that was looked at, or the one that took its place while it was read. */
  async #load(looked: TableStamp): Promise<void> {
    const { source, read, name, logger } = this.#options;
    for (let stamp = looked, reads = 1; stamp.version !== this.#stamp?.version; reads++) {
      try {
        const table = await read(await source.fetch(stamp));
        this.#current = { table, writtenAt: isoUtc(stamp.writtenAt) };
        this.#stamp = stamp;
        logger.info({ table: name, source: source.name, writtenAt: stamp.writtenAt }, `${name} table loaded`);
      } catch (error) {
        const newer = await source.look();
        if (!newer || newer.version === stamp.version || reads === READS_PER_REFRESH) throw error;
        stamp = newer;
      }
    }
    this.#recover();
  }

  #missing(): void {
    const { source, name, logger } = this.#options;
    if (this.#stamp) {
      this.#fail(`${source.name} is gone`, 'warn');
      return;
    }
    if (!this.#looked)
      logger.warn({ table: name, source: source.name }, `no ${name} table yet: it counts as empty`);
    this.#recover();
  }

  #fail(fault: string, level: 'warn' | 'error'): void {
    if (fault === this.#fault) return;
    this.#fault = fault;
    const { name, logger } = this.#options;
    const { writtenAt } = this.#current;
    const served = writtenAt ? `the one of ${writtenAt} is served on` : 'the empty table is served';
    logger[level]({ table: name, fault }, `${name} table not refreshed: ${served}`);
  }

  #recover(): void {
    if (this.#fault === undefined) return;
    const { name, logger } = this.#options;
    logger.info({ table: name, fault: this.#fault }, `${name} table is as it should be again`);
    this.#fault = undefined;
  }
}

/** A fraction only when it is not zero. */
function isoUtc(time: Date): string {
  return time.toISOString().replace('.000Z', 'Z');
}

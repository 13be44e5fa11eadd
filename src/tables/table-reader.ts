import { Piscina } from 'piscina';
import { TableUnreadableError } from '../errors.ts';
import type { ReadRequest, ReadResult } from './reader-thread.ts';
import type { TableData, TableLayout } from './table.ts';
import type { TableBytes } from './table-source.ts';

/** Reading 1,000,000 rows x 100 columns takes seconds; what takes this long will not end. */
const READ_LIMIT_MS = 5 * 60_000;
/** Two tables that are refreshed one after the other share one thread; then it ends and gives its memory back. */
const IDLE_MS = 5_000;

/**
 * Reads tables in one thread of its own, started when it is needed: neither the event loop nor the inference threads
 * wait for it. Tables come back by transfer.
 */
export class TableReader implements AsyncDisposable {
  readonly #pool = new Piscina<ReadRequest, ReadResult>({
    filename: new URL('./reader-thread.ts', import.meta.url).href,
    minThreads: 0,
    maxThreads: 1,
    idleTimeout: IDLE_MS,
    // What a read leaves behind is mostly outside the heap; a large young generation only delays its collection.
    resourceLimits: { maxYoungGenerationSizeMb: 4 },
  });

  /**
   * Reads a table.
   *
   * @param bytes where it is; a buffer is transferred, and empty afterwards
   * @param name what errors call it
   * @throws TableUnreadableError that names the table and the cause.
   */
  async read(bytes: TableBytes, name: string, layout: TableLayout): Promise<TableData> {
    const transferList = 'buffer' in bytes ? [bytes.buffer] : [];
    // The signal ends the thread. That is safe here and only here: this thread never holds a model.
    const signal = AbortSignal.timeout(READ_LIMIT_MS);
    let result: ReadResult;
    try {
      // Piscina takes this type from the overload of postMessage that has no array, and refuses all but an array.
      result = await this.#pool.run(
        { bytes, name, layout },
        { transferList: transferList as object, signal },
      );
    } catch (error) {
      const reason = signal.aborted
        ? `was not read in ${READ_LIMIT_MS / 1000} s`
        : `the reading thread ended: ${error}`;
      throw new TableUnreadableError(`${name}: ${reason}`, { cause: error });
    }
    if (!result.ok) throw new TableUnreadableError(result.message);
    return result.table;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#pool.destroy();
  }
}

/** Which version of a table there is, and when it was written. */
export interface TableStamp {
  /** Changes whenever the bytes change: a file's times and size, a bucket object's ETag. */
  readonly version: string;
  readonly writtenAt: Date;
}

/** A table's bytes in a form that costs nothing to hand to the reading thread: where they are, or a buffer to transfer. */
export type TableBytes =
  | { readonly path: string; readonly version: string }
  | { readonly buffer: ArrayBuffer };

/** The port to where a table is kept. */
export interface TableSource {
  /** What logs and errors call it. */
  readonly name: string;
  /** The version that is there now; undefined = there is no such table. @throws when that cannot be found out. */
  look(): Promise<TableStamp | undefined>;
  /**
   * The bytes of exactly the version that `look` found.
   * @throws when that version cannot be had (any more); a file is checked while it is read.
   */
  fetch(stamp: TableStamp): Promise<TableBytes>;
}

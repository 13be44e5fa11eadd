/** Entries of text that grow into one buffer, without an object for each. */
export class TextPool {
  /** `#bytes[0, #length)` are the entries so far; entry k ends at `#ends[k]`, where the next one begins. */
  #bytes = Buffer.allocUnsafeSlow(64 * 1024);
  #length = 0;
  readonly #ends: number[] = [];

  /** Adds UTF-8 bytes or ASCII text and gives its code; -1, and nothing is added, for undefined. */
  add(entry: Uint8Array | string | undefined): number {
    if (entry === undefined) return -1;
    this.#reserve(entry.length);
    if (typeof entry === 'string') this.#bytes.write(entry, this.#length, 'latin1');
    else this.#bytes.set(entry, this.#length);
    this.#length += entry.length;
    return this.#ends.push(this.#length) - 1;
  }

  /** The entries, in buffers of their own and of their exact size. */
  build(): { ends: Uint32Array<ArrayBuffer>; bytes: Uint8Array<ArrayBuffer> } {
    return {
      ends: Uint32Array.from(this.#ends),
      bytes: new Uint8Array(this.#bytes.subarray(0, this.#length)),
    };
  }

  #reserve(length: number): void {
    const needed = this.#length + length;
    if (needed <= this.#bytes.length) return;
    if (needed > 0xffff_ffff)
      throw new Error(`has more than ${this.#length} bytes of text, the most there can be`);
    const grown = Buffer.allocUnsafeSlow(Math.max(needed, Math.min(2 * this.#bytes.length, 0xffff_ffff)));
    grown.set(this.#bytes.subarray(0, this.#length));
    this.#bytes = grown;
  }
}

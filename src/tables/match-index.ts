/**
 * Match id → row, as an open-addressing hash in typed arrays: built in one thread, transferred to another, looked up in
 * O(1) without an object per row.
 */
export interface MatchIndex {
  /** The match id of each row. */
  readonly ids: Float64Array<ArrayBuffer>;
  /** Row + 1 of the id that hashed here or before, 0 for a free slot. A power of two, at least half of it free. */
  readonly slots: Int32Array<ArrayBuffer>;
}

/**
 * Builds the index.
 *
 * @param ids safe integers (±(2^53−1)), one for each row
 * @throws Error that names an id which is there twice.
 */
export function buildMatchIndex(ids: Float64Array<ArrayBuffer>): MatchIndex {
  const slots = new Int32Array(2 ** Math.ceil(Math.log2(2 * ids.length + 2)));
  const mask = slots.length - 1;
  for (let row = 0; row < ids.length; row++) {
    const id = ids[row]!;
    let slot = hash(id) & mask;
    for (; slots[slot] !== 0; slot = (slot + 1) & mask) {
      const other = slots[slot]! - 1;
      if (ids[other] === id) throw new Error(`match id ${id} is in the rows ${other} and ${row}`);
    }
    slots[slot] = row + 1;
  }
  return { ids, slots };
}

/** The row of a match id; undefined when it is not there. */
export function findRow({ ids, slots }: MatchIndex, matchId: number): number | undefined {
  const mask = slots.length - 1;
  for (let slot = hash(matchId) & mask; slots[slot] !== 0; slot = (slot + 1) & mask) {
    const row = slots[slot]! - 1;
    if (ids[row] === matchId) return row;
  }
  return undefined;
}

/** Mixes both halves of a 53-bit integer (MurmurHash3's finalizer), so that ids in steps of 2^n spread as well. */
function hash(id: number): number {
  let bits = (id | 0) ^ Math.imul((id / 2 ** 32) | 0, 0x9e3779b1);
  bits = Math.imul(bits ^ (bits >>> 16), 0x85ebca6b);
  bits = Math.imul(bits ^ (bits >>> 13), 0xc2b2ae35);
  return bits ^ (bits >>> 16);
}

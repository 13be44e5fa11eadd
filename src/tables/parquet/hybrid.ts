/**
 * Parquet's RLE / bit-packing hybrid: definition levels, dictionary indexes and booleans.
 * https://parquet.apache.org/docs/file-format/data-pages/encodings/#RLE
 */

/**
 * Decodes as many values of `bitWidth` bits as `into` holds from `bytes[offset, end)`.
 * A run is cut where `into` ends: a corrupt run length would otherwise grow an array until the process dies, which is
 * why hyparquet's own decoder is not used here.
 *
 * @throws Error when the bytes end before `into` is full.
 */
export function readHybrid(
  bytes: Uint8Array,
  offset: number,
  end: number,
  bitWidth: number,
  into: Uint8Array | Int32Array,
): void {
  if (bitWidth > 32) throw new Error(`values of ${bitWidth} bits; 32 are the most there can be`);
  if (end > bytes.length) throw new Error(`runs end at byte ${end} of a page of ${bytes.length} bytes`);
  const bytesPerRepeat = (bitWidth + 7) >> 3;
  let position = offset;
  for (let written = 0; written < into.length; ) {
    let header = 0;
    for (let shift = 0, more = true; more; shift += 7) {
      if (position >= end || shift > 28)
        throw new Error(`runs end after ${written} of ${into.length} values`);
      const byte = bytes[position++]!;
      header |= (byte & 0x7f) << shift;
      more = byte > 0x7f;
    }
    const isPacked = (header & 1) === 1;
    const declared = (header >>> 1) * (isPacked ? 8 : 1);
    const count = Math.min(declared, into.length - written);
    const needed = isPacked ? Math.ceil((count * bitWidth) / 8) : bytesPerRepeat;
    if (position + needed > end) throw new Error(`runs end after ${written} of ${into.length} values`);
    if (isPacked) {
      unpack(bytes, position, bitWidth, into, written, count);
      position += (declared * bitWidth) / 8;
    } else {
      let value = 0;
      for (let index = 0; index < bytesPerRepeat; index++) value |= bytes[position++]! << (8 * index);
      into.fill(value, written, written + count);
    }
    written += count;
  }
}

/** Little-endian bit-packed values. A read past the last byte gives `undefined`, which `|` takes as 0. */
function unpack(
  bytes: Uint8Array,
  offset: number,
  bitWidth: number,
  into: Uint8Array | Int32Array,
  from: number,
  count: number,
): void {
  const mask = bitWidth === 32 ? -1 : (1 << bitWidth) - 1;
  let position = offset;
  let shift = 0;
  for (let index = from; index < from + count; index++) {
    let word =
      (bytes[position]! |
        (bytes[position + 1]! << 8) |
        (bytes[position + 2]! << 16) |
        (bytes[position + 3]! << 24)) >>>
      shift;
    if (shift + bitWidth > 32) word |= bytes[position + 4]! << (32 - shift);
    into[index] = word & mask;
    shift += bitWidth;
    position += shift >>> 3;
    shift &= 7;
  }
}

import { brotliDecompressSync, gunzipSync, zstdDecompressSync } from 'node:zlib';
import type { ColumnMetaData } from 'hyparquet/src/types.js';
import { compressors } from 'hyparquet-compressors';

export type Codec = ColumnMetaData['codec'];

/**
 * The bytes of a page, `size` of them as its header declares, in a buffer of their own: decoders make typed arrays over
 * `.buffer` and would otherwise read past the page into its neighbours.
 *
 * @throws Error for an unknown codec, for data that is not of it, and for a declared size that is not the real one.
 */
export function decompress(codec: Codec, bytes: Uint8Array, size: number): Uint8Array<ArrayBuffer> {
  if (!Number.isInteger(size) || size < 0) throw new Error(`a page declares ${size} bytes`);
  if (size === 0) return new Uint8Array(0);
  const page = decompressed(codec, bytes, size);
  if (page.length !== size) throw new Error(`a page declares ${size} bytes and has ${page.length}`);
  return page.byteLength === page.buffer.byteLength && page.buffer instanceof ArrayBuffer
    ? (page as Uint8Array<ArrayBuffer>)
    : new Uint8Array(page);
}

function decompressed(codec: Codec, bytes: Uint8Array, size: number): Uint8Array {
  // zlib makes its output in pieces of chunkSize and joins them: one piece that holds all needs no joining.
  const options = { maxOutputLength: size, chunkSize: Math.min(Math.max(size + 1, 64), 16 * 1024 * 1024) };
  switch (codec) {
    case 'UNCOMPRESSED':
      return new Uint8Array(bytes);
    case 'GZIP':
      return gunzipSync(bytes, options);
    case 'BROTLI':
      return brotliDecompressSync(bytes, options);
    case 'ZSTD':
      return zstdDecompressSync(bytes, options);
    case 'SNAPPY':
      // 64 bytes out of 3 is the most that Snappy gives; these decoders allocate what is declared before they look.
      checkRatio(codec, bytes, size, 22);
      if (snappyLength(bytes) !== size)
        throw new Error(`Snappy data of ${snappyLength(bytes)} bytes, not ${size}`);
      return compressors.SNAPPY!(bytes, size);
    case 'LZ4':
    case 'LZ4_RAW':
      checkRatio(codec, bytes, size, 256);
      return compressors[codec]!(bytes, size);
    default:
      throw new Error(`compressed with ${codec}, which is not supported`);
  }
}

function checkRatio(codec: Codec, bytes: Uint8Array, size: number, most: number): void {
  if (size > most * bytes.length + 64)
    throw new Error(`${bytes.length} bytes of ${codec} declare to be ${size}`);
}

/** The length that Snappy data begins with, a varint. The decoder would write that much, whatever is declared. */
function snappyLength(bytes: Uint8Array): number {
  let length = 0;
  for (let index = 0; index < 5; index++) {
    const byte = bytes[index] ?? 0;
    length += (byte & 0x7f) * 2 ** (7 * index);
    if (byte < 0x80) break;
  }
  return length;
}

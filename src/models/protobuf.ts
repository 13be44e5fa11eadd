import { isUtf8 } from 'node:buffer';
import { ModelRefusedError } from '../errors.ts';

/**
 * The wire format of Protocol Buffers (https://protobuf.dev/programming-guides/encoding/), as much of it as an ONNX file
 * needs. Nothing is copied while reading; whatever is malformed is a ModelRefusedError, never a hang or a RangeError.
 */

const VARINT = 0;
const FIXED_64 = 1;
const LENGTH_DELIMITED = 2;
const FIXED_32 = 5;

/** One field of a message: its number, and where in the message it lies. */
export class WireField {
  readonly number: number;
  readonly #message: Uint8Array;
  readonly #wireType: number;
  readonly #start: number;
  readonly #valueStart: number;
  readonly #end: number;

  constructor(message: Uint8Array, tag: number, start: number, valueStart: number, end: number) {
    this.#message = message;
    this.number = tag >>> 3;
    this.#wireType = tag & 7;
    this.#start = start;
    this.#valueStart = valueStart;
    this.#end = end;
  }

  /** Tag and value as they stand in the message, to be copied into another one. */
  get raw(): Uint8Array {
    return this.#message.subarray(this.#start, this.#end);
  }

  /** The content of an embedded message, a string or a byte string. */
  get bytes(): Uint8Array {
    this.#expect(LENGTH_DELIMITED, 'a length-delimited value');
    return this.#message.subarray(this.#valueStart, this.#end);
  }

  get text(): string {
    const { bytes } = this;
    if (!isUtf8(bytes))
      throw new ModelRefusedError(`not a readable ONNX file: field ${this.number} is not UTF-8`);
    return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString();
  }

  /** A varint as a signed 64-bit integer. */
  get integer(): bigint {
    this.#expect(VARINT, 'an integer');
    return BigInt.asIntN(64, readBigVarint(this.#message, this.#valueStart));
  }

  /** The first values of a repeated integer, `limit` at most: one, or many when the writer packed them. */
  integers(limit: number): bigint[] {
    if (this.#wireType === VARINT) return [this.integer];
    const packed = this.bytes;
    const values: bigint[] = [];
    for (let at = 0; at < packed.length && values.length < limit; ) {
      const end = endOfVarint(packed, at);
      values.push(BigInt.asIntN(64, readBigVarint(packed, at)));
      at = end;
    }
    return values;
  }

  #expect(wireType: number, what: string): void {
    if (this.#wireType === wireType) return;
    throw new ModelRefusedError(`not a readable ONNX file: field ${this.number} is not ${what}`);
  }
}

/**
 * The fields of a message in the order they were written.
 *
 * @throws ModelRefusedError where a field is cut off, has no number or is of a wire type that ONNX does not use
 */
export function* wireFields(message: Uint8Array): Generator<WireField> {
  let at = 0;
  while (at < message.length) {
    const valueAt = endOfVarint(message, at);
    const tag = readSmallVarint(message, at, valueAt);
    const [valueStart, end] = valueRange(message, tag, valueAt);
    if (tag < 8 || tag > 0xffff_ffff || end > message.length) throw malformed(message, at, tag);
    yield new WireField(message, tag, at, valueStart, end);
    at = end;
  }
}

/** A field that holds an integer, ready to be put into a message. */
export function integerField(number: number, value: number): Uint8Array {
  return Uint8Array.of(...varint(number * 8 + VARINT), ...varint(value));
}

/** A field that holds bytes, or an embedded message that is the parts one after another. */
export function bytesField(number: number, ...parts: readonly Uint8Array[]): Uint8Array {
  const length = parts.reduce((sum, part) => sum + part.length, 0);
  return Buffer.concat([
    Uint8Array.of(...varint(number * 8 + LENGTH_DELIMITED), ...varint(length)),
    ...parts,
  ]);
}

function valueRange(message: Uint8Array, tag: number, at: number): [start: number, end: number] {
  switch (tag & 7) {
    case VARINT:
      return [at, endOfVarint(message, at)];
    case FIXED_64:
      return [at, at + 8];
    case FIXED_32:
      return [at, at + 4];
    case LENGTH_DELIMITED: {
      const start = endOfVarint(message, at);
      return [start, start + readSmallVarint(message, at, start)];
    }
    default:
      throw malformed(message, at, tag);
  }
}

/** Where the varint at `at` ends: within the message, and after ten bytes at most. */
function endOfVarint(message: Uint8Array, at: number): number {
  for (let end = at; end < message.length && end < at + 10; end++) {
    if ((message[end] as number) < 0x80) return end + 1;
  }
  throw new ModelRefusedError(
    `not a readable ONNX file: the integer at byte ${at} of a part of ${message.length} bytes does not end`,
  );
}

/** A tag or a length. Above 2^53 it loses precision, and is beyond the end of any file all the same. */
function readSmallVarint(message: Uint8Array, start: number, end: number): number {
  let value = 0;
  for (let at = end - 1; at >= start; at--) value = value * 128 + ((message[at] as number) & 0x7f);
  return value;
}

function readBigVarint(message: Uint8Array, start: number): bigint {
  let value = 0n;
  for (let at = start, shift = 0n; ; at++, shift += 7n) {
    const byte = message[at] as number;
    value |= BigInt(byte & 0x7f) << shift;
    if (byte < 0x80) return value;
  }
}

function varint(value: number): number[] {
  const bytes: number[] = [];
  let rest = value;
  for (; rest > 0x7f; rest = Math.floor(rest / 128)) bytes.push((rest % 128) | 0x80);
  return [...bytes, rest];
}

function malformed(message: Uint8Array, at: number, tag: number): ModelRefusedError {
  return new ModelRefusedError(
    `not a readable ONNX file: the field at byte ${at} of a part of ${message.length} bytes ` +
      `(number ${Math.floor(tag / 8)}, wire type ${tag & 7}) is cut off or malformed`,
  );
}

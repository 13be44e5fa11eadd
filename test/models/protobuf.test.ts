import { describe, expect, test } from 'vitest';
import { ModelRefusedError } from '../../src/errors.ts';
import { bytesField, integerField, wireFields } from '../../src/models/protobuf.ts';

describe('fields', () => {
  test('come back as they were written', () => {
    const message = Buffer.concat([
      integerField(1, 300),
      bytesField(2, Buffer.from('drøn')),
      integerField(1, 2 ** 40),
    ]);
    const [first, second, third] = [...wireFields(message)];
    expect([first?.number, first?.integer]).toEqual([1, 300n]);
    expect([second?.number, second?.text]).toEqual([2, 'drøn']);
    expect(third?.integer).toBe(2n ** 40n);
    expect(Buffer.concat([...wireFields(message)].map(({ raw }) => raw))).toEqual(message);
  });

  test('hold negative integers as ten bytes', () => {
    const [field] = [...wireFields(Uint8Array.of(0x08, ...new Array(9).fill(0xff), 0x01))];
    expect(field?.integer).toBe(-1n);
  });

  test('hold a repeated integer packed or one by one, and give no more of it than is asked for', () => {
    const [packed] = [...wireFields(bytesField(8, Uint8Array.of(1, 0xac, 0x02, 3)))];
    expect(packed?.integers(9)).toEqual([1n, 300n, 3n]);
    expect(packed?.integers(2)).toEqual([1n, 300n]);
    expect([...wireFields(integerField(8, 7))][0]?.integers(9)).toEqual([7n]);
  });
});

describe('a message is refused', () => {
  test.each([
    ['when a length reaches beyond its end', [0x12, 0x05, 0x01]],
    ['when a length has 70 bits', [0x12, ...new Array(9).fill(0xff), 0x7f]],
    ['when an integer is longer than ten bytes', [0x08, ...new Array(11).fill(0x80), 0x01]],
    ['when an integer is cut off', [0x08, 0x80]],
    ['when a fixed-width value is cut off', [0x0d, 0x01]],
    ['when it has a group', [0x0b]],
    ['when a field has the number 0', [0x00, 0x00]],
  ])('%s', (_, bytes) => {
    expect(() => [...wireFields(Uint8Array.from(bytes))]).toThrow(ModelRefusedError);
  });

  test('when a packed integer is cut off, text is not UTF-8 or a value is of another type', () => {
    const [packed] = [...wireFields(bytesField(8, Uint8Array.of(0x80)))];
    expect(() => packed?.integers(9)).toThrow(ModelRefusedError);
    const [text] = [...wireFields(bytesField(1, Uint8Array.of(0xff)))];
    expect(() => text?.text).toThrow('field 1 is not UTF-8');
    expect(() => text?.integer).toThrow('field 1 is not an integer');
    expect(() => [...wireFields(integerField(1, 1))][0]?.bytes).toThrow(ModelRefusedError);
  });
});

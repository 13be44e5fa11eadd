import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { ModelRefusedError, ModelUnavailableError } from '../../src/errors.ts';
import { parseMlModel, readMlModel } from '../../src/models/signature.ts';

const parse = (text: string) => parseMlModel(text, 'MLmodel');
const columns = (inputs: unknown) =>
  parse(`signature:\n  inputs: '${JSON.stringify(inputs)}'\n`).signature?.columns;
const tensor = (dtype: string, shape: number[], name?: string) => ({
  type: 'tensor',
  name,
  'tensor-spec': { dtype, shape },
});

describe('the columns of a signature', () => {
  test('have names, types and whether they are required, in order', () => {
    expect(
      columns([
        { type: 'long', name: 'homeTeamId', required: true },
        { type: 'double', name: 'elo', required: false },
      ]),
    ).toEqual([
      { name: 'homeTeamId', type: 'long', required: true },
      { name: 'elo', type: 'double', required: false },
    ]);
  });

  test('are required in old files unless they say that they are optional', () => {
    const old = columns([
      { type: 'float', name: 'a' },
      { type: 'float', name: 'b', optional: true },
    ]);
    expect(old?.map(({ required }) => required)).toEqual([true, false]);
  });

  test('may have no names', () => {
    expect(columns([{ type: 'boolean' }, { type: 'integer' }])?.map(({ name }) => name)).toEqual([
      undefined,
      undefined,
    ]);
  });

  test('are those of a matrix, without names', () => {
    const column = { name: undefined, type: 'float', required: true };
    expect(columns([tensor('float32', [-1, 3])])).toEqual([column, column, column]);
  });

  test('are one each of several tensors', () => {
    expect(columns([tensor('float64', [-1, 1], 'a'), tensor('int64', [-1], 'b')])).toEqual([
      { name: 'a', type: 'double', required: true },
      { name: 'b', type: 'long', required: true },
    ]);
  });

  test('are unknown for a matrix of unknown width', () => {
    expect(columns([tensor('float32', [-1, -1])])).toBeUndefined();
  });

  test.each([
    [[{ type: 'string', name: 'team' }], 'the column "team" is of type string'],
    [[{ type: 'datetime', name: 'at' }], 'the column "at" is of type datetime'],
    [[{ type: 'object', name: 'o', properties: {} }], 'the column "o" is of type object'],
    [
      [
        { type: 'float', name: 'a' },
        { type: 'float', name: 'a' },
      ],
      'the column "a" twice',
    ],
    [[{ type: 'float', name: 'a' }, { type: 'float' }], 'names for 1 of its 2 columns'],
    [[{ name: 'a' }], 'signature.inputs of MLmodel is malformed'],
    [[], 'signature.inputs of MLmodel is malformed'],
    [{ type: 'float' }, 'signature.inputs of MLmodel is malformed'],
    [[tensor('float16', [-1, 3])], 'is of type float16'],
    [[tensor('float32', [-1, 3, 3])], 'a tensor of shape [-1,3,3]'],
    [[tensor('float32', [-1, 1e9])], 'a tensor of shape [-1,1000000000]'],
    [
      [tensor('float32', [-1, 2], 'a'), tensor('float32', [-1, 1], 'b')],
      'each must be one column, "a" is [-1,2]',
    ],
  ])('are refused: %j', (inputs, message) => {
    expect(() => columns(inputs)).toThrow(message);
    expect(() => columns(inputs)).toThrow(ModelRefusedError);
  });
});

describe('an MLmodel file', () => {
  test('may be without signature or run id', () => {
    const nothing = { signature: undefined, runId: undefined };
    expect(parse('flavors: {}\n')).toEqual(nothing);
    expect(parse('run_id: null\nsignature: null\n')).toEqual(nothing);
    expect(parse('signature:\n  inputs: null\n  outputs: null\n')).toEqual(nothing);
  });

  test('has a run id that stays text, whatever YAML would take it for', () => {
    expect(parse('run_id: 12345e678\n').runId).toBe('12345e678');
    expect(parse("run_id: '0123'\n").runId).toBe('0123');
  });

  test.each([
    ['', 'MLmodel is malformed'],
    ['[1, 2]', 'MLmodel is malformed'],
    ['signature: {inputs: [', 'MLmodel is malformed'],
    ['signature:\n  inputs: "[{"\n', 'signature.inputs of MLmodel is malformed'],
    ['signature: 7\n', 'MLmodel is malformed'],
    [`${'['.repeat(100_000)}`, 'MLmodel is malformed'],
    [`a: &a [x]\n${bomb()}`, 'Excessive alias count'],
  ])('is refused when it is malformed (%#)', (text, message) => {
    expect(() => parse(text)).toThrow(message);
    expect(() => parse(text)).toThrow(ModelRefusedError);
  });

  test('is read from the folder of a model, which need not have one', async () => {
    const folder = await temporaryFolder();
    await expect(readMlModel(folder)).resolves.toBeUndefined();
    await writeFile(join(folder, 'MLmodel'), 'run_id: abc\n');
    await expect(readMlModel(folder)).resolves.toEqual({ signature: undefined, runId: 'abc' });
  });

  test('is refused when it is huge, and unavailable when it cannot be read', async () => {
    const folder = await temporaryFolder();
    await writeFile(join(folder, 'MLmodel'), Buffer.alloc(5_000_000));
    await expect(readMlModel(folder)).rejects.toThrow('has 5000000 bytes');
    const other = await temporaryFolder();
    await mkdir(join(other, 'MLmodel'));
    await expect(readMlModel(other)).rejects.toThrow(ModelUnavailableError);
  });
});

/** Ten lists, each of ten aliases of the one before. */
function bomb(): string {
  const lists = Array.from({ length: 9 }, (_, level) => {
    const before = String.fromCharCode(97 + level);
    const name = String.fromCharCode(98 + level);
    return `${name}: &${name} [${new Array(10).fill(`*${before}`).join(', ')}]`;
  });
  return lists.join('\n');
}

async function temporaryFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'signature-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  return folder;
}

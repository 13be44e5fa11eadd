import { mkdir, mkdtemp, rm, symlink, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { InvalidInputError, ModelUnavailableError } from '../../src/errors.ts';
import { DirectoryRegistry } from '../../src/models/directory-registry.ts';

const MODEL = 'match-outcome';

describe('a directory registry', () => {
  test('resolves an alias to a version, and the version to its folder and its run', async () => {
    const { registry, directory } = await registryOf({
      'aliases.json': { champion: '2', Staging: 3 },
      '2/model.onnx': 'model',
      '2/run.json': {
        run_id: 'abc',
        created_at: '2026-01-02T03:04:05Z',
        metrics: { log_loss: 0.97, accuracy: 'NaN' },
        params: { leaves: 31, boosting: 'gbdt', seed: null },
      },
      '3/model.onnx': 'other model',
    });
    const champion = await registry.resolve('champion');
    expect(champion).toMatchObject({
      modelName: MODEL,
      version: '2',
      runId: 'abc',
      createdAt: '2026-01-02T03:04:05Z',
    });
    await expect(registry.fetch(champion!)).resolves.toBe(join(directory, MODEL, '2'));
    await expect(registry.describe(champion!)).resolves.toEqual({
      metrics: { log_loss: 0.97 },
      params: { leaves: '31', boosting: 'gbdt', seed: 'null' },
    });
    const staging = await registry.resolve('Staging');
    expect(staging).toMatchObject({ version: '3', runId: undefined, createdAt: undefined });
    await expect(registry.describe(staging!)).resolves.toEqual({ metrics: {}, params: {} });
  });

  test('takes the run id of MLmodel when run.json has none', async () => {
    const { registry } = await registryOf({
      'aliases.json': { champion: '1' },
      '1/model.onnx': 'model',
      '1/MLmodel': 'run_id: from-mlmodel\n',
      '1/run.json': {},
    });
    expect((await registry.resolve('champion'))?.runId).toBe('from-mlmodel');
  });

  test('knows nothing when there is no directory, no model or no such alias', async () => {
    const { registry, directory } = await registryOf({ 'aliases.json': { champion: '1' } });
    await expect(registry.resolve('challenger')).resolves.toBeUndefined();
    await expect(registry.resolve('constructor')).resolves.toBeUndefined();
    await expect(registry.resolve('__proto__')).resolves.toBeUndefined();
    const other = new DirectoryRegistry({ directory, modelName: 'other' });
    await expect(other.resolve('champion')).resolves.toBeUndefined();
    const nowhere = new DirectoryRegistry({ directory: join(directory, 'nowhere'), modelName: MODEL });
    await expect(nowhere.resolve('champion')).resolves.toBeUndefined();
  });

  test('sees that the files of a version have changed', async () => {
    const { registry, directory } = await registryOf({
      'aliases.json': { champion: '1' },
      '1/model.onnx': 'model',
    });
    const stamp = async () => (await registry.resolve('champion'))?.stamp;
    const before = await stamp();
    expect(await stamp()).toBe(before);
    await utimes(join(directory, MODEL, '1/model.onnx'), 1, 1);
    const touched = await stamp();
    expect(touched).not.toBe(before);
    await writeFile(join(directory, MODEL, '1/MLmodel'), 'run_id: x\n');
    expect(await stamp()).not.toBe(touched);
  });

  test.each<[string, Record<string, unknown>, string]>([
    [
      'the alias points to a version that is not there',
      { 'aliases.json': { champion: '7' } },
      '"champion" is version 7, but',
    ],
    [
      'the version has no model',
      { 'aliases.json': { champion: '1' }, '1/MLmodel': '' },
      join('1', 'model.onnx'),
    ],
    ['aliases.json is empty, for it is being written', { 'aliases.json': '' }, 'aliases.json is not JSON'],
    ['aliases.json is half written', { 'aliases.json': '{"champion": "1' }, 'aliases.json is not JSON'],
    ['aliases.json is a list', { 'aliases.json': [] }, 'aliases.json'],
    ['a version is no text', { 'aliases.json': { champion: { version: 1 } } }, 'champion'],
    ['a version leads out of the registry', { 'aliases.json': { champion: '../1' } }, '"champion" is "../1"'],
    ['a version is the folder itself', { 'aliases.json': { champion: '.' } }, '"champion" is "."'],
    ['a version has no name', { 'aliases.json': { champion: '' } }, '"champion" is ""'],
    [
      'run.json has another shape',
      { 'aliases.json': { champion: '1' }, '1/model.onnx': 'model', '1/run.json': { run_id: 12 } },
      'run_id',
    ],
  ])('is unavailable when %s', async (_, files, message) => {
    const { registry } = await registryOf(files);
    await expect(registry.resolve('champion')).rejects.toThrow(message);
    await expect(registry.resolve('champion')).rejects.toThrow(ModelUnavailableError);
  });

  test('is unavailable when the files of a version are gone by the time they are fetched', async () => {
    const { registry, directory } = await registryOf({
      'aliases.json': { champion: '1' },
      '1/model.onnx': 'model',
    });
    const version = await registry.resolve('champion');
    await rm(join(directory, MODEL, '1'), { recursive: true });
    await expect(registry.fetch(version!)).rejects.toThrow('version 1 was registered, but');
  });

  test('follows links, as they are in a mounted volume', async () => {
    const { registry, directory } = await registryOf({
      '..data/aliases.json': { champion: '1' },
      '1/model.onnx': 'model',
    });
    await symlink('..data/aliases.json', join(directory, MODEL, 'aliases.json'));
    expect((await registry.resolve('champion'))?.version).toBe('1');
  });

  test.each(['', '.', '..', 'a/b', '../other', 'a\\b', 'C:', 'a\0'])(
    'is not made for a model called %j',
    (modelName) => {
      expect(() => new DirectoryRegistry({ directory: '.', modelName })).toThrow(InvalidInputError);
    },
  );
});

/** A registry of one model in a temporary directory; what is not text is written as JSON. */
async function registryOf(files: Record<string, unknown>) {
  const directory = await mkdtemp(join(tmpdir(), 'registry-'));
  onTestFinished(() => rm(directory, { recursive: true }));
  for (const [name, content] of Object.entries(files)) {
    const path = join(directory, MODEL, name);
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, typeof content === 'string' ? content : JSON.stringify(content));
  }
  return { registry: new DirectoryRegistry({ directory, modelName: MODEL }), directory };
}

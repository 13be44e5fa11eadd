import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { InvalidInputError, ModelUnavailableError } from '../errors.ts';
import type { ModelRegistry, ModelVersion, RunDescription } from './model-registry.ts';
import { readMlModel } from './signature.ts';

const Aliases = z.record(z.string(), z.union([z.string(), z.int().nonnegative()]).transform(String));
const Run = z.object({
  run_id: z.string().min(1).optional(),
  created_at: z.string().min(1).optional(),
  metrics: z.record(z.string(), z.unknown()).optional(),
  params: z.record(z.string(), z.union([z.string(), z.number(), z.boolean(), z.null()])).optional(),
});

/**
 * A registry that is a directory, written by hand or with `mlflow artifacts download`:
 *
 *     <directory>/<model name>/aliases.json        {"champion": "2", "challenger": "1", "Staging": "3"}
 *     <directory>/<model name>/<version>/model.onnx
 *     <directory>/<model name>/<version>/MLmodel   optional
 *     <directory>/<model name>/<version>/run.json  optional: {"run_id", "created_at", "metrics", "params"}, each optional
 *
 * A stage is looked up as an alias is. Nothing is kept in memory: every call reads what the directory holds now.
 */
export class DirectoryRegistry implements ModelRegistry {
  readonly #modelName: string;
  /** The model's folder: no version of it is looked for outside. */
  readonly #folder: string;

  /** @throws InvalidInputError when the model name is not the name of one folder */
  constructor({ directory, modelName }: { readonly directory: string; readonly modelName: string }) {
    if (!isFolderName(modelName)) {
      throw new InvalidInputError(`the model name ${JSON.stringify(modelName)} is not the name of a folder`);
    }
    this.#modelName = modelName;
    this.#folder = join(directory, modelName);
  }

  async resolve(alias: string): Promise<ModelVersion | undefined> {
    const path = join(this.#folder, 'aliases.json');
    const aliases = new Map(Object.entries((await readJson(path, Aliases)) ?? {}));
    const version = aliases.get(alias);
    if (version === undefined) return undefined;
    if (!isFolderName(version)) {
      throw new ModelUnavailableError(
        `${path}: "${alias}" is ${JSON.stringify(version)}, not the name of a folder`,
      );
    }
    const source = join(this.#folder, version);
    const stamp = await this.#stamp(source, `${this.#modelName} "${alias}" is version ${version}`);
    const run = await readJson(join(source, 'run.json'), Run);
    const runId = run?.run_id ?? (await readMlModel(source))?.runId;
    return { modelName: this.#modelName, version, runId, createdAt: run?.created_at, source, stamp };
  }

  async fetch({ version, source }: ModelVersion): Promise<string> {
    await this.#stamp(source, `${this.#modelName} version ${version} was registered`);
    return source;
  }

  async describe({ source }: ModelVersion): Promise<RunDescription> {
    const run = await readJson(join(source, 'run.json'), Run);
    const metrics = Object.entries(run?.metrics ?? {}).filter((entry): entry is [string, number] =>
      Number.isFinite(entry[1]),
    );
    const params = Object.entries(run?.params ?? {}).map(([name, value]) => [name, String(value)]);
    return { metrics: Object.fromEntries(metrics), params: Object.fromEntries(params) };
  }

  async #stamp(source: string, context: string): Promise<string> {
    const model = await statFile(join(source, 'model.onnx'));
    if (!model) throw new ModelUnavailableError(`${context}, but ${join(source, 'model.onnx')} is not there`);
    const files = [model, await statFile(join(source, 'MLmodel'))];
    return files.map((file) => (file ? `${file.mtimeMs}/${file.size}` : 'none')).join(' ');
  }
}

/** One step down and no other: no separators, no "..", nothing that a file system reads in its own way. */
function isFolderName(name: string): boolean {
  return /^[^/\\:\0]{1,255}$/.test(name) && name !== '.' && name !== '..';
}

async function statFile(path: string): Promise<{ mtimeMs: number; size: number } | undefined> {
  const found = await unlessAbsent(path, stat(path));
  return found?.isFile() ? found : undefined;
}

/** A file that is being edited may be empty for a moment: that is unavailable, which is tried again, and not absent. */
async function readJson<T>(path: string, schema: z.ZodType<T>): Promise<T | undefined> {
  const text = await unlessAbsent(path, readFile(path, 'utf8'));
  if (text === undefined) return undefined;
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw new ModelUnavailableError(`${path} is not JSON: ${(error as Error).message}`, { cause: error });
  }
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  const faults = result.error.issues.map((issue) => `${issue.path.join('.')} ${issue.message}`.trim());
  throw new ModelUnavailableError(`${path}: ${faults.join('; ')}`);
}

async function unlessAbsent<T>(path: string, reading: Promise<T>): Promise<T | undefined> {
  try {
    return await reading;
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ENOTDIR') return undefined;
    throw new ModelUnavailableError(`${path} cannot be read: ${message}`, { cause: error });
  }
}

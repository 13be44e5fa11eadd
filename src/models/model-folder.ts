import { createHash } from 'node:crypto';
import { readFile, realpath, stat } from 'node:fs/promises';
import { join, sep } from 'node:path';
import { ModelRefusedError, ModelUnavailableError } from '../errors.ts';
import { type OnnxGraph, readOnnxGraph } from './onnx-graph.ts';
import { readMlModel, type Signature } from './signature.ts';

/** A model's files, read and checked, but not yet run. */
export interface ModelFolder {
  readonly graph: OnnxGraph;
  /** Undefined when there is no MLmodel file, or no signature in it. */
  readonly signature: Signature | undefined;
  /** The weights that are not in the model file, under the path by which the model names them. */
  readonly externalData: readonly { readonly path: string; readonly data: Uint8Array }[];
  /** SHA-256, in hex, of all of these. */
  readonly digest: string;
}

/**
 * Reads a model's folder: model.onnx, the files that hold its weights, if any, and MLmodel, if there is one.
 *
 * @throws ModelRefusedError when the files are not what the service needs
 * @throws ModelUnavailableError when they cannot be read
 */
export async function readModelFolder(folder: string): Promise<ModelFolder> {
  const bytes = await readRegularFile(join(folder, 'model.onnx'));
  const graph = readOnnxGraph(bytes);
  const signature = (await readMlModel(folder))?.signature;
  const externalData: { path: string; data: Uint8Array }[] = [];
  for (const path of graph.externalFiles) externalData.push({ path, data: await readWeights(folder, path) });

  const hash = createHash('sha256')
    .update(JSON.stringify(signature ?? null))
    .update(bytes);
  for (const { data } of externalData) hash.update(data);
  return { graph, signature, externalData, digest: hash.digest('hex') };
}

/** Weights are found by a path that the model itself names: no link may lead out of the folder either. */
async function readWeights(folder: string, name: string): Promise<Uint8Array> {
  const bytes = await readRegularFile(join(folder, name));
  if ((await realpath(join(folder, name))).startsWith((await realpath(folder)) + sep)) return bytes;
  throw new ModelRefusedError(`the weights ${name} are a link that leads out of the model's folder`);
}

async function readRegularFile(path: string): Promise<Uint8Array> {
  try {
    // A pipe or a device in a file's place would be read for ever.
    if (!(await stat(path)).isFile()) throw new Error('it is not a file');
    return await readFile(path);
  } catch (error) {
    throw new ModelUnavailableError(`${path} cannot be read: ${(error as Error).message}`, { cause: error });
  }
}

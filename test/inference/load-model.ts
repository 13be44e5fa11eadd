import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { loadOnnxModel, type OnnxModel } from '../../src/inference/onnx-model.ts';

/** An MLmodel file whose signature has columns of one type; a string is a column a letter. */
export function mlModel(names: Iterable<string>, type: string): string {
  const columns = Array.from(names, (name) => ({ type, name, required: true }));
  return `run_id: abc\nsignature:\n  inputs: '${JSON.stringify(columns)}'\n`;
}

/** Loads a model from a temporary folder; it is released when the test ends. */
export async function load(files: Record<string, Uint8Array | string>): Promise<OnnxModel> {
  const model = await loadOnnxModel(await folderOf(files));
  onTestFinished(() => model.release());
  return model;
}

export async function folderOf(files: Record<string, Uint8Array | string>): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'model-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  for (const [name, content] of Object.entries(files)) await writeFile(join(folder, name), content);
  return folder;
}

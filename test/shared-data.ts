import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { describe, test } from 'vitest';

/**
 * The folder of test material that is not part of the project (real tables, real models, hostile files); undefined where
 * it is not at hand. `SHARED_DATA_DIR` names it; else it is looked for beside the repository.
 */
export const sharedData: string | undefined = find();

/** Tests that need the shared data; skipped, with the reason in the title, where there is none. */
export function describeShared(title: string, tests: (folder: string) => void): void {
  if (sharedData === undefined)
    test.skip(`${title} (skipped: no shared data, set SHARED_DATA_DIR)`, () => {});
  else describe(title, () => tests(sharedData as string));
}

function find(): string | undefined {
  const folder = process.env.SHARED_DATA_DIR ?? resolve(import.meta.dirname, '../../shared/data');
  if (existsSync(folder)) return folder;
  if (process.env.CI) throw new Error(`the shared test data is not in ${folder}: set SHARED_DATA_DIR`);
  return undefined;
}

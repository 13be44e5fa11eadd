import { globSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { expect, test } from 'vitest';

const root = join(import.meta.dirname, '..');
const source = join(root, 'src');
/** From → to, as folders of `src/` ("" is `src/` itself). */
const imports = globSync('**/*.ts', { cwd: source }).flatMap((file) => {
  const text = readFileSync(join(source, file), 'utf8');
  const paths = [...text.matchAll(/(?:from|import\(|import) ?'(\.[^']+)'/g)].map(([, path]) => path!);
  return paths.map((path) => ({ file, to: relative(source, join(source, dirname(file), path)) }));
});
const folderOf = (path: string) => (path.includes('/') ? path.split('/')[0]! : '');

/** Each folder may import itself, those to the right of it, and the files of `src/` that are no process. */
const order = ['http', 'predictions', 'observability', 'tasks', 'tables', 'inference', 'models'];

test('imports point one way', () => {
  expect(imports.length).toBeGreaterThan(100);
  const wrong = imports.filter(({ file, to }) => {
    const [from, into] = [folderOf(file), folderOf(to)];
    if (from === '') return false;
    if (into === '') return to !== 'errors.ts';
    return order.indexOf(into) < order.indexOf(from) || !order.includes(from);
  });
  expect(wrong).toEqual([]);
});

test('no two files import each other, over however many others', () => {
  const targets = (file: string) => imports.filter((edge) => edge.file === file).map(({ to }) => to);
  const typesOnly = (file: string, to: string) => {
    const name = to.split('/').at(-1)!.replaceAll('.', '\\.');
    const text = readFileSync(join(source, file), 'utf8');
    return new RegExp(`import type [^;]*${name}'`).test(text);
  };
  const done = new Set<string>();
  const visit = (file: string, path: readonly string[]): void => {
    expect(path, 'a cycle').not.toContain(file);
    if (done.has(file)) return;
    for (const to of targets(file)) if (!typesOnly(file, to)) visit(to, [...path, file]);
    done.add(file);
  };
  for (const { file } of imports) visit(file, []);
});

test('only config.ts and main.ts know the environment', () => {
  const readers = globSync('**/*.ts', { cwd: source }).filter((file) =>
    readFileSync(join(source, file), 'utf8').includes('process.env'),
  );
  expect(readers).toEqual(['main.ts']);
});

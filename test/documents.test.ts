import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openapiText, settingsTable } from '../openapi/documents.ts';

const root = join(import.meta.dirname, '..');
const read = (path: string) => readFileSync(join(root, path), 'utf8');

test('the committed OpenAPI document is what the routes say', async () => {
  expect(read('openapi/openapi.json')).toBe(await openapiText());
});

test('the OpenAPI document has the contract’s paths, methods and answers, and nothing that is not on the contract', () => {
  const { paths } = JSON.parse(read('openapi/openapi.json')) as {
    paths: Record<string, Record<string, { responses: object }>>;
  };
  const told = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, { responses }]) => `${method} ${path} ${Object.keys(responses)}`),
  );
  expect(told.sort()).toEqual([
    'get /healthcheck/ 200,503',
    'get /healthcheck/live 200',
    'get /monitoring/task_status/{task_id} 200',
    'get /predict/matches/ 200,503',
    'get /predict/model/info 200,422,500,503,504',
    'get /predict/precomputed/{match_id} 200,404,422,500,503',
    'get /predict/{match_id} 200,404,422,500,503,504',
    'post /predict/ 200,413,422,500,503,504',
    'post /predict/async/ 202,404,413,422,503',
  ]);
});

test('the README’s settings table is what config.ts says', () => {
  expect(read('README.md')).toContain(settingsTable());
});

test('what the README names is there', () => {
  const readme = read('README.md');
  const scripts = Object.keys(JSON.parse(read('package.json')).scripts);
  for (const [, script] of readme.matchAll(/npm run (\w+)/g)) expect(scripts).toContain(script);
  const paths = [
    ...readme.matchAll(/`((?:src|test|bench|fixtures|openapi)\/[\w/.-]*)`|\]\(((?!http)[^)]+)\)/g),
  ];
  expect(paths.length).toBeGreaterThan(8);
  for (const [, code, link] of paths)
    expect([code ?? link, existsSync(join(root, code ?? link!))]).toEqual([code ?? link, true]);
});

test('what ci runs is the README’s test command', () => {
  expect(read('README.md')).toContain('npm ci && npm test');
  expect(read('.ci/run')).toMatch(/npm ci.*npm run check.*npm test/s);
});

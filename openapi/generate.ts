/**
 * `npm run openapi`: writes what is generated from the code: `openapi/openapi.json` and the README's settings table.
 * With `--check` it writes nothing and fails when either is not what the code says.
 */
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { openapiText, settingsTable } from './documents.ts';

const root = join(import.meta.dirname, '..');
const readme = await readFile(join(root, 'README.md'), 'utf8');
const generated = [
  { path: 'openapi/openapi.json', text: await openapiText() },
  { path: 'README.md', text: withSettings(readme, settingsTable()) },
];

for (const { path, text } of generated) {
  const file = join(root, path);
  if ((await readFile(file, 'utf8').catch(() => '')) === text) continue;
  if (process.argv.includes('--check')) {
    console.error(`${path} is not what the code says: run \`npm run openapi\`.`);
    process.exitCode = 1;
  } else {
    await writeFile(file, text);
    console.log(`${path} written`);
  }
}

function withSettings(text: string, table: string): string {
  const between = /(<!-- settings: generated -->\n).*?(<!-- settings: end -->)/s;
  if (!between.test(text)) throw new Error('README.md has no place for the settings table.');
  return text.replace(between, (_, start: string, end: string) => `${start}\n${table}\n${end}`);
}

import { pino } from 'pino';
import { type Setting, settings } from '../src/config.ts';
import { buildApp } from '../src/http/app.ts';

/** The OpenAPI document as it is committed: of the routes alone, for which nothing has to run. */
export async function openapiText(): Promise<string> {
  const notAsked = {} as never; // no route is called
  const app = await buildApp({
    predictions: notAsked,
    health: notAsked,
    logger: pino({ level: 'silent' }),
    bodyLimitBytes: 1,
    requestTimeoutMs: 1,
  });
  await app.ready();
  const text = JSON.stringify(app.swagger(), null, 2);
  await app.close();
  return `${text}\n`;
}

/** The README's table of settings. */
export function settingsTable(): string {
  const rows = Object.entries<Setting>(settings).map(
    ([name, { shown, description }]) => `| \`${name}\` | ${shown} | ${description} |`,
  );
  return ['| Setting | Default | What |', '| --- | --- | --- |', ...rows].join('\n');
}

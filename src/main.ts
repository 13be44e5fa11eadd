/** The process: settings, listening, signals. */
import { pino } from 'pino';
import { compose } from './compose.ts';
import { ConfigError, readConfig } from './config.ts';

try {
  await main();
} catch (error) {
  process.stderr.write(`${error instanceof ConfigError ? error.message : (error as Error).stack}\n`);
  process.exit(1);
}

async function main(): Promise<void> {
  const config = readConfig(process.env);
  const logger = pino({ level: config.LOG_LEVEL });
  const service = await compose(config, logger);
  await service.app.listen({ host: config.HOST, port: config.PORT });

  const stop = async (signal: NodeJS.Signals) => {
    logger.info({ signal }, 'stopping');
    await service[Symbol.asyncDispose]();
    logger.info('stopped');
  };
  process.once('SIGTERM', stop);
  process.once('SIGINT', stop);
}

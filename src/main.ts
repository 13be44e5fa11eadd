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
    const graceSeconds = config.SHUTDOWN_GRACE_SECONDS;
    logger.info({ signal, graceSeconds }, 'stopping');
    setTimeout(() => {
      logger.error(`did not end within ${graceSeconds} s: killed`);
      // Not exit(): ending a thread while it runs a model aborts the process, with a core dump.
      logger.flush(() => process.kill(process.pid, 'SIGKILL'));
    }, graceSeconds * 1000).unref();
    await service[Symbol.asyncDispose]();
    logger.info('stopped');
  };
  process.once('SIGTERM', stop);
  process.once('SIGINT', stop);
}
